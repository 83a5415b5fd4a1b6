//! Scissors of a scene: cloth that is cut while it is simulated.

use super::schema::section;

section! {
    /// A cut through a cloth that is flat at rest or a panel of a garment, made where the first frame begins at or after its time. Its mesh is split
    /// along the path from the start. What lies on both sides of the path comes apart, by a kerf of half a millimetre; where the
    /// path ends inside the cloth, its tip holds. Seams of a garment hold as well: a cut that reaches one ends there.
    pub struct Scissors {
        /// Name of the cloth; must be given.
        cloth: String = String::new();
        /// The panel of a garment that is cut, by its name in its pattern, which of a pair ends in `_left` or `_right`; empty for
        /// other cloth. Flat points are then places on that panel as it is drawn, x to the right and y up.
        panel: String = String::new();
        /// When.
        at: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// The way of the scissors: points in the flat shape of the cloth, x and z, or on its panel, joined by straight lines. An end on the
        /// border or outside opens it; a path that ends where it began cuts a piece out.
        path: Vec<[f64; 2]> = Vec::new(), ["m"] within(-10_000.0, 10_000.0);
        /// Instead of a path: points in space. The path goes through the points of the cloth that are nearest to them where it
        /// starts, straight in the flat shape.
        through: Vec<[f64; 3]> = Vec::new(), ["m"] within(-10_000.0, 10_000.0);
        /// A point, x and z, of the piece of cloth that is taken away with the cut; left out, all pieces stay. Without a path, the
        /// piece of an earlier cut.
        remove: Option<[f64; 2]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// Instead of all these: whether the whole panel is unpicked from its seams and taken away.
        remove_panel: bool = false;
    }
}
