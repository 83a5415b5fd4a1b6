//! What can be wrong with a pattern: [`Fault`], with panel, edge and seam, the reason and the remedy.

use std::fmt;

use thiserror::Error;

/// What is wrong.
#[derive(Clone, PartialEq, Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A coordinate is not finite, or further than a hundred metres away.
    #[error("a coordinate is not a finite number within 100 m")]
    Coordinate,
    /// Too many panels, edges, seams or points.
    #[error("{count} {what}, at most {limit} are taken")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many are taken.
        limit: usize,
    },
    /// The outline does not end where it began.
    #[error("the outline is open: a gap of {:.2} mm before this edge", 1e3 * gap)]
    Open {
        /// Width of the gap [m].
        gap: f64,
    },
    /// Too few edges or no area.
    #[error("the outline encloses no cloth")]
    Empty,
    /// The outline crosses or touches itself or another.
    #[error("the outline meets edge `{other}` at ({:.1}, {:.1}) mm", 1e3 * at[0], 1e3 * at[1])]
    Crossing {
        /// The other edge.
        other: String,
        /// Where [m].
        at: [f64; 2],
    },
    /// A corner of the cloth too sharp to mesh.
    #[error("the corner at the start of this edge has {degrees:.2}°, less than 3°")]
    SharpCorner {
        /// Its angle in degrees.
        degrees: f64,
    },
    /// Two names are the same, or one is missing.
    #[error("the name `{name}` is empty or used twice")]
    Name {
        /// The name.
        name: String,
    },
    /// A hole that is not inside the outline.
    #[error("the hole is not inside the outline")]
    HoleOutside,
    /// An edge of a seam is not there.
    #[error("there is no edge `{edge}`")]
    MissingEdge {
        /// The edge that was named.
        edge: String,
    },
    /// A seam without an edge on one side.
    #[error("the seam has no edge on one side")]
    EmptySeam,
    /// An edge is sewn twice.
    #[error("edge `{edge}` is in two seams, here and in `{other}`")]
    SewnTwice {
        /// The edge.
        edge: String,
        /// The other seam.
        other: String,
    },
    /// Lengths differ too much.
    #[error("the sides are {:.1} mm and {:.1} mm long, 1 : {:.2}", 1e3 * a, 1e3 * b, b / a)]
    Lengths {
        /// Length of chain a [m].
        a: f64,
        /// Length of chain b [m].
        b: f64,
    },
    /// Lengths are not in the ratio that the seam states.
    #[error("the sides are 1 : {found:.3} long, the seam says 1 : {stated:.3}")]
    Ratio {
        /// As found.
        found: f64,
        /// As stated.
        stated: f64,
    },
    /// A chain whose edges do not follow each other.
    #[error("edges `{first}` and `{second}` of a chain do not follow each other")]
    BrokenChain {
        /// An edge.
        first: String,
        /// The one listed after it.
        second: String,
    },
    /// A seam that turns a panel inside out.
    #[error("the seam is sewn in the wrong direction and turns a panel inside out")]
    ReversedStitch,
    /// A seam whose sides are listed from unlike ends, and that makes no garment when one is turned round.
    #[error(
        "its sides are listed from unlike ends; with one turned round, the garment has {found} borders instead of {rims}"
    )]
    WrongBorders {
        /// Borders that would be left.
        found: usize,
        /// Borders that a garment of these parts has.
        rims: &'static str,
    },
    /// The fold is not a straight edge.
    #[error("the fold is not a straight edge")]
    CurvedFold,
    /// The fold is sewn.
    #[error("edge `{edge}` is the fold and cannot be sewn")]
    SewnFold {
        /// The fold.
        edge: String,
    },
    /// A seam of a panel that is cut once with one that is doubled.
    #[error("the seam joins a panel that is cut once to one on the fold or cut as a pair")]
    HalfDoubledSeam,
    /// A notch, line or setting out of range.
    #[error("{what} is out of range")]
    Range {
        /// What.
        what: &'static str,
    },
    /// Two points of the outline are the same.
    #[error("the edge is {:.4} mm long", 1e3 * length)]
    DuplicatePoint {
        /// Its length [m].
        length: f64,
    },
    /// The outline runs clockwise.
    #[error("the outline runs clockwise, or a hole counter-clockwise")]
    Clockwise,
    /// A hole too small to matter.
    #[error("the hole has {:.3} mm² only", 1e6 * area)]
    TinyHole {
        /// Its area [m²].
        area: f64,
    },
    /// The grainline has no length.
    #[error("the grainline has no length")]
    Grain,
    /// A word that has a new spelling.
    #[error("`{key} = \"{old}\"` is an old spelling of \"{new}\"")]
    OldWord {
        /// Its key.
        key: &'static str,
        /// As it is written.
        old: String,
        /// As it should be.
        new: &'static str,
    },
}

impl Problem {
    /// What is done about it where it does no harm; `None` where the pattern is refused.
    pub fn repair(&self) -> Option<&'static str> {
        match self {
            Self::DuplicatePoint { .. } => Some("the edge was left out"),
            Self::Clockwise => Some("it was listed backwards"),
            Self::TinyHole { .. } => Some("it was left out"),
            Self::ReversedStitch => Some("one side of the seam was turned round"),
            Self::Grain => Some("it was drawn vertically"),
            Self::OldWord { .. } => Some("it was read as that"),
            _ => None,
        }
    }

    /// How to mend it in the pattern.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Coordinate => "check the unit of the file",
            Self::TooMany { .. } => "simplify the pattern, or split it into several",
            Self::Open { .. } => "let each edge start where the one before it ends",
            Self::Empty => "draw an outline of two edges or more",
            Self::Crossing { .. } => "move one of the edges, or their control points",
            Self::SharpCorner { .. } => "blunt the corner by a short edge",
            Self::Name { .. } => "give every panel, and every edge of a panel, a name of its own",
            Self::HoleOutside => "move the hole into the panel",
            Self::MissingEdge { .. } => "correct the name, or draw the edge",
            Self::EmptySeam => "list at least one edge on either side",
            Self::SewnTwice { .. } => "split the edge, or leave one seam out",
            Self::Lengths { .. } => "correct the lengths, or state a `ratio` for easing or gathering",
            Self::Ratio { .. } => "correct the lengths, or the `ratio` of the seam",
            Self::BrokenChain { .. } => "list the edges in the order in which they are sewn",
            Self::ReversedStitch => "exchange the ends of one side",
            Self::WrongBorders { .. } => {
                "list both sides from their common start, or each pair of edges as a seam of its own"
            }
            Self::CurvedFold => "fold along a straight edge",
            Self::SewnFold { .. } => "leave the fold out of the seams",
            Self::HalfDoubledSeam => "draw both on the fold or as pairs, or draw the whole pattern",
            Self::Range { .. } => "correct the value",
            Self::DuplicatePoint { .. } => "leave one of the points out",
            Self::Clockwise => "list the edges counter-clockwise, those of holes clockwise",
            Self::TinyHole { .. } => "draw a drill hole as a mark",
            Self::Grain => "give the grainline two different ends",
            Self::OldWord { .. } => "write the new word",
        }
    }
}

/// Something wrong, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// What.
    pub problem: Problem,
    /// The panel, if it is in one.
    pub panel: Option<String>,
    /// The edge of the panel, if it is at one.
    pub edge: Option<String>,
    /// The seam, if it is in one.
    pub seam: Option<String>,
}

impl Fault {
    /// A fault of the pattern as a whole.
    pub fn new(problem: Problem) -> Self {
        Self { problem, panel: None, edge: None, seam: None }
    }

    /// The fault, at an edge of a panel; an empty name for none.
    #[must_use]
    pub fn on(mut self, panel: &str, edge: &str) -> Self {
        self.panel = Some(panel.to_owned());
        self.edge = (!edge.is_empty()).then(|| edge.to_owned());
        self
    }

    /// The fault, in a seam.
    #[must_use]
    pub fn in_seam(mut self, seam: &str) -> Self {
        self.seam = Some(seam.to_owned());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seam) = &self.seam {
            write!(f, "seam `{seam}`: ")?;
        }
        if let Some(panel) = &self.panel {
            write!(f, "panel `{panel}`")?;
            if let Some(edge) = &self.edge {
                write!(f, ", edge `{edge}`")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.problem)?;
        match self.problem.repair() {
            Some(repair) => write!(f, "; {repair}"),
            None => write!(f, "; {}", self.problem.help()),
        }
    }
}

/// A pattern that cannot be used: everything found wrong with it.
#[derive(Clone, PartialEq, Debug)]
pub struct PatternError {
    /// What is wrong, at least one.
    pub faults: Vec<Fault>,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for PatternError {}

impl From<Vec<Fault>> for PatternError {
    fn from(faults: Vec<Fault>) -> Self {
        Self { faults }
    }
}
