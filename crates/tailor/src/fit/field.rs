//! [`VertexFit`]: what holds at a vertex of a worn garment, and [`Field`]: the names of these numbers.
//!
//! Strains are those that the solver works with ([`StrainMeasure::Threads`]): engineering strain along warp and weft,
//! `ε = |F e| − 1`, and the angle `γ` by which the threads have turned towards each other. Stresses `s1`, `s2`, `t` are
//! the fabric's answer to them, per width of cut cloth. As a single number for how much is asked of a cloth,
//!
//! ```text
//! σ = √(s1² − s1 s2 + s2² + 3 t²)
//! ```
//!
//! is formed like the equivalent stress of von Mises in plane stress. It is constant on a triangle; a vertex takes the mean of its
//! triangles, with their cut areas as weights.

use serde::Serialize;
use toile_cloth::element::{Membrane, MembraneLaw, StrainMeasure};
use toile_mesh::DVec2;

use super::FitInput;

/// What holds at a vertex of a worn garment.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct VertexFit {
    /// Engineering strain along warp and weft, and shear angle [1, 1, rad].
    pub strain: [f64; 3],
    /// Stress along warp and weft, and of shear, per width [N/m].
    pub stress: [f64; 3],
    /// Equivalent stress per width [N/m].
    pub equivalent: f64,
    /// Distance to the body, negative inside [m].
    pub gap: f64,
    /// Pressure on the body [Pa].
    pub pressure: f64,
}

/// One of the numbers of a [`VertexFit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The larger of the strains along warp and weft.
    Strain,
    /// Engineering strain along the warp.
    StrainWarp,
    /// Engineering strain along the weft.
    StrainWeft,
    /// Angle between the threads less a right angle [rad].
    StrainShear,
    /// Stress along the warp [N/m].
    StressWarp,
    /// Stress along the weft [N/m].
    StressWeft,
    /// Shear stress [N/m].
    StressShear,
    /// Equivalent stress [N/m].
    StressEquivalent,
    /// Distance to the body [m].
    Gap,
    /// Pressure on the body [Pa].
    Pressure,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Strain,
        Self::StrainWarp,
        Self::StrainWeft,
        Self::StrainShear,
        Self::StressWarp,
        Self::StressWeft,
        Self::StressShear,
        Self::StressEquivalent,
        Self::Gap,
        Self::Pressure,
    ];

    /// Name as an attribute of vertices in files.
    pub const fn attribute(self) -> &'static str {
        match self {
            Self::Strain => "_STRAIN",
            Self::StrainWarp => "_STRAIN_WARP",
            Self::StrainWeft => "_STRAIN_WEFT",
            Self::StrainShear => "_STRAIN_SHEAR",
            Self::StressWarp => "_STRESS_WARP",
            Self::StressWeft => "_STRESS_WEFT",
            Self::StressShear => "_STRESS_SHEAR",
            Self::StressEquivalent => "_STRESS_EQUIVALENT",
            Self::Gap => "_GAP",
            Self::Pressure => "_PRESSURE",
        }
    }
}

impl VertexFit {
    /// The number that a field names.
    pub const fn get(&self, field: Field) -> f64 {
        match field {
            Field::Strain => self.strain[0].max(self.strain[1]),
            Field::StrainWarp => self.strain[0],
            Field::StrainWeft => self.strain[1],
            Field::StrainShear => self.strain[2],
            Field::StressWarp => self.stress[0],
            Field::StressWeft => self.stress[1],
            Field::StressShear => self.stress[2],
            Field::StressEquivalent => self.equivalent,
            Field::Gap => self.gap,
            Field::Pressure => self.pressure,
        }
    }
}

/// What holds in a triangle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ElementFit {
    pub(super) area: f64,
    pub(super) strain: [f64; 3],
    pub(super) stress: [f64; 3],
}

/// Strains and stresses of all triangles; those without area have none.
pub(super) fn elements(input: &FitInput<'_>) -> Vec<ElementFit> {
    let element = |(f, (nodes, cut)): (usize, ([u32; 3], [DVec2; 3]))| {
        let fabric = input.fabric_of(f);
        let law = MembraneLaw::new(fabric, StrainMeasure::Threads);
        let [a, b, c] = cut;
        let area = 0.5 * (b - a).perp_dot(c - a).abs();
        let membrane = Membrane::new(nodes, cut, law.buckling(fabric, area), 0.0)?;
        Some(ElementFit { area, strain: membrane.strains(input.x), stress: membrane.stresses(input.x) })
    };
    let triangles = input.triangles.iter().map(|t| t.map(|v| v.0));
    triangles.zip(input.cut.iter().copied()).enumerate().map(|pair| element(pair).unwrap_or_default()).collect()
}

/// Means over the triangles of each vertex.
pub(super) fn averaged(input: &FitInput<'_>, elements: &[ElementFit]) -> Vec<VertexFit> {
    let mut sums = vec![(VertexFit::default(), 0.0); input.x.len()];
    for (triangle, element) in input.triangles.iter().zip(elements) {
        for v in triangle {
            let (sum, area) = &mut sums[v.index()];
            *area += element.area;
            for k in 0..3 {
                sum.strain[k] += element.area * element.strain[k];
                sum.stress[k] += element.area * element.stress[k];
            }
            sum.equivalent += element.area * equivalent(element.stress);
        }
    }
    let mean = |(sum, area): (VertexFit, f64)| {
        let over = |value: f64| if area > 0.0 { value / area } else { 0.0 };
        VertexFit {
            strain: sum.strain.map(over),
            stress: sum.stress.map(over),
            equivalent: over(sum.equivalent),
            ..VertexFit::default()
        }
    };
    sums.into_iter().map(mean).collect()
}

/// Equivalent stress [N/m].
fn equivalent([s1, s2, t]: [f64; 3]) -> f64 {
    (s1 * s1 - s1 * s2 + s2 * s2 + 3.0 * t * t).sqrt()
}
