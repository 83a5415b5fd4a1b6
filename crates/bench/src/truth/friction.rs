//! Friction around curves: a strip that is drawn around a cylinder.

use miette::{Result, miette};
use toile::prelude::*;
use toile_cloth::element::Element;
use toile_mesh::generate::{Diagonals, grid};

use super::scene::{advance, solve_to};
use super::{Accuracy, Experiment, Limit};

const GROUP: &str = "Friction";
/// Radius of the cylinder [m].
const RADIUS: f64 = 0.05;
/// How far the helix of the strip advances in a turn [m]: more than its width, so that it does not lie on itself.
const PITCH: f64 = 0.016;
const WIDTH: f64 = 0.01;
/// What is straight at either end [m].
const TAIL: f64 = 0.06;
/// Length of a cell [m].
const CELL: f64 = 0.004;
/// Speed with which the strip is drawn [m/s].
const SPEED: f64 = 0.02;
/// By what the strip is stretched before it slides.
const STRAIN: f64 = 0.02;

pub(super) fn experiments() -> Vec<Experiment> {
    [(180.0, 0.5, false), (540.0, 0.3, true), (540.0, 0.5, true)]
        .map(|(turn, friction, is_long)| capstan(turn, friction, is_long))
        .into()
}

/// The tension of a strip grows along the way it slides by `exp(μ φ cos β)`, for a turn `φ` of a helix that rises by `β`.
fn capstan(turn: f64, friction: f64, is_long: bool) -> Experiment {
    let winding = Winding::new(turn);
    Experiment {
        name: format!("capstan of {turn}°, friction {friction}"),
        group: GROUP,
        reference: (friction * turn.to_radians() * winding.rise.cos()).exp(),
        source: "the capstan equation",
        unit: "T/T",
        limit: Limit::Share(0.1),
        is_long,
        converges: true,
        measure: Box::new(move |accuracy| winding.ratio(friction, accuracy)),
    }
}

/// A strip wound around the cylinder as a helix.
#[derive(Clone, Copy)]
struct Winding {
    /// Length that lies on the cylinder, along its circumference [m].
    arc: f64,
    /// Angle of the strip against the circumference [rad].
    rise: f64,
    /// Distance of the middle of the strip from the axis [m].
    radius: f64,
}

impl Winding {
    fn new(turn: f64) -> Self {
        let radius = RADIUS + 1e-3 * 3.0;
        let rise = if turn > 360.0 { (PITCH / (std::f64::consts::TAU * radius)).atan() } else { 0.0 };
        Self { arc: turn.to_radians() * radius, rise, radius }
    }

    /// Direction of the strip where it leaves the cylinder; `side` is −1 or 1.
    fn direction(&self, side: f64) -> DVec3 {
        let angle = side * 0.5 * self.arc / self.radius;
        let along = DVec3::new(angle.cos(), -angle.sin(), 0.0);
        along * self.rise.cos() + DVec3::Z * self.rise.sin()
    }

    /// Where the point of the flat strip is that is `u` [m] along it and `w` across.
    fn place(&self, u: f64, w: f64) -> DVec3 {
        let (sine, cosine) = self.rise.sin_cos();
        let (around, along) = (u * cosine - w * sine, u * sine + w * cosine);
        let on = around.clamp(-0.5 * self.arc, 0.5 * self.arc);
        let angle = on / self.radius;
        let tangent = DVec3::new(angle.cos(), -angle.sin(), 0.0);
        DVec3::new(self.radius * angle.sin(), self.radius * angle.cos(), along) + tangent * (around - on)
    }

    /// Tension of the leading end over that of the trailing one while the strip slides.
    fn ratio(&self, friction: f64, accuracy: Accuracy) -> Result<f64> {
        let length = self.arc / self.rise.cos() + 2.0 * TAIL;
        let columns = (length / CELL).round() as usize + 1;
        let rows = 4;
        let flat = grid([length, WIDTH], [columns, rows], Diagonals::Alternating);
        let mut settings = Settings::default();
        settings.solver.model = Model::Fem;
        settings.forces.gravity = DVec3::ZERO.to_array();
        solve_to(&mut settings.physics, accuracy);
        let mut builder = WorldBuilder::new(settings);
        let mut fabric = toile_scene::fabric::find("cotton-poplin")?.fabric;
        fabric.friction = friction;
        let mesh = flat.clone().map_positions(|p| self.place(p.x, p.z));
        let rest: Vec<DVec3> = flat.positions.clone();
        let strip = builder.cloth(Cloth { rest, friction: Some(friction), ..Cloth::new("strip", mesh, fabric) });
        let still =
            Motion::at_rest(Pose { rotation: DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), ..Pose::IDENTITY });
        let cylinder = Shape::Cylinder { radius: RADIUS, half_height: 0.15 };
        builder.obstacle(Obstacle::new("cylinder", cylinder, still, Friction::Coulomb(friction)));
        // The leading end first takes up what makes the strip tight.
        let (taken_up, begin, end) = (STRAIN * length, 0.2, 2.2);
        for (column, lead) in [(0, 0.0), (columns - 1, taken_up)] {
            let side = if column == 0 { -1.0 } else { 1.0 };
            let direction = self.direction(side);
            let way = [(begin, lead), (end, lead + SPEED * (end - begin))];
            let path = way.map(|(time, way)| HoldKey { time, offset: direction * way, turns: 0.0 }).to_vec();
            let vertices = (0..rows).map(|row| (row * columns + column) as u32).collect();
            builder.hold(Hold { path, ..Hold::new(strip, vertices) });
        }
        let mut world = builder.build().map_err(|error| miette!("{error}"))?;
        advance(&mut world, 36)?;
        let mut tensions = [0.0; 2];
        for _ in 0..24 {
            advance(&mut world, 1)?;
            let (x, membranes) = (&world.state().x, &world.stepper().expect("finite elements").energies().membranes);
            for membrane in membranes.elements() {
                // The middle of a tail, which neither the cylinder nor the hold is near to.
                let column = Element::nodes(membrane).iter().map(|v| *v as usize % columns).min().unwrap_or_default();
                let from_end = column.min(columns - 2 - column) as f64 * CELL;
                if (0.3 * TAIL..0.7 * TAIL).contains(&from_end) {
                    tensions[usize::from(2 * column > columns)] += membrane.stresses(x)[0];
                }
            }
        }
        Ok(tensions[1] / tensions[0])
    }
}
