//! Scissors of a scene: cloth that is cut while it is simulated.

use super::schema::section;

section! {
    /// A cut through a cloth that is flat at rest, made where the first frame begins at or after its time. Its mesh is split
    /// along the path from the start. What lies on both sides of the path comes apart, by a kerf of half a millimetre; where the
    /// path ends inside the cloth, its tip holds.
    pub struct Scissors {
        /// Name of the cloth; must be given.
        cloth: String = String::new();
        /// When.
        at: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// The way of the scissors: points in the flat shape of the cloth, x and z, joined by straight lines. An end on the
        /// border or outside opens it; a path that ends where it began cuts a piece out.
        path: Vec<[f64; 2]> = Vec::new(), ["m"] within(-10_000.0, 10_000.0);
        /// Instead of a path: points in space. The path goes through the points of the cloth that are nearest to them where it
        /// starts, straight in the flat shape.
        through: Vec<[f64; 3]> = Vec::new(), ["m"] within(-10_000.0, 10_000.0);
        /// A point, x and z, of the piece of cloth that is taken away with the cut; left out, all pieces stay. Without a path, the
        /// piece of an earlier cut.
        remove: Option<[f64; 2]> = None, ["m"] within(-10_000.0, 10_000.0);
    }
}
