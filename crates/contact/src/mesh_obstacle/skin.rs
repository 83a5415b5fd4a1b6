//! [`Skin`]: which bones a deforming mesh follows, and to which part of a body each vertex belongs.
//!
//! A vertex follows at most four bones with weights `w_b ≥ 0`, `Σ w_b = 1`. Segments are the parts of a body that keep their shape
//! nearly: head, torso, upper arms, forearms, hands, thighs, shanks and feet for a person.

/// Bones that move one vertex at most.
pub const INFLUENCES: usize = 4;

/// How a mesh follows bones.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Skin {
    /// The bones; each comes after its parent.
    pub bones: Vec<Bone>,
    /// For each vertex the bones it follows with their weights, heaviest first; weights sum to one, unused ones are zero.
    pub influences: Vec<[Influence; INFLUENCES]>,
    /// Names of the segments, as `left forearm`.
    pub segments: Vec<String>,
    /// The segment of each vertex: its number among the names.
    pub segment: Vec<u32>,
}

/// A bone of a skin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bone {
    /// Name, as `left elbow` for what the left elbow moves.
    pub name: String,
    /// Number of the bone that carries it; `None` for the root.
    pub parent: Option<u32>,
}

/// A bone that a vertex follows.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Influence {
    /// Number of the bone.
    pub bone: u32,
    /// Its share.
    pub weight: f64,
}

impl Skin {
    /// Whether it is a skin of a mesh with so many vertices: counts match, numbers are in range, weights sum to one.
    ///
    /// ```
    /// use toile_contact::{Bone, Influence, Skin};
    /// let whole = [Influence { bone: 0, weight: 1.0 }, Influence::default(), Influence::default(), Influence::default()];
    /// let skin = Skin {
    ///     bones: vec![Bone { name: "root".into(), parent: None }],
    ///     influences: vec![whole; 3],
    ///     segments: vec!["torso".into()],
    ///     segment: vec![0; 3],
    /// };
    /// assert!(skin.fits(3) && !skin.fits(4));
    /// ```
    pub fn fits(&self, vertices: usize) -> bool {
        let is_whole = |influences: &[Influence; INFLUENCES]| {
            let sum: f64 = influences.iter().map(|influence| influence.weight).sum();
            let known = influences.iter().all(|i| i.weight >= 0.0 && (i.bone as usize) < self.bones.len());
            known && (sum - 1.0).abs() < 1e-6
        };
        let before = |(i, bone): (usize, &Bone)| bone.parent.is_none_or(|parent| (parent as usize) < i);
        self.influences.len() == vertices
            && self.segment.len() == vertices
            && self.influences.iter().all(is_whole)
            && self.segment.iter().all(|segment| (*segment as usize) < self.segments.len())
            && self.bones.iter().enumerate().all(before)
    }
}
