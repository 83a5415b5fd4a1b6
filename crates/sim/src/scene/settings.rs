//! The tables of a scene that steer a run as a whole: time, solver, forces, contact, output, camera.

use serde::{Deserialize, Serialize};

use super::schema::{Described, Type, choice, section};

section! {
    /// How long to simulate, and how finely.
    pub struct Time {
        /// Simulated time.
        duration: f64 = 2.0, ["s"] above(0.0, 100_000.0);
        /// Frames written per second of simulated time.
        frame_rate: f64 = 30.0, ["1/s"] within(0.01, 10_000.0);
        /// Smallest number of steps per frame; more steps follow fast motion better and cost in proportion.
        substeps: u32 = 4, within(1, 1000);
    }
}

impl Time {
    /// Frames of the whole run after the starting one, at least 1.
    pub fn frames(&self) -> u32 {
        // A float cast saturates, so absurd values stay absurd instead of wrapping.
        (self.duration * self.frame_rate).round().max(1.0) as u32
    }
}

choice! {
    /// What cloth is.
    pub enum Model {
        /// Particles at allowed distances (Fuhrmann 2003): fast, stiff, knows no fabric.
        Constraint = "constraint",
        /// A fabric with measured stiffnesses: finite elements, see `[physics]`.
        Fem = "fem",
    }
}

choice! {
    /// How lengths are kept.
    pub enum Method {
        /// Coloured sweeps over all edges, each moved to an allowed length (Fuhrmann 2003, section 3): soft.
        Sweep = "sweep",
        /// Tridiagonal solves along chains of edges, then a limiter on the lengths: stiff, at the same cost.
        Chains = "chains",
    }
}

section! {
    /// How the cloth is kept from stretching, and what calms it.
    pub struct Solver {
        /// What cloth is.
        model: Model = Model::Constraint;
        /// How lengths are kept by the constraint model.
        method: Method = Method::Chains;
        /// Passes over all constraints per step; more make the cloth stiffer.
        iterations: u32 = 4, within(1, 1000);
        /// Factor on the velocity per 1/120 s (Fuhrmann 2003, equation 14); 1 takes nothing away. Constraint model only:
        /// fabrics have their own damping.
        damping: f64 = 0.99, within(0, 1);
        /// Ratio of length to rest length above which edges are shortened: after each pass of chains, and where a frame
        /// ends. Constraint model only: see `physics.strain_limit`.
        limit: f64 = 1.02, within(1, 10);
        /// Diffusion of velocity along edges; removes ripples, 0 is off.
        smoothing: f64 = 0.015, ["m²/s"] within(0, 100);
        /// After the passes go on until near particles are apart and, where a frame ends, triangles clear of obstacles and
        /// long edges short; off leaves every step as the passes left it.
        finish: bool = true;
        /// Let cloth that has kept its place to a millimetre for half a second rest, at no cost and without trembling,
        /// until something moves.
        rest: bool = true;
        /// Take more steps when something would move farther in one than half the contact distance or through an obstacle.
        adaptive: bool = true;
    }
}

section! {
    /// How garments are put on before the scene begins.
    pub struct Dressing {
        /// Longest time to drape for; a garment that rests is done earlier.
        most_time: f64 = 8.0, ["s"] within(0, 1000);
        /// Place all garments of a body over each other and sew them at once, rather than one after the other by their layers.
        together: bool = false;
    }
}

section! {
    /// What pulls on the cloth.
    pub struct Forces {
        /// Acceleration of free fall.
        gravity: [f64; 3] = [0.0, -9.81, 0.0], ["m/s²"] within(-10_000.0, 10_000.0);
        /// Force of the wind per area of cloth.
        wind: [f64; 3] = [0.0, 0.0, 0.0], ["N/m²"] within(-100_000.0, 100_000.0);
        /// Swing of the wind relative to its mean; 0 is steady.
        gust: f64 = 0.0, within(0, 10);
        /// Gusts per second.
        gust_frequency: f64 = 0.5, ["1/s"] within(0, 1000);
    }
}

/// A length that is given or chosen by the program.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AutoLength {
    /// Chosen by the program.
    Auto,
    /// Given \[m\].
    #[serde(untagged)]
    Metres(f64),
}

impl Described for AutoLength {
    const TYPE: Type = Type::AutoOr(&Type::Number);
}

choice! {
    /// How friction slows sliding cloth.
    pub enum FrictionLaw {
        /// Contact takes the fraction `friction` of the tangential movement away per 1/120 s (Fuhrmann 2003); 1 stops all
        /// sliding.
        Scaled = "scaled",
        /// The tangential change is at most `friction` times the normal one, so cloth sticks or slides.
        Coulomb = "coulomb",
    }
}

choice! {
    /// What keeps cloth from what it touches, before the guard has its say.
    pub enum Response {
        /// Contacts are part of what is solved: stiff elements of the implicit step with finite elements, projections beside the
        /// other constraints without.
        Solved = "solved",
        /// Impulses with restitution and friction after a free step (Kimmerle 2005, section 3.2.3).
        Impulse = "impulse",
        /// Directions of motion that the implicit solver may not use (Kimmerle 2005, section 3.2.2): for finite elements and
        /// obstacles at rest.
        Constraint = "constraint",
        /// Zones of impact in which clusters of cloth collide at once and keep their momentum (Huh 2001).
        Zones = "zones",
        /// Particles keep a distance from each other that follows from the mesh (Fuhrmann 2003, section 4).
        Particles = "particles",
    }
}

section! {
    /// The friction between two cloths, or a cloth and an obstacle.
    pub struct FrictionPair {
        /// Name of the one; must be given.
        a: String = String::new();
        /// Name of the other; the same name for a cloth with itself.
        b: String = String::new();
        /// Coefficient of friction.
        friction: f64 = 0.3, within(0, 10);
    }
}

section! {
    /// How cloth touches itself and obstacles.
    pub struct Contact {
        /// What keeps cloth from what it touches.
        response: Response = Response::Solved;
        /// Take back whatever would go through in spite of it: what leaves a step does not intersect.
        guard: bool = true;
        /// Keep cloth from passing through itself and through other cloth.
        self_collision: bool = true;
        /// With impulses and zones: share of the approaching speed with which things part again.
        restitution: f64 = 0.0, within(0, 1);
        /// Part what intersects at the start before simulating; left false, such a scene is refused.
        untangle: bool = false;
        /// With particles: distance kept between those that are not neighbours; auto takes it from the edge lengths.
        distance: AutoLength = AutoLength::Auto, ["m"] above(0, 10);
        /// Distance kept from obstacles.
        threshold: f64 = 0.003, ["m"] above(0, 1);
        /// Finite elements: pressure that would press cloth onto what it touches if contacts were springs; they bear two and a half
        /// times as much. Clothes that fit closely press with some hundred pascals, tight ones with thousands.
        pressure: f64 = 600.0, ["Pa"] above(0, 1_000_000);
        /// Keep edges and triangles out of obstacles too, not only particles.
        triangles: bool = true;
        /// How friction slows sliding cloth.
        friction_law: FrictionLaw = FrictionLaw::Coulomb;
        /// Friction of certain pairs, instead of what the two say themselves.
        pair: Vec<FrictionPair> = Vec::new();
    }
}

choice! {
    /// Format of the moving preview.
    pub enum Animation {
        /// GIF: 256 colours, shown everywhere.
        Gif = "gif",
        /// Animated PNG: all colours, larger.
        Apng = "apng",
        /// No moving preview.
        None = "none",
    }
}

choice! {
    /// What the colours in pictures show.
    pub enum Values {
        /// The colours of the cloth.
        None = "none",
        /// Strain of the edges, as a colour scale.
        Strain = "strain",
    }
}

section! {
    /// What a run writes.
    pub struct Output {
        /// One OBJ mesh per frame.
        obj: bool = false;
        /// Positions of all frames as a PC2 point cache.
        pc2: bool = true;
        /// The motion as a GLB file: one morph target per frame, strain of the last frame as an attribute, texture
        /// coordinates from the cut, obstacles where they are at the end.
        glb: bool = true;
        /// Format of the moving preview.
        animation: Animation = Animation::Gif;
        /// Width and height of the still picture.
        picture: [u32; 2] = [1280, 720], ["px"] within(16, 8192);
        /// Width and height of the moving preview.
        animation_size: [u32; 2] = [640, 360], ["px"] within(16, 4096);
        /// What the colours in pictures show.
        values: Values = Values::None;
        /// Write a checkpoint every so many frames; 0 writes none.
        checkpoint_every: u32 = 0, ["frames"] within(0, 100_000);
        /// Let the judge look for intersections in every so many frames; 0 is never.
        judge_every: u32 = 1, ["frames"] within(0, 100_000);
    }
}

section! {
    /// Where the pictures are taken from.
    pub struct Camera {
        /// Direction of the camera round the y axis, 0 looks from +z and 90 from +x.
        azimuth_deg: f64 = 30.0, ["°"] within(-360, 360);
        /// Height of the camera above the horizon.
        elevation_deg: f64 = 20.0, ["°"] within(-90, 90);
        /// Point in the middle of the picture; left out, the middle of the scene.
        target: Option<[f64; 3]> = None, ["m"] within(-10_000.0, 10_000.0);
        /// Distance from the target; left out, far enough to see everything.
        distance: Option<f64> = None, ["m"] above(0, 10_000.0);
        /// Vertical opening angle.
        fov_deg: f64 = 28.0, ["°"] within(1, 150);
    }
}
