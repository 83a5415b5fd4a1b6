//! Which part a piece is and how it is turned: words choose templates, shapes decide.

use std::f64::consts::{FRAC_PI_2, PI};

use kurbo::{Affine, Vec2};

use super::sector::sector;
use super::stretch::Outline;
use super::template::{Role, Shape};
use super::words::Idea;
use super::{Piece, best};
use crate::role::Part;

/// What is known of a piece.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) part: Part,
    pub(super) shape: Option<Shape>,
    /// Turn from the drawing to the way it is worn [rad], counter-clockwise.
    pub(super) angle: f64,
    /// Whether it lies on its template as in a mirror: a half with its centre at the greater x.
    pub(super) mirrored: bool,
    pub(super) cost: f64,
}

/// Greatest width of a band that no word names [m].
const WIDEST_BAND: f64 = 0.16;
/// Cost above which a shape contradicts its name.
const CONTRADICTS: f64 = 0.42;
/// Cost of turns that the grainline does not ask for, and of standing on the head along it.
const OFF_GRAIN: f64 = 0.06;
const HEAD_DOWN: f64 = 0.01;
/// Cost of a skirt or a leg whose darts are at the hem.
const DARTS_AT_HEM: f64 = 0.3;
/// Cost of a fold that is not the centre.
const NO_CENTRE: f64 = 0.5;

/// Whether an idea says which part a piece is.
pub(super) fn is_part(idea: Idea) -> bool {
    !matches!(idea, Idea::Left | Idea::Right | Idea::Fold | Idea::Pair | Idea::Top)
}

/// Kinds of garments that a plain front or back may belong to.
const KINDS: [(&[Shape], [Part; 2], &str); 3] = [
    (&[Shape::TopHalf, Shape::TopWhole, Shape::LowHalf, Shape::LowWhole], [Part::Front, Part::Back], "a top"),
    (&[Shape::SkirtHalf, Shape::SkirtWhole], [Part::SkirtFront, Part::SkirtBack], "a skirt"),
    (&[Shape::Leg], [Part::LegFront, Part::LegBack], "trousers"),
];

/// Finds out what all pieces are.
pub(super) fn identify(pieces: &mut [Piece], style: &[Idea], notes: &mut Vec<String>) {
    let kind = kind(pieces, style);
    for piece in pieces.iter_mut() {
        let says = |idea: Idea| piece.ideas.contains(&idea);
        let back = says(Idea::Back);
        let (shapes, part): (&[Shape], Part) = if says(Idea::Cape) {
            (&[], Part::Cape)
        } else if says(Idea::Cuff) {
            (Shape::of(Part::Cuff), Part::Cuff)
        } else if says(Idea::Waistband) {
            (Shape::of(Part::Waistband), Part::Waistband)
        } else if says(Idea::Collar) {
            (Shape::of(Part::Collar), Part::Collar)
        } else if says(Idea::Sleeve) {
            (Shape::of(Part::Sleeve), Part::Sleeve)
        } else if says(Idea::Yoke) {
            (&[Shape::YokeHalf, Shape::YokeWhole], if says(Idea::Front) && !back { Part::Front } else { Part::Back })
        } else if says(Idea::Skirt) && (says(Idea::Front) || back) {
            (Shape::of(Part::SkirtFront), if back { Part::SkirtBack } else { Part::SkirtFront })
        } else if says(Idea::Legs) && (says(Idea::Front) || back) {
            (Shape::of(Part::LegFront), if back { Part::LegBack } else { Part::LegFront })
        } else if says(Idea::Side) {
            let parts = KINDS[kind].1;
            let shapes: &[Shape] = if kind == 0 { &[Shape::SidePanel] } else { KINDS[kind].0 };
            (shapes, if back { parts[1] } else { parts[0] })
        } else if says(Idea::Front) || back {
            (KINDS[kind].0, KINDS[kind].1[usize::from(back)])
        } else {
            (&Shape::ALL, Part::Other)
        };
        let name = piece.drawn.panel.name.clone();
        // Without a word for it, only a long strip is a band, and nothing is a side panel.
        let is_strip = is_strip(&piece.drawn.panel);
        let is_likely =
            |shape: &Shape| part != Part::Other || (*shape != Shape::SidePanel && (is_strip || !shape.is_band()));
        let likely: Vec<Shape> = shapes.iter().copied().filter(is_likely).collect();
        let shapes = likely.as_slice();
        let turned = search(piece, shapes);
        let (identity, part) = match turned {
            Some(found) if part == Part::Other => {
                let by_shape = part_of(found.shape);
                if by_shape != Part::Other {
                    notes.push(format!(
                        "piece `{name}` says nothing of its part; its shape is that of a {}",
                        by_shape.word()
                    ));
                }
                (found, by_shape)
            }
            Some(found) => (found, part),
            None => (lying(piece), part),
        };
        let part = if part == Part::Other && !piece.drawn.panel.holes.is_empty() { Part::Cape } else { part };
        if identity.shape.is_some() && part != Part::Other && identity.cost > CONTRADICTS {
            notes.push(format!(
                "piece `{name}` is called a {} but has an unusual shape (cost {:.2}); check its seams",
                part.word(),
                identity.cost
            ));
        }
        piece.identity = Some(Identity { part, ..identity });
    }
    fronts_and_backs(pieces, notes);
}

/// Whether a panel is long and narrow enough to be a waistband, a collar or a cuff.
fn is_strip(panel: &crate::pattern::Panel) -> bool {
    let bounds = panel.bounds();
    let (long, short) = (bounds.width().max(bounds.height()), bounds.width().min(bounds.height()));
    short < WIDEST_BAND && long > 2.5 * short
}

/// The kind of garment that plain fronts and backs belong to.
fn kind(pieces: &[Piece], style: &[Idea]) -> usize {
    let mut sums = [0.0_f64; 3];
    for piece in pieces {
        let says = |idea: Idea| piece.ideas.contains(&idea);
        let plain = (says(Idea::Front) || says(Idea::Back))
            && ![
                Idea::Skirt,
                Idea::Legs,
                Idea::Sleeve,
                Idea::Collar,
                Idea::Cuff,
                Idea::Waistband,
                Idea::Yoke,
                Idea::Side,
            ]
            .into_iter()
            .any(says);
        if plain {
            for (sum, (shapes, ..)) in sums.iter_mut().zip(&KINDS) {
                *sum += search(piece, shapes).map_or(1.0, |identity| identity.cost.min(1.0));
            }
        }
        if [Idea::Sleeve, Idea::Collar, Idea::Yoke, Idea::Top].into_iter().any(says) {
            sums[0] -= 0.3;
        }
        if says(Idea::Skirt) {
            sums[1] -= 0.3;
        }
        if says(Idea::Legs) {
            sums[2] -= 0.3;
        }
        if says(Idea::Waistband) {
            sums[0] += 0.1;
        }
    }
    // Cuffs without sleeves are those of trousers.
    let has = |idea: Idea| pieces.iter().any(|piece| piece.ideas.contains(&idea));
    if has(Idea::Cuff) && !has(Idea::Sleeve) {
        sums[2] -= 0.2;
    }
    for (sum, idea) in sums.iter_mut().zip([Idea::Top, Idea::Skirt, Idea::Legs]) {
        *sum -= if style.contains(&idea) { 0.3 } else { 0.0 };
    }
    (0..3).min_by(|a, b| sums[*a].total_cmp(&sums[*b])).unwrap_or(0)
}

/// The part that a shape alone tells of.
fn part_of(shape: Option<Shape>) -> Part {
    match shape {
        Some(Shape::Sleeve | Shape::RaglanSleeve) => Part::Sleeve,
        Some(Shape::TopHalf | Shape::TopWhole | Shape::LowHalf | Shape::LowWhole | Shape::SidePanel) => Part::Front,
        Some(Shape::YokeHalf | Shape::YokeWhole) => Part::Back,
        Some(Shape::SkirtHalf | Shape::SkirtWhole) => Part::SkirtFront,
        Some(Shape::Leg) => Part::LegFront,
        Some(Shape::BandHalf | Shape::BandWhole) => Part::Waistband,
        None => Part::Other,
    }
}

/// Of two pieces that only their shape tells of, the one with the higher neckline, or the longer rise, is the back.
fn fronts_and_backs(pieces: &mut [Piece], notes: &mut Vec<String>) {
    for (front, back) in
        [(Part::Front, Part::Back), (Part::SkirtFront, Part::SkirtBack), (Part::LegFront, Part::LegBack)]
    {
        let unnamed: Vec<usize> = (0..pieces.len())
            .filter(|i| {
                let named = pieces[*i].ideas.iter().any(|idea| matches!(idea, Idea::Front | Idea::Back));
                !named && pieces[*i].identity.as_ref().is_some_and(|identity| identity.part == front)
            })
            .collect();
        let has_front = pieces.iter().any(|piece| {
            piece.ideas.contains(&Idea::Front) && piece.identity.as_ref().is_some_and(|identity| identity.part == front)
        });
        let is_back = match unnamed[..] {
            [one] if has_front => Some(one),
            [one, other] => {
                let height = |i: usize| opening(&pieces[i]);
                Some(if height(one) > height(other) { one } else { other })
            }
            _ => None,
        };
        if let Some(i) = is_back
            && let Some(identity) = &mut pieces[i].identity
        {
            identity.part = back;
            notes.push(format!(
                "piece `{}` is taken for the back, by the height of its opening",
                pieces[i].drawn.panel.name
            ));
        }
    }
}

/// Height of the lowest place of a neckline below the top, turned round, or length of a rise [m]: greater for backs.
fn opening(piece: &Piece) -> f64 {
    let Some(identity) = &piece.identity else { return 0.0 };
    let mut panel = piece.drawn.panel.clone();
    panel.transform(Affine::rotate(identity.angle));
    let outline = Outline::new(&panel);
    let Some((fit, mirrored)) = identity.shape.and_then(|shape| best(&outline, &[shape], &|_| 0.0)) else { return 0.0 };
    let laid = if mirrored { outline.mirrored() } else { outline };
    let mut sum = 0.0;
    for (stretch, role) in laid.stretches.iter().zip(&fit.roles) {
        match role {
            Role::Neck => sum -= (stretch.ends[0].y - stretch.ends[1].y).abs().max(stretch.bend.abs() * 0.1),
            Role::Rise => sum += stretch.length,
            _ => {}
        }
    }
    sum
}

/// The best turn and template of a piece.
fn search(piece: &Piece, shapes: &[Shape]) -> Option<Identity> {
    let drawn = &piece.drawn;
    if shapes.contains(&Shape::SkirtHalf)
        && let Some(found) = as_sector(piece)
    {
        return Some(found);
    }
    let is_band = shapes.iter().all(|shape| shape.is_band());
    let folded = drawn.fold.is_some() || (piece.ideas.contains(&Idea::Fold) && !drawn.is_unfolded);
    let shapes: Vec<Shape> = shapes
        .iter()
        .copied()
        .filter(|shape| if drawn.fold.is_some() { shape.is_half() } else { !drawn.is_unfolded || !shape.is_half() })
        .collect();
    let mut found: Option<Identity> = None;
    for (angle, penalty) in turns(piece, is_band) {
        let mut panel = drawn.panel.clone();
        panel.transform(Affine::rotate(angle));
        let outline = Outline::new(&panel);
        let extra = |fit: &super::Fit| {
            let off_centre = drawn.fold.is_some_and(|fold| {
                let on = |k: usize| outline.stretches[k].edges.contains(&fold) && fit.roles[k] == Role::Centre;
                !(0..outline.stretches.len()).any(on)
            });
            let flat = |k: usize| outline.stretches[k].bend.abs() < 0.01;
            let centre = (0..fit.roles.len()).filter(|k| fit.roles[*k] == Role::Centre);
            let unlikely = folded && !fit.shape.is_half();
            let mut sum = if off_centre || unlikely { NO_CENTRE } else { 0.0 };
            if folded && !centre.clone().all(flat) {
                sum += NO_CENTRE;
            }
            if matches!(fit.shape, Shape::SkirtHalf | Shape::SkirtWhole | Shape::Leg) && has_darts_at_hem(&outline, fit)
            {
                sum += DARTS_AT_HEM;
            }
            sum
        };
        if let Some((fit, mirrored)) = best(&outline, &shapes, &extra) {
            let cost = fit.cost + penalty;
            if found.as_ref().is_none_or(|other| cost < other.cost - 1e-9) {
                found = Some(Identity { part: Part::Other, shape: Some(fit.shape), angle, mirrored, cost });
            }
        }
    }
    found
}

/// Whether a dart of an outline opens in its hem. The edges beside its mouth are one stretch, or two that meet there.
fn has_darts_at_hem(outline: &Outline, fit: &super::Fit) -> bool {
    let hems = outline.stretches.iter().zip(&fit.roles).filter(|(_, role)| **role == Role::Hem);
    let edges: Vec<usize> = hems.flat_map(|(stretch, _)| stretch.edges.iter().copied()).collect();
    outline.darts.iter().any(|[first, _]| *first > 0 && edges.contains(&(first - 1)))
}

/// A skirt that is a sector of a ring: its fold upright, or else its middle, with the hem below.
fn as_sector(piece: &Piece) -> Option<Identity> {
    let panel = &piece.drawn.panel;
    let sector = sector(panel)?;
    let down = sector.down(panel);
    let fold = piece.drawn.fold.and_then(|edge| panel.segment(edge));
    let (shape, way) = if let Some(line) = fold {
        let along = line.end - line.start;
        (Shape::SkirtHalf, if along.dot(down) > 0.0 { along } else { -along })
    } else {
        // A half without a fold line: its grain runs along its centre.
        let grain = panel.warp();
        let askew = piece.drawn.has_grain && (grain.cross(down) / down.hypot()).abs() > 0.1;
        let along = if grain.dot(down) > 0.0 { grain } else { -grain };
        let is_half = piece.ideas.contains(&Idea::Fold) || askew;
        if is_half { (Shape::SkirtHalf, along) } else { (Shape::SkirtWhole, down) }
    };
    // The rest of the half lies to the left of the way down where its centre is at the lesser x.
    let mirrored = shape == Shape::SkirtHalf && way.cross(down) < 0.0;
    let angle = (-FRAC_PI_2 - way.atan2()).rem_euclid(2.0 * PI);
    let angle = if (angle - 2.0 * PI).abs() < 1e-9 { 0.0 } else { angle };
    Some(Identity { part: Part::Other, shape: Some(shape), angle, mirrored, cost: 0.05 })
}

/// A piece without a template: its grainline, or its fold, upright.
fn lying(piece: &Piece) -> Identity {
    let angle = turns(piece, false).first().map_or(0.0, |(angle, _)| *angle);
    Identity { part: Part::Other, shape: None, angle, mirrored: false, cost: 0.0 }
}

/// Turns to be tried, with their cost.
fn turns(piece: &Piece, is_band: bool) -> Vec<(f64, f64)> {
    let drawn = &piece.drawn;
    let upright = |way: Vec2| FRAC_PI_2 - way.atan2();
    let fold = drawn.fold.and_then(|edge| drawn.panel.segment(edge)).map(|line| line.end - line.start);
    let mut turns = Vec::new();
    if let Some(way) = fold {
        turns.extend([(upright(way), 0.0), (upright(way) + PI, 0.0)]);
    }
    if is_band {
        // The length of a band runs around the body, whatever its grain.
        if fold.is_none() {
            let way = long_way(&drawn.panel);
            turns.extend([(-way.atan2(), 0.0), (PI - way.atan2(), 0.0)]);
        }
    } else if drawn.has_grain {
        let angle = upright(drawn.panel.warp());
        let grain = |turn: f64, cost: f64| (angle + turn, cost);
        turns.extend([
            grain(0.0, 0.0),
            grain(PI, HEAD_DOWN),
            grain(FRAC_PI_2, OFF_GRAIN),
            grain(-FRAC_PI_2, OFF_GRAIN),
        ]);
        let bias = 0.5 * FRAC_PI_2;
        turns.extend([1.0, 3.0, 5.0, 7.0].map(|k| grain(k * bias, 2.0 * OFF_GRAIN)));
    } else if fold.is_none() {
        turns.extend([(0.0, 0.0), (PI, HEAD_DOWN), (FRAC_PI_2, 0.02), (-FRAC_PI_2, 0.02)]);
    }
    // A fold tells more than a grainline: with both, those turns go first that agree.
    for (angle, _) in &mut turns {
        *angle = angle.rem_euclid(2.0 * PI);
        if (*angle - 2.0 * PI).abs() < 1e-6 || angle.abs() < 1e-6 {
            *angle = 0.0;
        }
    }
    turns
}

/// Direction of the longest chord of an outline.
fn long_way(panel: &crate::pattern::Panel) -> Vec2 {
    let outline = Outline::new(panel);
    let longest = outline.stretches.iter().max_by(|a, b| a.length.total_cmp(&b.length));
    longest.map_or(Vec2::new(1.0, 0.0), |side| side.ends[1] - side.ends[0])
}
