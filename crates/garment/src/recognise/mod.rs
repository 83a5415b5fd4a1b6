//! [`recognise`]: what drawn pieces are, and how they lie when they are worn.
//!
//! Industry files carry shapes and names. From both, each piece gets its part, its side, how it is cut, and the turn that its
//! grainline and its shape ask for:
//!
//! 1. `words` reads names, categories and annotations; what is not worn as a panel of its own is left out.
//! 2. `stretch` cuts outlines into sides, and `template` lays these onto the sides that pieces have, turned and mirrored. Words and
//!    shape are two witnesses: words choose among templates, shapes decide where words are silent.
//! 3. `cut` decides between fold, pair and single piece, from quantities, fold lines and pieces that mirror each other.
//! 4. `pose` turns and moves the piece to where the placement expects it, and names edges after what they are.
//!
//! Everything that was assumed is said in the notes.

mod arcs;
mod band;
mod cut;
mod ears;
mod identify;
mod pose;
mod sector;
pub(crate) mod stretch;
pub(crate) mod template;
pub(crate) mod words;

use kurbo::Point;

use crate::pattern::{Cut, Mark, Panel};
use crate::role::{Part, Side};

pub(crate) use cut::replace_run;
use identify::Identity;
pub(crate) use pose::NAMELESS;
use stretch::Outline;
use template::{Fit, Role, Shape, fit};
use words::{Idea, ideas};

/// A piece as it is drawn, with what the file says of it.
pub(crate) struct Drawn {
    /// The outline and all that is drawn on it, in metres, turned as in the file.
    pub(crate) panel: Panel,
    /// Category, as `BACK`.
    pub(crate) category: String,
    /// Annotations in free words.
    pub(crate) annotation: String,
    /// Quantity, as `1,1`.
    pub(crate) quantity: String,
    /// Whether the file draws a grainline.
    pub(crate) has_grain: bool,
    /// The edge on the fold, if the file draws one.
    pub(crate) fold: Option<usize>,
    /// Whether the file draws a fold line inside the piece: it is drawn whole.
    pub(crate) is_unfolded: bool,
}

impl Drawn {
    /// The panel with what the file states of it, neither turned nor moved.
    pub(crate) fn into_panel(self) -> Panel {
        let is_pair = cut::is_left_and_right(&self.quantity);
        let mut panel = self.panel;
        if let Some(edge) = self.fold {
            panel.cut = Cut::Fold(panel.outline[edge].name.clone());
        } else if is_pair {
            panel.cut = Cut::Pair;
        }
        panel.part = Part::from_word(&self.category).unwrap_or(Part::Other);
        panel
    }
}

/// Pieces as they are worn.
pub(crate) struct Recognised {
    pub(crate) panels: Vec<Panel>,
    pub(crate) notes: Vec<String>,
}

/// A piece on its way.
struct Piece {
    drawn: Drawn,
    ideas: Vec<Idea>,
    identity: Option<Identity>,
}

/// What pieces are. `style` is the name of the style, which may say what kind of garment it is.
pub(crate) fn recognise(drawn: Vec<Drawn>, style: &str) -> Recognised {
    let mut notes = Vec::new();
    // A fly is sewn into trousers, even where it is no panel of its own.
    let has_fly = drawn.iter().any(|piece| ideas(&piece.panel.name).contains(&Idea::Aside("fly")));
    let pieces_said = if has_fly { vec![Idea::Legs] } else { Vec::new() };
    let mut pieces = worn(drawn, &mut notes);
    for piece in &mut pieces {
        cut_ears(&mut piece.drawn, &mut notes);
    }
    part_round_skirt(&mut pieces, &mut notes);
    let mut kind = ideas(style);
    kind.extend(pieces_said);
    identify::identify(&mut pieces, &kind, &mut notes);
    let mut panels = cut::cut(pieces, &mut notes);
    leave_doubles(&mut panels, &mut notes);
    pose::sleeves(&mut panels, &mut notes);
    pose::legs(&mut panels);
    band::settle(&mut panels, &mut notes);
    for panel in &mut panels {
        arcs::find(panel);
        restore_grain(panel);
    }
    Recognised { panels, notes }
}

/// Cuts pockets off that are grown onto a side.
fn cut_ears(drawn: &mut Drawn, notes: &mut Vec<String>) {
    let fold = drawn.fold.and_then(|edge| drawn.panel.outline.get(edge)).map(|edge| edge.name.clone());
    if ears::cut_off(&mut drawn.panel) > 0 {
        drawn.fold = fold.and_then(|name| drawn.panel.find(&name));
        notes.push(format!("piece `{}` has a pocket grown onto its side; it was cut off", drawn.panel.name));
    }
}

/// Keeps one collar, and one band or cuff for each place: others are sewn onto these and not onto the garment.
fn leave_doubles(panels: &mut Vec<Panel>, notes: &mut Vec<String>) {
    // The stand of a collar is what is sewn to the neck.
    let is_stand =
        |panel: &Panel| words::split(&panel.name).iter().any(|word| word.contains("STAND") || word.contains("STEG"));
    let place = |panel: &Panel| {
        let said = ideas(&panel.name);
        (panel.part, panel.side, said.contains(&Idea::Front), said.contains(&Idea::Back))
    };
    let is_band = |panel: &Panel| matches!(panel.part, Part::Collar | Part::Waistband | Part::Cuff);
    let mut kept: Vec<Panel> = Vec::new();
    for panel in panels.drain(..) {
        let other = kept.iter().position(|other| is_band(&panel) && place(other) == place(&panel));
        let gone = match other {
            Some(i) if is_stand(&panel) && !is_stand(&kept[i]) => std::mem::replace(&mut kept[i], panel),
            Some(_) => panel,
            None => {
                kept.push(panel);
                continue;
            }
        };
        notes.push(format!("piece `{}` was left out: another {} is sewn on in its place", gone.name, gone.part.word()));
    }
    *panels = kept;
}

/// Pieces that are worn as panels; the others are left out, and that is said.
fn worn(drawn: Vec<Drawn>, notes: &mut Vec<String>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut aside = Vec::new();
    for drawn in drawn {
        let mut found = ideas(&drawn.panel.name);
        let category = ideas(&drawn.category);
        // The category says more where the name is only a number.
        let has_part = found.iter().any(|idea| identify::is_part(*idea));
        found.extend(category.into_iter().filter(|idea| !has_part || !identify::is_part(*idea)));
        let fabric = ideas(&drawn.panel.fabric);
        // What is written on a piece says which part it is where its name and category do not.
        let is_nameless = !found.iter().any(|idea| identify::is_part(*idea));
        let counts = |idea: &Idea| matches!(idea, Idea::Fold | Idea::Pair) || (is_nameless && identify::is_part(*idea));
        found.extend(ideas(&drawn.annotation).into_iter().filter(counts));
        found.extend(ideas(&drawn.quantity).into_iter().filter(|idea| matches!(idea, Idea::Fold | Idea::Pair)));
        let is_aside = |ideas: &[Idea]| {
            ideas.iter().find_map(|idea| if let Idea::Aside(what) = idea { Some(*what) } else { None })
        };
        match is_aside(&found).or(is_aside(&fabric)) {
            Some(what) => aside.push((drawn, found, what)),
            None => pieces.push(Piece { drawn, ideas: found, identity: None }),
        }
    }
    // A file of nothing but linings is a garment all the same.
    if pieces.is_empty() {
        return aside.into_iter().map(|(drawn, ideas, _)| Piece { drawn, ideas, identity: None }).collect();
    }
    for (drawn, _, what) in aside {
        notes.push(format!(
            "piece `{}` is a {what} and was left out: only panels that are worn are sewn",
            drawn.panel.name
        ));
    }
    pieces
}

/// Cuts a skirt of one piece that goes all the way around into front and back, each on the fold, so that it can be laid around a body.
fn part_round_skirt(pieces: &mut Vec<Piece>, notes: &mut Vec<String>) {
    let is_band =
        |piece: &Piece| [Idea::Waistband, Idea::Collar, Idea::Cuff].iter().any(|idea| piece.ideas.contains(idea));
    let mut skirts = (0..pieces.len()).filter(|i| !is_band(&pieces[*i]));
    let (Some(i), None) = (skirts.next(), skirts.next()) else { return };
    let drawn = &pieces[i].drawn;
    let is_once =
        cut::is_once(&drawn.quantity) && !pieces[i].ideas.iter().any(|idea| matches!(idea, Idea::Cape | Idea::Pair));
    let is_half = drawn.fold.is_none() && pieces[i].ideas.contains(&Idea::Fold);
    let Some([front, back]) = sector::parted(&drawn.panel, drawn.fold).filter(|_| is_once && !is_half) else { return };
    let [front, back] = [front, back].map(|panel| with_true_grain(panel, drawn.panel.grain));
    notes.push(format!(
        "piece `{}` goes all the way around; it was cut into front and back, sewn at the sides instead of its one seam",
        drawn.panel.name
    ));
    let piece = |panel: Panel, idea: Idea| Piece {
        drawn: Drawn {
            panel,
            category: String::new(),
            annotation: String::new(),
            quantity: "1".to_owned(),
            has_grain: true,
            fold: Some(0),
            is_unfolded: false,
        },
        ideas: vec![Idea::Skirt, idea],
        identity: None,
    };
    pieces[i] = piece(front, Idea::Front);
    pieces.push(piece(back, Idea::Back));
}

/// Names of two marks that keep the grainline of a panel whose `grain` says which way is up.
const TRUE_GRAIN: [&str; 2] = ["true grain 1", "true grain 2"];

fn with_true_grain(mut panel: Panel, grain: [Point; 2]) -> Panel {
    panel.marks.extend(TRUE_GRAIN.iter().zip(grain).map(|(name, at)| Mark { name: (*name).to_owned(), at }));
    panel
}

/// Gives panels back the grainline that their marks keep.
fn restore_grain(panel: &mut Panel) {
    let at = |name: &str| panel.marks.iter().find(|mark| mark.name == name).map(|mark| mark.at);
    if let [Some(from), Some(to)] = TRUE_GRAIN.map(at) {
        panel.grain = [from, to];
        panel.marks.retain(|mark| !TRUE_GRAIN.contains(&mark.name.as_str()));
    }
}

/// What the edges of the outline of a panel are, given its part, its cut and that it lies as it is worn. `None` for legs of darts, and
/// for panels without a template.
pub(crate) fn roles(panel: &Panel, outline: &Outline) -> Vec<Option<Role>> {
    if matches!(panel.part, Part::SkirtFront | Part::SkirtBack)
        && let Some(sector) = sector::sector(panel)
    {
        return sector.roles(panel);
    }
    let is_whole = panel.cut == Cut::Single && panel.side == Side::Both;
    let suits = |shape: &Shape| match panel.cut {
        Cut::Fold(_) => shape.is_half(),
        Cut::Single | Cut::Pair => !is_whole || !shape.is_half(),
    };
    let shapes: Vec<Shape> = Shape::of(panel.part).iter().copied().filter(suits).collect();
    roles_among(panel, outline, &shapes)
}

/// The same for a panel that has one of some shapes.
fn roles_among(panel: &Panel, outline: &Outline, shapes: &[Shape]) -> Vec<Option<Role>> {
    let mut roles = vec![None; panel.outline.len()];
    // The fold is the centre, whatever else is likely.
    let fold = if let Cut::Fold(name) = &panel.cut { panel.find(name) } else { None };
    let off_centre = |fit: &Fit| {
        let on = |k: usize| fold.is_some_and(|fold| outline.stretches[k].edges.contains(&fold));
        let is_off = fold.is_some() && !(0..fit.roles.len()).any(|k| on(k) && fit.roles[k] == Role::Centre);
        if is_off { 1.0 } else { 0.0 }
    };
    let Some((fit, mirrored)) = best(outline, shapes, &off_centre) else { return roles };
    let laid = if mirrored { outline.mirrored() } else { outline.clone() };
    for (stretch, role) in laid.stretches.iter().zip(&fit.roles) {
        for edge in &stretch.edges {
            roles[*edge] = Some(*role);
        }
    }
    // The sewn side of a cuff is its upper one.
    if panel.part == Part::Cuff {
        for role in roles.iter_mut().flatten() {
            *role = match *role {
                Role::Sewn => Role::Free,
                Role::Free => Role::Sewn,
                other => other,
            };
        }
    }
    roles
}

/// The template of least cost among some, and whether the outline lies on it mirrored.
fn best(outline: &Outline, shapes: &[Shape], extra: &dyn Fn(&Fit) -> f64) -> Option<(Fit, bool)> {
    let mut best: Option<(Fit, bool)> = None;
    let mirrored = outline.mirrored();
    for shape in shapes {
        for (laid, is_mirrored) in [(outline, false), (&mirrored, true)] {
            if let Some(mut found) = fit(laid, *shape) {
                if is_mirrored {
                    // Roles in the order of the outline as it is.
                    found.roles.reverse();
                }
                found.cost += extra(&found);
                if is_mirrored {
                    found.roles.reverse();
                }
                if best.as_ref().is_none_or(|(other, _)| found.cost < other.cost - 1e-9) {
                    best = Some((found, is_mirrored));
                }
            }
        }
    }
    best
}
