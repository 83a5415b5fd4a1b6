//! Outlines put in order: drawn twice, doubled back, or with hooks at their corners.
//!
//! CAD systems leave spikes where a line was drawn there and back, close a boundary twice, or cross it at a corner by the width of a
//! pen. None of it encloses cloth.

use kurbo::{Point, Vec2};

/// A point of an outline, and whether one of its polylines ended there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joined {
    pub(super) at: Point,
    pub(super) is_end: bool,
}

/// Points nearer than this are the same [m].
const SAME: f64 = 2e-5;
/// How nearly a way back is along the way there [rad].
const BACK: f64 = 0.01;
/// Longest loop at a crossing that is cut off [m].
const HOOK: f64 = 0.012;
/// Most points for which crossings are searched: each piece is compared with those after it.
const MOST_COMPARED: usize = 5_000;

/// Removes what encloses no cloth; returns what was done, in words.
pub(super) fn tidy(ring: &mut Vec<Joined>) -> Vec<&'static str> {
    let mut said = Vec::new();
    ring.dedup_by(|next, kept| {
        let same = next.at.distance(kept.at) < 1e-7;
        kept.is_end |= same && next.is_end;
        same
    });
    while ring.len() > 1 && ring[0].at.distance(ring[ring.len() - 1].at) < 1e-7 {
        let last = ring.pop();
        ring[0].is_end |= last.is_some_and(|point| point.is_end);
    }
    if drawn_twice(ring) {
        ring.truncate(ring.len() / 2);
        said.push("the outline is drawn twice round; once was taken");
    }
    if cut_spikes(ring) {
        said.push("the outline doubles back on itself; the way there and back was left out");
    }
    if ring.len() <= MOST_COMPARED && cut_hooks(ring) {
        said.push("the outline crosses itself in a loop of less than 12 mm; the loop was cut off");
    }
    said
}

fn drawn_twice(ring: &[Joined]) -> bool {
    let half = ring.len() / 2;
    ring.len().is_multiple_of(2) && half > 2 && (0..half).all(|i| ring[i].at.distance(ring[i + half].at) < SAME)
}

/// Takes out ways that are gone there and back again.
fn cut_spikes(ring: &mut Vec<Joined>) -> bool {
    let mut found = false;
    let mut i = 0;
    let mut left = ring.len() * 3;
    while ring.len() > 3 && i < ring.len() && left > 0 {
        left -= 1;
        let count = ring.len();
        let (before, tip, after) = (ring[(i + count - 1) % count].at, ring[i].at, ring[(i + 1) % count].at);
        let (there, back) = (tip - before, after - tip);
        let is_spike = turn(there, back).abs() > std::f64::consts::PI - BACK;
        if !is_spike {
            i += 1;
            continue;
        }
        found = true;
        // The shorter way is gone; the longer goes on from where it ended.
        let is_end = ring[i].is_end;
        ring.remove(i);
        let count = ring.len();
        let (p, q) = ((i + count - 1) % count, i % count);
        if ring[p].at.distance(ring[q].at) < SAME {
            ring[p].is_end |= ring[q].is_end || is_end;
            ring.remove(q);
        } else {
            ring[if there.hypot() < back.hypot() { p } else { q }].is_end = true;
        }
        i = i.saturating_sub(2);
    }
    found
}

fn turn(from: Vec2, to: Vec2) -> f64 {
    from.cross(to).atan2(from.dot(to))
}

/// Cuts off small loops at crossings.
fn cut_hooks(ring: &mut Vec<Joined>) -> bool {
    let mut found = false;
    'again: for _ in 0..50 {
        let count = ring.len();
        for i in 0..count {
            let (a, b) = (ring[i].at, ring[(i + 1) % count].at);
            let mut along = 0.0;
            for step in 2..count - 1 {
                let j = (i + step) % count;
                let (c, d) = (ring[j].at, ring[(j + 1) % count].at);
                along += ring[(j + count - 1) % count].at.distance(c);
                if along > HOOK {
                    break;
                }
                if let Some(at) = crossing([a, b], [c, d]) {
                    // From the crossing on, everything up to it is the loop.
                    let gone: Vec<usize> = (1..=step).map(|k| (i + k) % count).collect();
                    let mut kept: Vec<Joined> = Vec::new();
                    for (k, point) in ring.iter().enumerate() {
                        if !gone.contains(&k) {
                            kept.push(*point);
                        }
                        if k == gone[gone.len() - 1] {
                            kept.push(Joined { at, is_end: true });
                        }
                    }
                    *ring = kept;
                    found = true;
                    continue 'again;
                }
            }
        }
        break;
    }
    found
}

/// Where two straight pieces cross, inside both.
fn crossing(p: [Point; 2], q: [Point; 2]) -> Option<Point> {
    let (r, s) = (p[1] - p[0], q[1] - q[0]);
    let across = r.cross(s);
    if across.abs() < 1e-16 {
        return None;
    }
    let t = (q[0] - p[0]).cross(s) / across;
    let u = (q[0] - p[0]).cross(r) / across;
    let inside = |x: f64| (1e-9..=1.0 - 1e-9).contains(&x);
    (inside(t) && inside(u)).then(|| p[0] + t * r)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(points: &[(f64, f64)]) -> Vec<Joined> {
        points.iter().map(|(x, y)| Joined { at: Point::new(*x, *y), is_end: false }).collect()
    }

    fn area(ring: &[Joined]) -> f64 {
        crate::check::signed_area(&ring.iter().map(|point| point.at).collect::<Vec<_>>())
    }

    #[test]
    fn spikes_hooks_and_second_rounds_go_and_the_cloth_stays() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let mut plain = ring(&square);
        assert!(tidy(&mut plain).is_empty() && plain.len() == 4);
        let mut spike = ring(&[(0.0, 0.0), (1.0, 0.0), (1.3, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(tidy(&mut spike).len(), 1);
        assert!((area(&spike) - 1.0).abs() < 1e-12 && spike.len() == 4, "{spike:?}");
        let mut twice = ring(&[square, square].concat());
        assert_eq!((tidy(&mut twice).len(), twice.len()), (1, 4));
        // A pen's width over the corner: the loop has less than a square millimetre.
        let mut hook = ring(&[(0.0, 0.0), (1.002, 0.0), (1.002, -0.001), (1.0, -0.001), (1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(tidy(&mut hook).len(), 1);
        assert!((area(&hook) - 1.0).abs() < 1e-5, "{hook:?}");
    }
}
