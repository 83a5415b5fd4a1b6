//! The upper body: necklines, shoulders and armholes of all tops.
//!
//! y = 0 is the waist; the back neck point is at the back length above it. From there, for half a garment:
//! - the side neck point at a fifth of the neck girth from the centre and a sixteenth above the back neck point;
//! - the shoulder point at half the shoulder width, down from the side neck point by the shoulder's slope;
//! - the underarm point at the armscye depth `bust/8 + 10 cm` below the back neck point, a quarter of the garment's girth
//!   from the centre;
//! - the armhole through a pitch point a little inside the shoulder point, further inside in front.

use kurbo::{Point, Vec2};
use toile_body::{Measurement as M, Measurements};

use super::DraftError;
use super::pen::{Pen, p};

/// What a top changes of the body's own lines; lengths [m].
pub(super) struct Ease {
    pub(super) bust: f64,
    pub(super) neck_widen: f64,
    pub(super) front_drop: f64,
    pub(super) back_drop: f64,
    pub(super) armhole_drop: f64,
    pub(super) shoulder_extend: f64,
}

/// Constructed points of half a front and half a back, both at x ≥ 0.
pub(super) struct Bodice {
    /// Side neck point.
    pub(super) neck: Point,
    /// Shoulder point.
    pub(super) shoulder: Point,
    /// Underarm point.
    pub(super) underarm: Point,
    /// Centre of the neckline in front and at the back.
    front_centre: f64,
    back_centre: f64,
    /// How far the armhole's narrowest place is inside the shoulder point, in front and at the back.
    hollow: [f64; 2],
}

/// Height from which armholes are those of adults [m].
const GROWN: f64 = 1.50;

/// Which half.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Half {
    Front,
    Back,
}

impl Bodice {
    pub(super) fn new(body: &Measurements, ease: &Ease) -> Result<Self, DraftError> {
        let nape = body[M::BackLength];
        let round = body[M::Neck] / 5.0;
        // Shoulder seams lie a little flatter than the bone.
        let slope = (body[M::ShoulderSlope] - 0.03).max(0.03).tan();
        let neck_body = p(round, nape + body[M::Neck] / 16.0);
        let on_shoulder = |x: f64| p(x, neck_body.y - (x - neck_body.x) * slope);
        let neck = on_shoulder(round + ease.neck_widen);
        let shoulder = on_shoulder(0.5 * body[M::ShoulderWidth] + ease.shoulder_extend);
        // An eighth of the bust and a length that follows the height of children.
        let depth = body[M::Bust] / 8.0 + 0.10 * (body[M::Height] / GROWN).min(1.0) + ease.armhole_drop;
        let underarm = p((body[M::Bust] + ease.bust) / 4.0, nape - depth);
        if shoulder.x < neck.x + 0.012 {
            let reason = format!("the neckline leaves {:.1} cm of shoulder", 100.0 * (shoulder.x - neck.x));
            return Err(DraftError::impossible(reason, "widen the neck less, or extend the shoulder"));
        }
        if underarm.y > shoulder.y - 0.06 {
            let reason = "the armhole is less than 6 cm deep".to_owned();
            return Err(DraftError::impossible(reason, "raise `armhole_drop`, or check back length and bust"));
        }
        if underarm.x < shoulder.x - 0.02 {
            let reason = "the garment is narrower than the shoulders";
            return Err(DraftError::impossible(reason, "raise `bust_ease`, or check shoulder width and bust"));
        }
        let front_centre = neck_body.y - (round + 0.005) - ease.front_drop;
        let back_centre = nape - ease.back_drop;
        Ok(Self { neck, shoulder, underarm, front_centre, back_centre, hollow: [0.018, 0.006] })
    }

    /// Raises everything above the bust in front by `by` [m]: the length that a side dart takes up.
    pub(super) fn raised(&self, by: f64) -> Self {
        let up = Vec2::new(0.0, by);
        Self {
            neck: self.neck + up,
            shoulder: self.shoulder + up,
            underarm: self.underarm + up,
            front_centre: self.front_centre + by,
            back_centre: self.back_centre + by,
            hollow: self.hollow,
        }
    }

    /// Centre of the neckline.
    pub(super) fn centre(&self, half: Half) -> Point {
        p(0.0, if half == Half::Front { self.front_centre } else { self.back_centre })
    }

    /// Draws armhole, shoulder and neckline from the underarm point to the centre.
    pub(super) fn draw(&self, pen: Pen, half: Half) -> Pen {
        let inside = if half == Half::Front { self.hollow[0] } else { self.hollow[1] };
        let along = self.shoulder - self.neck;
        let along = along / along.hypot();
        let down = Vec2::new(along.y, -along.x);
        let (under, top) = (self.underarm, self.shoulder);
        let height = top.y - under.y;
        // On wide bodies the armhole does not cut in as far as narrow shoulders would ask for.
        let reach = (0.57 * under.x).min(top.x);
        let pitch = p((top.x - inside).max(reach).min(under.x - 0.01), under.y + 0.42 * height);
        let (wide, low) = (under.x - pitch.x, pitch.y - under.y);
        let scoop = if half == Half::Front { 0.85 } else { 0.72 };
        let pen = pen.cubic("armhole_low", p(under.x - scoop * wide, under.y), p(pitch.x, pitch.y - 0.62 * low), pitch);
        let rise = top.y - pitch.y;
        let pen = pen.cubic("armhole_high", p(pitch.x, pitch.y + 0.4 * rise), top + 0.35 * rise * down, top);
        let centre = self.centre(half);
        let depth = self.neck.y - centre.y;
        let pen = pen.line("shoulder", self.neck);
        let (first, last) = if half == Half::Front { (0.5, 0.62) } else { (0.6, 0.6) };
        pen.cubic("neck", self.neck + first * depth * down, p(last * self.neck.x, centre.y), centre)
    }
}
