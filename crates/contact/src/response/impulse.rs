//! The impulse response: touching features stop approaching, with Coulomb friction, and keep their thickness.
//!
//! **What.** For each [`Contact`] with normal n, weights `w_i` and compliance `k = Σ w_i² m_i⁻¹`, an impulse `I = p n + f` is
//! sought such that after it
//! ```text
//! v_n = n · Σ w_i v_i ≥ −e v_n⁻,   p ≥ 0,   p = 0 where v_n is larger      (restitution e, v_n⁻ < 0 the approach before)
//! |f| ≤ μ p,   and either the slip v_t is 0 or f = −μ p v_t / |v_t|        (Coulomb: sticking or sliding)
//! ```
//! Contacts that share corners disturb each other, so [`respond`] passes over the list several times (Gauss–Seidel, in list
//! order). What a touch has received is remembered: a later pass may take back an impulse that others made needless, but
//! never beyond zero, and its friction never exceeds μ times its normal impulse. Point masses answer alike in all
//! directions, so friction does not disturb the normal part and can be solved in closed form.
//!
//! **From.** Kimmerle 2005, §3.2.1 (sharing among corners) and §3.2.3 (impulses, friction by micro-collisions after Provot
//! 1997 and Bridson 2002), who sets e = 0. Two slips are put right: with `Δv_4 = I/m_4` the impulse is `−v_n/k`, as printed
//! the approach doubles; and the weights of equation 3.3 belong to the opposite ends.
//!
//! **Contract.** Arrays run over all vertices: those of the cloth, then those of obstacles. Held vertices and obstacles
//! have inverse mass 0 and the velocities they are known to have. Velocities are those of the step, `v = (x_t1 − x_t0) / h`:
//! 1. the caller finds contacts, at the start of the step or at the time of impact, and calls [`respond`] on v;
//! 2. it rebuilds `x_t1 = x_t0 + h v`, and keeps v as the velocity of the cloth;
//! 3. it calls [`set_apart`] on `x_t1`, which moves pairs nearer than their thickness away from each other. This changes no
//!    velocity: what was pressed together is not thrown apart.
//!
//! **Conservation.** Each impulse changes no momentum. Normal impulses change no angular momentum about the positions the
//! touch was found at; friction across a gap g turns the pair by `g n × f`, as it does in the paper.
//!
//! **When it fails.** The passes need not converge: [`ImpulseReport::left`] is the largest approach that remains. Touches
//! none of whose corners can move are counted, not solved.

use toile_mesh::DVec3;

use crate::Contact;

/// How impulses are sought.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ImpulseSettings {
    /// Restitution e, within 0 (default: nothing springs back) and 1 (the approach is reversed).
    pub restitution: f64,
    /// Passes over the contacts, 8 by default. More bring contacts that share corners nearer to their common solution.
    pub passes: usize,
    /// Share of the missing distance that [`set_apart`] restores per call, within 0 and 1; 0.25 by default. Larger values
    /// restore the thickness in fewer steps, and jerk more.
    pub share: f64,
}

impl Default for ImpulseSettings {
    fn default() -> Self {
        Self { restitution: 0.0, passes: 8, share: 0.25 }
    }
}

/// What [`respond`] did.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ImpulseReport {
    /// Contacts nearer than their thickness.
    pub near: usize,
    /// Of these, contacts none of whose corners can move.
    pub immovable: usize,
    /// Contacts with a normal impulse.
    pub pushed: usize,
    /// Of these, contacts whose slip friction could remove altogether.
    pub sticking: usize,
    /// Sum of the normal impulses [N s].
    pub normal: f64,
    /// Largest speed at which a touch still approaches [m/s].
    pub left: f64,
}

/// A contact that is solved: what it has received, and where its normal velocity should be.
struct Solved<'a> {
    contact: &'a Contact,
    friction: f64,
    /// k [1/kg].
    compliance: f64,
    /// Least normal velocity wanted [m/s].
    target: f64,
    /// p [N s].
    normal: f64,
    /// f [N s].
    tangential: DVec3,
}

impl Solved<'_> {
    /// One visit: the normal impulse first, then friction within what it allows.
    fn visit(&mut self, inverse_mass: &[f64], v: &mut [DVec3]) {
        let n = self.contact.normal;
        let before = self.contact.relative(v);
        // A maximum with 0 also turns a velocity that is not a number into no impulse.
        let normal = (self.normal + (self.target - before.dot(n)) / self.compliance).max(0.0);
        let wanted = self.tangential - before.reject_from_normalized(n) / self.compliance;
        let (length, limit) = (wanted.length(), self.friction * normal);
        let tangential = if length <= limit {
            wanted
        } else if limit > 0.0 {
            wanted * (limit / length)
        } else {
            DVec3::ZERO
        };
        self.contact.push(n * (normal - self.normal) + (tangential - self.tangential), inverse_mass, v);
        (self.normal, self.tangential) = (normal, tangential);
    }
}

/// Stops touching features from approaching; see the module for the contract.
///
/// `v` are the velocities of the step [m/s], `inverse_mass` in [1/kg].
///
/// ```
/// use toile_collide::impact::PairKind;
/// use toile_contact::{Contact, Friction, ImpulseSettings, respond};
/// use toile_mesh::DVec3;
/// // A vertex of 1 g comes down on a fixed triangle.
/// let x = [DVec3::new(0.2, 0.001, 0.2), DVec3::ZERO, DVec3::Z, DVec3::X];
/// let mut v = [DVec3::new(0.0, -3.0, 0.0), DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
/// let touch = Contact::at(PairKind::VertexFace, [0, 1, 2, 3], &x);
/// let contact = Contact { friction: Friction::Coulomb(0.5), keep: 0.002, ..touch };
/// let report = respond(&[contact], &[1000.0, 0.0, 0.0, 0.0], &mut v, &ImpulseSettings::default());
/// assert_eq!(report.pushed, 1);
/// assert!(v[0].length() < 1e-15 && (report.normal - 0.003).abs() < 1e-15);
/// ```
///
/// # Panics
/// If a touch names a vertex that does not exist.
pub fn respond(
    contacts: &[Contact],
    inverse_mass: &[f64],
    v: &mut [DVec3],
    settings: &ImpulseSettings,
) -> ImpulseReport {
    let restitution = settings.restitution.clamp(0.0, 1.0);
    let mut report = ImpulseReport::default();
    let mut active = Vec::new();
    for contact in contacts.iter().filter(|contact| contact.gap < contact.keep) {
        report.near += 1;
        let compliance = contact.compliance(inverse_mass);
        if compliance > 0.0 {
            let target = restitution * (-contact.relative(v).dot(contact.normal)).max(0.0);
            let friction = contact.friction.coefficient().max(0.0);
            active.push(Solved { contact, friction, compliance, target, normal: 0.0, tangential: DVec3::ZERO });
        } else {
            report.immovable += 1;
        }
    }
    for _ in 0..settings.passes {
        for contact in &mut active {
            contact.visit(inverse_mass, v);
        }
    }
    for Solved { contact, friction, normal, tangential, .. } in active {
        report.left = report.left.max(-contact.relative(v).dot(contact.normal));
        report.normal += normal;
        if normal > 0.0 {
            report.pushed += 1;
            report.sticking += usize::from(tangential.length() < friction * normal);
        }
    }
    report
}

/// Moves pairs nearer than their thickness apart by a share of what is missing, and returns how many there were.
///
/// `x` are the positions at the end of the step [m]. The distance of a pair is measured there along the normal of its
/// touch, between the points its weights name, so a pair that went through has a negative one. See the module.
///
/// # Panics
/// If a touch names a vertex that does not exist.
pub fn set_apart(contacts: &[Contact], inverse_mass: &[f64], x: &mut [DVec3], settings: &ImpulseSettings) -> usize {
    let share = settings.share.clamp(0.0, 1.0);
    let mut wanted = Vec::new();
    for contact in contacts {
        let gap = contact.relative(x).dot(contact.normal);
        let compliance = contact.compliance(inverse_mass);
        if gap < contact.keep && compliance > 0.0 {
            wanted.push((contact, gap + share * (contact.keep - gap), compliance));
        }
    }
    for _ in 0..settings.passes {
        for &(contact, distance, compliance) in &wanted {
            let missing = distance - contact.relative(x).dot(contact.normal);
            if missing > 0.0 {
                contact.push(contact.normal * (missing / compliance), inverse_mass, x);
            }
        }
    }
    wanted.len()
}
