//! A piece of cloth in a scene: its shape, place, material and what holds it.

use super::{
    color::Color,
    schema::{choice, kinds, section},
};

choice! {
    /// Which way the squares of a grid are cut into triangles.
    pub enum Diagonals {
        /// Neighbouring squares are cut in opposite directions.
        Alternating = "alternating",
        /// All squares are cut the same way.
        Same = "same",
    }
}

section! {
    /// A flat rectangle in the x–z plane, centred on the origin.
    pub struct GridShape {
        /// Width along x and depth along z.
        size: [f64; 2] = [1.0, 1.0], ["m"] above(0, 1000);
        /// Vertices along x and along z.
        vertices: [u32; 2] = [50, 50], within(2, 2_000_000);
        /// Which way the squares are cut into triangles.
        diagonals: Diagonals = Diagonals::Alternating;
    }
}

section! {
    /// A flat disc in the x–z plane, centred on the origin; ring k has 6·k vertices.
    pub struct DiscShape {
        /// Radius.
        radius: f64 = 0.5, ["m"] above(0, 1000);
        /// Rings of vertices round the middle one.
        rings: u32 = 25, within(1, 1154);
    }
}

section! {
    /// A long flat strip in the x–z plane, its length along x, centred on the origin.
    pub struct RibbonShape {
        /// Length along x.
        length: f64 = 1.0, ["m"] above(0, 1000);
        /// Width along z.
        width: f64 = 0.05, ["m"] above(0, 1000);
        /// Squares along the length and across the width.
        segments: [u32; 2] = [100, 5], within(1, 2_000_000);
    }
}

section! {
    /// A tube about the y axis, open at both ends, centred on the origin. Finite elements take it as bent round from a
    /// flat piece; the constraint model rests in the round.
    pub struct TubeShape {
        /// Radius.
        radius: f64 = 0.25, ["m"] above(0, 1000);
        /// Length along y.
        height: f64 = 1.0, ["m"] above(0, 1000);
        /// Squares round the axis and along it.
        segments: [u32; 2] = [60, 40], within(3, 2_000_000);
    }
}

section! {
    /// One of two ribbons that start tied loosely into a reef knot, which lies about the x–z plane with its middle at the
    /// origin. It starts unstrained, standing on edge.
    pub struct KnotShape {
        /// Which of the two: 1 has its ends on the −x side, 2 on the +x side.
        strand: u32 = 1, within(1, 2);
        /// Width of the ribbon.
        width: f64 = 0.04, ["m"] above(0, 1000);
        /// Size of the loops: their ends are 1.7 times as far from the middle.
        size: f64 = 0.15, ["m"] above(0, 1000);
        /// Length of the ends beyond the loop of the other ribbon. They start at x = ∓ (1.7 size + leg), y = ± 0.75 width, z =
        /// ± 0.4 size.
        leg: f64 = 0.3, ["m"] above(0, 1000);
        /// Squares along the ribbon and across it.
        segments: [u32; 2] = [200, 5], within(1, 2_000_000);
    }
}

section! {
    /// A triangle mesh from a file.
    pub struct FileShape {
        /// The mesh file, relative to the scene file; must be given.
        path: String = String::new();
        /// Factor on all its coordinates.
        scale: f64 = 1.0, above(0, 1_000_000.0);
    }
}

section! {
    /// A garment: drafted or read, sewn around a body and draped on it before the scene begins. Place and rotation are the
    /// body's, the grain is the pattern's; without a fabric it is made of what suits it.
    pub struct GarmentShape {
        /// What to draft (`t-shirt`, `trousers`, see `toile pattern draft --list`), or a pattern file (`pattern.toml`,
        /// `GarmentCode` or `FreeSewing` JSON, DXF, SVG) relative to the scene file.
        design: String = "t-shirt".to_owned();
        /// Size it is cut for, a letter (`XS` to `XXL`), a body's (`woman-38`, `child-128`) or that of a chart (`sizes.toml:M`); empty,
        /// made to measure. Of a DXF file, one of its sizes; empty, its sample size.
        size: String = String::new();
        /// Changed numbers of the draft, in metres or degrees, or as lengths with a unit: `["length = 60cm"]`.
        set: Vec<String> = Vec::new();
        /// Name of the body that wears it; empty, the first.
        wearer: String = String::new();
        /// Distance between vertices: 0.02 for drafts, 0.01 for results, 0.005 for fine ones.
        distance: f64 = 0.02, ["m"] within(0.001, 0.2);
    }
}

impl GarmentShape {
    /// What `set` says, as far as it has the form of a key, `=` and a number.
    pub fn settings(&self) -> impl Iterator<Item = (&str, f64)> {
        self.set.iter().filter_map(|text| setting(text))
    }
}

/// A key and a number, written as `key = 0.6`, `key = 60cm` or `key = 23.5in`; lengths become metres.
pub(super) fn setting(text: &str) -> Option<(&str, f64)> {
    let (key, value) = text.split_once('=')?;
    Some((key.trim(), toile_body::length::parse_signed(value).ok()?))
}

kinds! {
    /// The rest shape of a cloth before it is turned and put in place.
    pub enum ClothShape {
        /// A flat rectangle.
        Grid(GridShape) = "grid",
        /// A flat disc.
        Disc(DiscShape) = "disc",
        /// A long strip.
        Ribbon(RibbonShape) = "ribbon",
        /// A tube.
        Cylinder(TubeShape) = "cylinder",
        /// A ribbon of a knot.
        Knot(KnotShape) = "knot",
        /// A mesh from a file.
        File(FileShape) = "file",
        /// A garment on a body.
        Garment(GarmentShape) = "garment",
    }
}

impl ClothShape {
    /// Vertices the shape will have, or `None` when only its file or pattern can tell.
    pub fn vertex_count(&self) -> Option<u64> {
        match self {
            Self::Grid(grid) => Some(u64::from(grid.vertices[0]) * u64::from(grid.vertices[1])),
            Self::Disc(disc) => {
                let rings = u64::from(disc.rings);
                Some(1 + 3 * rings * (rings + 1))
            }
            Self::Ribbon(RibbonShape { segments, .. }) | Self::Knot(KnotShape { segments, .. }) => {
                Some((u64::from(segments[0]) + 1) * (u64::from(segments[1]) + 1))
            }
            Self::Cylinder(tube) => Some(u64::from(tube.segments[0]) * (u64::from(tube.segments[1]) + 1)),
            Self::File(_) | Self::Garment(_) => None,
        }
    }
}

section! {
    /// One point of the way a hold takes; straight lines and even turns in between.
    pub struct HoldKey {
        /// When.
        time: f64 = 0.0, ["s"] within(0, 100_000.0);
        /// How far from the starting place.
        offset: [f64; 3] = [0.0, 0.0, 0.0], ["m"] within(-10_000.0, 10_000.0);
        /// How far turned about the hold's axis, before it is moved by `offset`; counter-clockwise seen from the axis' tip.
        turns: f64 = 0.0, ["rev"] within(-10_000.0, 10_000.0);
    }
}

section! {
    /// Vertices that are held, chosen by number or by place, fixed or moved along a path.
    pub struct Hold {
        /// Numbers of the held vertices, from 0.
        vertices: Vec<u32> = Vec::new(), within(0, 4_000_000);
        /// Instead of numbers: hold the vertices that start near this point.
        near: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// How near is near.
        radius: f64 = 0.01, ["m"] above(0, 1000);
        /// Name of a body, or of an obstacle that is a mesh, to which the vertices are fastened: they follow the points of its
        /// surface that are nearest at the start, moved by the path on top. Empty, they are held in the air.
        fastened_to: String = String::new();
        /// When the vertices are let go; left out, never.
        until: Option<f64> = None, ["s"] within(0, 100_000.0);
        /// A point on the axis about which the hold turns.
        pivot: [f64; 3] = [0.0, 0.0, 0.0], ["m"] within(-10_000.0, 10_000.0);
        /// Direction of that axis, of any length but zero.
        axis: [f64; 3] = [0.0, 1.0, 0.0], within(-1_000_000.0, 1_000_000.0);
        /// The way the vertices take; empty, they stay in place.
        path: Vec<HoldKey> = Vec::new();
    }
}

section! {
    /// A seam: pairs of vertices pulled onto each other, by finite elements.
    pub struct Seam {
        /// Numbers of this cloth's vertices along the seam, from 0.
        from: Vec<u32> = Vec::new(), within(0, 4_000_000);
        /// Numbers of the vertices they are sewn to, as many.
        to: Vec<u32> = Vec::new(), within(0, 4_000_000);
        /// Name of the cloth that `to` belongs to; left empty, this one.
        to_cloth: String = String::new();
        /// How strongly a pair is pulled together.
        stiffness: f64 = 100.0, ["N/m"] above(0, 1_000_000.0);
    }
}

choice! {
    /// Pattern printed on the cloth in pictures.
    pub enum Pattern {
        /// One colour.
        Plain = "plain",
        /// Light and dark squares.
        Check = "check",
        /// Light and dark stripes.
        Stripes = "stripes",
    }
}

section! {
    /// A piece of cloth. A scene has at least one.
    pub struct Cloth {
        /// Name in reports and files; empty, `cloth-1`, `cloth-2` and so on.
        name: String = String::new();
        /// Where its origin is put.
        position: [f64; 3] = [0.0, 1.0, 0.0], ["m"] within(-10_000.0, 10_000.0);
        /// Rotation about the x, then y, then z axis of the world, before it is put in place.
        rotation_deg: [f64; 3] = [0.0, 0.0, 0.0], ["°"] within(-3600, 3600);
        /// What it is made of: a name from `toile fabric list` or a fabric file, relative to the scene file. Left empty,
        /// `cotton-poplin` for finite elements.
        fabric: String = String::new();
        /// Direction of the warp threads in the flat shape, from x towards z.
        grain_deg: f64 = 0.0, ["°"] within(-3600, 3600);
        /// Mass per area; left out, that of the fabric, or 0.2 without one.
        areal_density: Option<f64> = None, ["kg/m²"] above(0, 1000);
        /// Distance its middle surface keeps from that of cloth of the same thickness; left out, that of the fabric, or
        /// 0.003 without one. Between different cloths the mean counts.
        thickness: Option<f64> = None, ["m"] above(0, 10);
        /// Coefficient of friction with its like, and with obstacles and bodies that state none; left out, that of the fabric, or
        /// 0.3 without one. Where both sides state one, their geometric mean counts, unless `contact.pair` says otherwise.
        friction: Option<f64> = None, within(0, 10);
        /// Its place among cloths worn over each other: a lower number is nearer to the body.
        layer: u32 = 0, within(0, 100);
        /// Smallest ratio of an edge to its rest length (`d_min`); 1 resists all compression.
        stretch_min: f64 = 1.0, within(0, 10);
        /// Largest ratio of an edge to its rest length (`d_max`).
        stretch_max: f64 = 1.02, above(0, 10);
        /// Smallest ratio to the rest length between the far corners of two neighbouring triangles; 0 bends freely, 1 stays flat.
        bend_min: f64 = 0.89, within(0, 1);
        /// Colour in pictures.
        color: Color = Color([0xb0, 0x3a, 0x48]);
        /// Pattern in pictures.
        pattern: Pattern = Pattern::Plain;
        /// The rest shape.
        shape: ClothShape = ClothShape::Grid(GridShape::default());
        /// Overpressure of the gas inside; for closed cloth made of finite elements.
        pressure: f64 = 0.0, ["Pa"] within(-100_000.0, 100_000.0);
        /// What holds it.
        hold: Vec<Hold> = Vec::new();
        /// What it is sewn to.
        seam: Vec<Seam> = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertex_counts_of_small_shapes() {
        // A hexagon with its middle, and the next ring of twelve.
        assert_eq!(ClothShape::Disc(DiscShape { rings: 1, radius: 1.0 }).vertex_count(), Some(7));
        assert_eq!(ClothShape::Disc(DiscShape { rings: 2, radius: 1.0 }).vertex_count(), Some(19));
        let ribbon = RibbonShape { segments: [3, 1], ..RibbonShape::default() };
        assert_eq!(ClothShape::Ribbon(ribbon).vertex_count(), Some(8));
        let tube = TubeShape { segments: [3, 1], ..TubeShape::default() };
        assert_eq!(ClothShape::Cylinder(tube).vertex_count(), Some(6));
        let huge = GridShape { vertices: [u32::MAX, u32::MAX], ..GridShape::default() };
        assert_eq!(ClothShape::Grid(huge).vertex_count(), Some(u64::from(u32::MAX).pow(2)));
    }
}
