//! Patterns as SVG: written to be sewn from, read from drawing and drafting programs.
//!
//! **Written**: [`to_svg`]. A user unit is a millimetre, so that a print at 100 % can be cut out. Each piece is a group of its
//! name, also a layer of Inkscape, with lines of the classes `cut`, `sew`, `dart`, `inner`, `notch`, `mark`, `grain` and `fold`.
//! The attribute `data-edges` of a sew line names its edges with their numbers of curves; `data-warp` of a group is the angle of the warp on
//! the panel in degrees.
//!
//! **Read**: [`from_svg`]. Drawings know shapes, not panels; this is what they are taken for:
//!
//! | in the drawing | here |
//! |---|---|
//! | width and height with units, `viewBox`, transforms, `use`, nested groups | lengths in metres, y up |
//! | closed shapes, or open ones that meet end to end | outlines; corners above 20° part their edges |
//! | one outline around another, everywhere nearer than 6 cm | cut line and sew line: the inner one is read |
//! | class `sa` (`FreeSewing`), `cut`, or a name with "allowance" or "cut line" | cut lines: not read |
//! | other loops of the same path, or a name with "hole" or "cutout" | holes |
//! | `use` of `#notch`, `#bnotch`; shapes with "notch" in their name or class | notches, one or two |
//! | a line with "grain" in its name, class or markers | grainline |
//! | a line with "fold" in its name, class or markers | the straight edge that its ends lie on is the fold |
//! | other lines in an outline | internal lines |
//! | texts "cut 2", "on fold" | pairs, number of pieces, folds |
//! | names of shapes, layers and groups | names, parts and sides of panels |
//!
//! Not read: hidden shapes, other texts, images, clip paths, and shapes named as grids, frames, titles, logos or scale boxes. A square of a
//! usual side without a name is a test square. What was assumed is listed in the notes.
//!
//! Seams come from a side file, or are proposed.

mod document;
mod elements;
mod outline;
mod path;
mod read;
mod roles;
mod style;
mod write;

pub use read::{SvgOptions, from_svg, load};
pub use write::to_svg;
