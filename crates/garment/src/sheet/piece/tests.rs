//! Cut lines and notches of all garments, measured by brute force.

use super::*;
use crate::check::{is_inside, signed_area};
use crate::draft::{Choices, Design, draft};
use crate::sheet::Allowances;
use toile_body::{Figure, Given, complete};

fn distance(point: Point, polygon: &[Point]) -> f64 {
    let count = polygon.len();
    let from = |i: usize| {
        let (a, b) = (polygon[i], polygon[(i + 1) % count]);
        let t = ((point - a).dot(b - a) / (b - a).hypot2().max(1e-300)).clamp(0.0, 1.0);
        point.distance(a + t * (b - a))
    };
    (0..count).map(from).fold(f64::INFINITY, f64::min)
}

/// For every garment: a point of an edge, moved outwards by its allowance, is on the cut line to 0.05 mm, unless it is so near to
/// another edge that both allowances overlap; and a cut point whose nearest edge point is no corner is as far as that edge says.
#[test]
fn cut_lines_are_as_far_from_edges_as_their_allowances_say() {
    let body = complete(Figure::Female, &Given::NONE);
    let (mut on, mut off) = (0, 0);
    for design in Design::ALL {
        let pattern = draft(*design, &body, &Choices::new()).unwrap();
        for piece in pieces(&pattern, &SheetOptions::default()).unwrap() {
            let what = format!("{} {}", design.word(), piece.name);
            let widest = piece.sew[0].iter().map(|edge| edge.allowance).fold(0.0, f64::max);
            let corners: Vec<Point> = piece.sew[0].iter().map(|edge| edge.segment.start).collect();
            let near_corner = |q: Point| corners.iter().any(|c| c.distance(q) < 2.5 * widest);
            for edge in piece.sew[0].iter().filter(|edge| edge.kind != EdgeKind::Dart) {
                for k in 1..60 {
                    let t = f64::from(k) / 60.0;
                    let (q, before, after) = (
                        edge.segment.at_fraction(t),
                        edge.segment.at_fraction(t - 1e-4),
                        edge.segment.at_fraction(t + 1e-4),
                    );
                    if near_corner(q) {
                        continue;
                    }
                    let along = (after - before) / (after - before).hypot();
                    let moved = q + edge.allowance * Vec2::new(along.y, -along.x);
                    let far = distance(moved, &piece.cut[0]);
                    assert!(far < 5e-5, "{what} {} at {t}: {:.4} mm", edge.name, 1e3 * far);
                    on += 1;
                }
            }
            for q in &piece.cut[0] {
                let nearest = piece.sew[0]
                    .iter()
                    .map(|edge| {
                        let mut points = Vec::new();
                        edge.segment.flatten(1e-6, &mut points);
                        points.push(edge.segment.end);
                        let far = points.windows(2).map(|w| {
                            let t = ((*q - w[0]).dot(w[1] - w[0]) / (w[1] - w[0]).hypot2()).clamp(0.0, 1.0);
                            q.distance(w[0] + t * (w[1] - w[0]))
                        });
                        (far.fold(f64::INFINITY, f64::min), edge)
                    })
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .unwrap();
                if !near_corner(*q) {
                    let (far, edge) = nearest;
                    assert!(
                        (far - edge.allowance).abs() < 5e-5,
                        "{what} {}: {:.4} mm for {:.4} mm",
                        edge.name,
                        1e3 * far,
                        1e3 * edge.allowance
                    );
                    off += 1;
                }
            }
        }
    }
    assert!(on > 1000 && off > 500, "{on} {off}");
}

#[test]
fn the_cut_line_goes_around_the_sew_line_and_stays_on_the_fold() {
    let body = complete(Figure::Female, &Given::NONE);
    for design in Design::ALL {
        let pattern = draft(*design, &body, &Choices::new()).unwrap();
        for piece in pieces(&pattern, &SheetOptions::default()).unwrap() {
            for edge in &piece.sew[0] {
                for k in 0..20 {
                    let q = edge.segment.at_fraction(f64::from(k) / 20.0);
                    let inside = is_inside(q, &piece.cut[0]) || distance(q, &piece.cut[0]) < 1e-6;
                    assert!(inside, "{} {} {}", design.word(), piece.name, edge.name);
                }
            }
            if let Some([from, to]) = piece.fold {
                // No cloth beyond the fold.
                let along = (to - from) / (to - from).hypot();
                let most = piece.cut[0].iter().map(|q| -along.cross(*q - from)).fold(f64::MIN, f64::max);
                assert!(most.abs() < 1e-9, "{} {}: {most}", design.word(), piece.name);
            }
        }
    }
}

#[test]
fn without_allowance_the_cut_line_is_the_sew_line_but_for_darts() {
    let body = complete(Figure::Female, &Given::NONE);
    let none = SheetOptions { allowances: Allowances::NONE, ..SheetOptions::default() };
    for design in Design::ALL {
        let pattern = draft(*design, &body, &Choices::new()).unwrap();
        for (panel, piece) in pattern.panels.iter().zip(pieces(&pattern, &none).unwrap()) {
            let (sewn, cut) = (signed_area(&Panel::flatten(&panel.outline, 1e-7)), signed_area(&piece.cut[0]));
            if piece.darts.is_empty() {
                assert!((sewn - cut).abs() < 1e-5, "{} {}: {sewn} {cut}", design.word(), piece.name);
            } else {
                assert!(cut > sewn, "{} {}", design.word(), piece.name);
            }
        }
    }
}

#[test]
fn the_mouth_of_a_dart_peaks_where_the_folded_cloth_ends() {
    // Two edges at right angles to the middle of a dart 20 mm wide and 100 mm deep. Folded along the second leg, the mouth lies
    // under the edge behind it: the mirror image of the peak in the leg is on that edge.
    let (tip, from, to) = (Point::new(0.0, -0.1), Point::new(0.01, 0.0), Point::new(-0.01, 0.0));
    let peak = peak(tip, from, to, Vec2::new(-1.0, 0.0));
    assert!(peak.x.abs() < 1e-12 && peak.y > 0.0, "{peak:?}");
    let axis = (to - tip) / (to - tip).hypot();
    let away = peak - to;
    let image = to + 2.0 * away.dot(axis) * axis - away;
    assert!(image.y.abs() < 1e-12 && image.x < to.x, "{image:?}");
}

#[test]
fn allowances_out_of_range_and_for_missing_edges_are_refused() {
    let body = complete(Figure::Female, &Given::NONE);
    let pattern = draft(Design::TShirt, &body, &Choices::new()).unwrap();
    let mut options = SheetOptions::default();
    options.allowances.hem = 30.0;
    assert!(pieces(&pattern, &options).unwrap_err().to_string().contains("`hem`"));
    options.allowances = Allowances { single: vec![("front.sied".into(), 0.01)], ..Allowances::default() };
    assert!(pieces(&pattern, &options).unwrap_err().to_string().contains("front.sied"));
    options.allowances.single = vec![("front.side".into(), 0.02)];
    let front = &pieces(&pattern, &options).unwrap()[0];
    let side = front.sew[0].iter().find(|edge| edge.name == "side").unwrap();
    assert_eq!((side.allowance, side.kind), (0.02, EdgeKind::Seam));
}
