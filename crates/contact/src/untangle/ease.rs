//! The last steps: cloth that crosses nothing any more is brought to its distance, and stretched edges are relaxed.
//!
//! Each step is a proposal: features nearer than their distance are pushed apart on the side where they are, and edges are
//! brought towards their lengths. Whatever would meet on the way there (continuous detection) stays where it was. So cloth
//! that crosses nothing never crosses anything again.

use std::ops::ControlFlow;

use toile_collide::impact::PairKind;
use toile_collide::{DetectError, Detector, FeaturePair, HierarchySettings, Impact, Proximity};
use toile_mesh::{DVec3, Motion, Moves, Surface};

use super::solid;
use super::tangle::Weave;
use crate::Contact;

/// Steps at most.
const STEPS: usize = 120;
/// Largest ratio of an edge to its rest length that is left alone.
const GOOD_STRETCH: f64 = 1.03;
/// Steps after the distances are reached in which edges may still relax.
const RELAXING_STEPS: usize = 30;
/// Share of its distance that a pair must have.
const ENOUGH: f64 = 0.9;
/// Distance that a push aims for, in distances to be kept.
const AIM: f64 = 1.3;
/// Passes over all near pairs in one step.
const PASSES: usize = 4;
/// Rounds of taking back in one step; then the whole step is given up.
const TAKE_BACKS: usize = 30;

/// Finds features of cloth and mesh obstacles near each other.
pub(super) struct Easing<'a> {
    weave: &'a Weave<'a>,
    detector: Box<dyn Detector>,
    /// First vertex of each surface: the cloth's, then the obstacles'.
    first: Vec<usize>,
    widest: f64,
}

impl<'a> Easing<'a> {
    pub(super) fn new(weave: &'a Weave<'a>) -> Option<Self> {
        let cloth = Surface::new(weave.tangle.cloth);
        let mut surfaces = vec![if weave.tangle.self_contact { cloth } else { cloth.without_self_contact() }];
        let mut first = vec![0, weave.cloth_vertices()];
        for mesh in weave.tangle.meshes {
            surfaces.push(Surface::obstacle(mesh, Moves::Never));
            first.push(first[first.len() - 1] + mesh.vertex_count());
        }
        let detector = HierarchySettings::default().detector(surfaces)?;
        let widest = 2.0 * weave.half_gap.iter().copied().fold(0.0, f64::max);
        Some(Self { weave, detector, first, widest })
    }

    /// Eases cloth that crosses nothing; whether everything keeps its distance in the end. `None` if `each`, called before every step,
    /// breaks it off.
    pub(super) fn run(
        &mut self,
        x: &mut Vec<DVec3>,
        each: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Result<Option<bool>, DetectError> {
        let mut apart = false;
        let mut relaxing = 0;
        for _ in 0..STEPS {
            if each().is_break() {
                return Ok(None);
            }
            let near = self.near(x)?;
            let stretched = self.weave.stretch(x) > GOOD_STRETCH;
            let mut y = x.clone();
            if stretched {
                self.weave.keep_lengths(&mut y, 4, 0.5);
            }
            self.push_apart(&near, &mut y);
            let solids = solid::push_out(self.weave, &mut y);
            apart = near.is_empty() && solids.left == 0 && (stretched || solids.met == 0);
            if apart {
                relaxing += 1;
                if !stretched || relaxing > RELAXING_STEPS {
                    return Ok(Some(true));
                }
            }
            self.take_back(x, &mut y)?;
            if *x == y {
                return Ok(Some(apart));
            }
            *x = y;
        }
        Ok(Some(apart && self.near(x)?.is_empty()))
    }

    fn motions<'m>(&self, x: &'m [DVec3], y: &'m [DVec3]) -> Vec<Motion<'m>> {
        self.first.windows(2).map(|w| Motion { x_t0: &x[w[0]..w[1]], x_t1: &y[w[0]..w[1]] }).collect()
    }

    /// Vertices of a pair in the common numbering.
    fn vertices(&self, pair: &FeaturePair) -> [u32; 4] {
        let surfaces = pair.vertex_surfaces();
        std::array::from_fn(|i| self.first[surfaces[i] as usize] as u32 + pair.vertices[i])
    }

    /// Pairs nearer than they should be of which something can move, with the distance they should have.
    fn near(&mut self, x: &[DVec3]) -> Result<Vec<(Contact, f64)>, DetectError> {
        let mut found: Vec<Proximity> = Vec::new();
        let motions = self.motions(x, x);
        self.detector.proximities(&motions, ENOUGH * self.widest, &mut found)?;
        let weave = self.weave;
        let touches = found.iter().filter_map(|contact| {
            let vertices = self.vertices(&contact.pair);
            let split = if contact.pair.kind == PairKind::VertexFace { 1 } else { 2 };
            let (one, other) = vertices.split_at(split);
            let gap = weave.half_gap[one[0] as usize] + weave.half_gap[other[0] as usize];
            let touch = Contact::new(contact.pair.kind, vertices, &contact.closest);
            let counts = touch.gap < ENOUGH * gap && touch.compliance(&weave.free) > 0.0;
            (counts && !weave.are_sewn(one, other)).then_some((touch, gap))
        });
        Ok(touches.collect())
    }

    fn push_apart(&self, near: &[(Contact, f64)], y: &mut [DVec3]) {
        for _ in 0..PASSES {
            for (touch, gap) in near {
                let short = AIM * gap - touch.relative(y).dot(touch.normal);
                let compliance = touch.compliance(&self.weave.free);
                if short > 0.0 && compliance > 0.0 {
                    // Vertices next to held ones have a short lever: never farther than the distance itself.
                    let impulse = (short / compliance).min(AIM * gap);
                    touch.push(touch.normal * impulse, &self.weave.free, y);
                }
            }
        }
    }

    /// Leaves vertices at `x` that would meet something on their way to `y`.
    fn take_back(&mut self, x: &[DVec3], y: &mut [DVec3]) -> Result<(), DetectError> {
        let mut found: Vec<Impact> = Vec::new();
        for _ in 0..TAKE_BACKS {
            found.clear();
            let motions = self.motions(x, y);
            self.detector.impacts(&motions, 0.0, &mut found)?;
            let mut back = false;
            for impact in &found {
                let vertices = self.vertices(&impact.pair);
                let split = if impact.pair.kind == PairKind::VertexFace { 1 } else { 2 };
                if self.weave.are_sewn(&vertices[..split], &vertices[split..]) {
                    continue;
                }
                for v in vertices.map(|v| v as usize) {
                    back |= y[v] != x[v];
                    y[v] = x[v];
                }
            }
            if !back {
                return Ok(());
            }
        }
        y.copy_from_slice(x);
        Ok(())
    }
}
