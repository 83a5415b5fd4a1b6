//! A pattern to be sewn from: seam allowances, notches, labels, on sheets of paper at full size.
//!
//! - [`Allowances`], [`EdgeKind`]: how much cloth is cut beyond each edge; [`edge_kinds`] tells what an edge is.
//! - [`matched_notches`]: notches that meet when a seam is sewn.
//! - [`Piece`]: all that is drawn of a panel; [`pieces`] makes them.
//! - [`to_pdf`]: pages of A4 or Letter to be glued together, or one large sheet. [`crate::svg::to_svg`] and
//!   [`crate::dxf::to_dxf_with_allowances`] write the same pieces.
//!
//! Pieces are turned so that their grainlines run along the sheet, and laid out without overlap. Sheets are in millimetres, y down.

mod allowance;
mod drawing;
mod labels;
mod layout;
mod letters;
mod notch;
mod offset;
mod pages;
mod pdf;
mod piece;

pub use allowance::{Allowances, EdgeKind, WIDEST, edge_kinds};
pub(crate) use drawing::{Anchor, Drawing, Group, Item, Style, on_one_sheet};
pub use notch::matched_notches;
pub use pages::to_pdf;
pub use piece::{CutNotch, Piece, SewnEdge, pieces};

use crate::role::words;

words! {
    /// Paper of a printed pattern.
    Paper {
        /// Pages of 210 mm × 297 mm, to be glued together.
        A4 = "a4",
        /// Pages of 8.5 in × 11 in, to be glued together.
        Letter = "letter",
        /// One sheet: A0 if everything fits on it, else as large as needed.
        Sheet = "sheet",
    }
}

/// How a pattern is drawn to be sewn from.
#[derive(Clone, PartialEq, Debug)]
pub struct SheetOptions {
    /// Seam allowances.
    pub allowances: Allowances,
    /// The size that is written on every piece; empty for none.
    pub size: String,
    /// The paper of a PDF.
    pub paper: Paper,
}

impl Default for SheetOptions {
    fn default() -> Self {
        Self { allowances: Allowances::default(), size: String::new(), paper: Paper::A4 }
    }
}

/// Why a pattern cannot be drawn to be sewn from.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SheetError {
    /// An allowance out of range.
    #[error("an allowance of {:.1} mm for `{what}` is out of range; choose 0 to {:.0} mm", 1e3 * width, 1e3 * WIDEST)]
    Width {
        /// The kind of edge, or the edge.
        what: String,
        /// The allowance [m].
        width: f64,
    },
    /// An allowance for an edge that is not there.
    #[error("there is no edge `{edge}` to give an allowance; name it as `panel.edge`")]
    MissingEdge {
        /// The edge that was named.
        edge: String,
    },
    /// The cut line cannot be drawn.
    #[error(
        "panel `{panel}`: its outline cannot be widened by these allowances; make them narrower, or leave them out"
    )]
    Outline {
        /// The panel.
        panel: String,
    },
    /// A piece is larger than any page.
    #[error(
        "panel `{panel}` is {:.2} m long, and a page at most {:.2} m; print it on A4 or Letter, or write SVG",
        length,
        most
    )]
    TooLong {
        /// The panel.
        panel: String,
        /// Its length [m].
        length: f64,
        /// The longest page [m].
        most: f64,
    },
}
