//! How cloth touches itself and obstacles.

use serde::{Deserialize, Serialize};
use toile_contact::Friction;
use toile_schema::{Described, Type, choice, section};

use crate::builder::Cloth;

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
        /// Impulses with restitution and friction (Kimmerle 2005, section 3.2.3): after a free step, or inside the implicit step of
        /// finite elements.
        Impulse = "impulse",
        /// Directions of motion that the implicit solver may not use (Kimmerle 2005, section 3.2.2): for finite elements and
        /// obstacles at rest.
        Constraint = "constraint",
        /// Zones of impact in which clusters of cloth collide at once and keep their momentum (Huh 2001).
        Zones = "zones",
        /// Particles keep a distance from each other that follows from the mesh (Fuhrmann 2003, section 4): by projections, or inside
        /// the implicit step of finite elements.
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
        /// Distance kept from obstacles, whatever the fabric; auto: half the thickness of the fabric and the obstacle's padding.
        threshold: AutoLength = AutoLength::Auto, ["m"] above(0, 1);
        /// Finite elements: pressure that would press cloth onto what it touches if contacts were springs; they bear two and a half
        /// times as much. By default half the distance is left under 5 kPa, the largest pressure of laboratories (KES-FB3) and of
        /// tight clothes.
        pressure: f64 = 10_000.0, ["Pa"] above(0, 1_000_000);
        /// Keep edges and triangles out of obstacles too, not only particles.
        triangles: bool = true;
        /// How friction slows sliding cloth.
        friction_law: FrictionLaw = FrictionLaw::Coulomb;
        /// Friction of certain pairs, instead of the geometric mean of what the two say themselves.
        pair: Vec<FrictionPair> = Vec::new();
    }
}

impl Contact {
    /// Friction that `pair` gives two parts by name; the last one counts.
    pub fn friction_between(&self, a: &str, b: &str) -> Option<f64> {
        let names = |pair: &&FrictionPair| (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
        self.pair.iter().rev().find(names).map(|pair| pair.friction)
    }

    /// Distance of a cloth's middle surface from an obstacle with a padding [m].
    pub(crate) fn distance_from(&self, cloth: &Cloth, padding: f64) -> f64 {
        match self.threshold {
            AutoLength::Metres(threshold) => threshold,
            AutoLength::Auto => 0.5 * cloth.kept_thickness() + padding,
        }
    }

    /// Friction of a cloth with an obstacle: what is `given` for the pair, else the geometric mean of what both say, else what the
    /// cloth says.
    pub(crate) fn friction_on(&self, cloth: &Cloth, obstacle: Option<Friction>, given: Option<f64>) -> Friction {
        let own = cloth.kept_friction();
        match (given, obstacle) {
            (Some(given), _) => self.friction_by_law(given),
            (None, Some(obstacle)) => obstacle.with_cloth(own),
            (None, None) => self.friction_by_law(own),
        }
    }

    /// A coefficient of friction under the law of these settings.
    pub fn friction_by_law(&self, coefficient: f64) -> Friction {
        match self.friction_law {
            // The paper's factor cancels at most all tangential motion.
            FrictionLaw::Scaled => Friction::Scaled(coefficient.min(1.0)),
            FrictionLaw::Coulomb => Friction::Coulomb(coefficient),
        }
    }
}
