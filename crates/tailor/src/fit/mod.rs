//! Fit: how a garment sits on a body, as numbers per vertex and per zone (Kimmerle 2005, §6.3–6.4).
//!
//! - [`VertexFit`]: strain and stress along the threads, distance to the body, pressure on it; [`Field`] names them for
//!   maps and files.
//! - [`Zone`]: girths of body and garment in the planes where a tailor measures, with what was [`Meant`] and a [`Verdict`].
//! - [`Hem`]: girth, width and folds of the lower border. [`Length`]: along the front, the back, the sleeve.
//!
//! Everything is a function of positions, cut and body: nothing here knows how the garment got there, so several garments
//! on one body are several inputs. Stresses and pressures are those of a cloth at rest that follows its fabric's law, and
//! mean little before it has settled, or where it was draped without finite elements.
//!
//! ```
//! use std::ops::ControlFlow;
//! use toile::Fabric;
//! use toile_body::{Specification, sizes};
//! use toile_garment::draft::{Choices, Design, draft};
//! use toile_tailor::fit::{Fit, FitInput, Intention};
//! use toile_tailor::{Garment, TryOn, Wearer};
//! let size = sizes::named("woman-38").expect("a size of the table");
//! let wearer = Wearer::mannequin("eve", &Specification { triangles: 3000, ..size })?;
//! let skirt = draft(Design::ALineSkirt, &wearer.figuring.measurements, &Choices::new())?;
//! let garment = Garment { distance: 0.06, ..Garment::new(skirt, Fabric::default()) };
//! let wish = TryOn { most_time: 0.2, ..TryOn::new(garment, wearer) };
//! let worn = wish.run(&mut |_| ControlFlow::Continue(()))?;
//! let fit = Fit::of(&FitInput {
//!     x: &worn.world.state().x,
//!     triangles: worn.world.triangles(),
//!     cut: &worn.garments[0].welded.flat,
//!     borders: &worn.garments[0].flat.sewn().borders,
//!     fabric: &worn.garments[0].asked.fabric,
//!     fabrics: &[],
//!     body: &wish.wearer.mesh,
//!     landmarks: &wish.wearer.figuring.landmarks,
//!     meant: Intention::CutFor(&wish.wearer.figuring.measurements),
//! });
//! let waist = fit.zones.iter().find(|zone| zone.name() == "waist").expect("a skirt has a waist");
//! assert!((waist.ease - (waist.garment - waist.body)).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod field;
mod hem;
mod length;
mod meant;
mod place;
mod pressure;
mod recommend;
mod section;
mod verdict;
mod zone;

use rayon::prelude::*;
use serde::Serialize;
use toile_body::measure::Landmarks;
use toile_cloth::Fabric;
use toile_contact::{Foot, NearestFace};
use toile_mesh::{DVec2, DVec3, TriMesh, VertexId};

pub use field::{Field, VertexFit};
pub use hem::{FOLD_DEPTH, Hem};
pub use length::{Length, LengthKind};
pub use meant::{GarmentKind, Intention, Meant};
pub use place::{Extreme, Place};
pub use recommend::{Recommendation, Trial, recommend};
pub use section::{Curve, Piece, border, curves};
pub use verdict::{
    CLOSE_SHARE, INTENDED_SHARE, MOST_INTENDED_SHARE, MOST_USUAL_SHARE, TIGHT_TENSION, TOO_TIGHT_TENSION,
    UNNOTICED_SHARE, Verdict,
};
pub use zone::Zone;

/// A garment on a body, to be looked at.
#[derive(Clone, Copy, Debug)]
pub struct FitInput<'a> {
    /// Where its vertices are [m].
    pub x: &'a [DVec3],
    /// Its triangles, outer side counter-clockwise.
    pub triangles: &'a [[VertexId; 3]],
    /// The corners of each triangle along warp and weft as it was cut [m].
    pub cut: &'a [[DVec2; 3]],
    /// Its borders: loops of vertices, along the triangles beside them.
    pub borders: &'a [Vec<u32>],
    /// What it is made of.
    pub fabric: &'a Fabric,
    /// What each triangle is made of, shape `[triangles]`; empty if all are of `fabric`.
    pub fabrics: &'a [&'a Fabric],
    /// Who wears it.
    pub body: &'a TriMesh,
    /// Where the body is measured.
    pub landmarks: &'a Landmarks,
    /// What tells the ease that it is meant to have: what is wide or narrow by intention is neither loose nor tight.
    pub meant: Intention<'a>,
}

impl<'a> FitInput<'a> {
    /// What a triangle is made of.
    fn fabric_of(&self, triangle: usize) -> &'a Fabric {
        self.fabrics.get(triangle).copied().unwrap_or(self.fabric)
    }
}

/// How a garment sits on a body.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Fit {
    /// The zones that the garment covers, from head to foot as they are measured.
    pub zones: Vec<Zone>,
    /// Lengths of the garment.
    pub lengths: Vec<Length>,
    /// The lower border; `None` if there is none.
    pub hem: Option<Hem>,
    /// For each field the value that one vertex in a hundred exceeds, in the order of [`Field::ALL`].
    pub peaks: Vec<Peak>,
    /// What holds at each vertex, shape `[vertices]`.
    #[serde(skip)]
    pub vertices: Vec<VertexFit>,
}

/// A value that few vertices exceed.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Peak {
    /// Of what.
    pub field: Field,
    /// The value, in the unit of the field.
    pub value: f64,
    /// Where the vertex is that has it; `None` of a garment without vertices.
    pub place: Option<Place>,
}

/// Share of the vertices that exceed a peak: single ones beside a crease say nothing about a garment.
const PEAK_SHARE: f64 = 0.01;

impl Fit {
    /// Looks at a garment.
    pub fn of(input: &FitInput<'_>) -> Self {
        let body = NearestFace::new(input.body.clone());
        let feet: Vec<Option<Foot>> = input.x.par_iter().map(|p| body.nearest(*p)).collect();
        let elements = field::elements(input);
        let mut vertices = field::averaged(input, &elements);
        let pressure = pressure::on_body(input, &feet);
        for ((vertex, foot), pressure) in vertices.iter_mut().zip(&feet).zip(pressure) {
            vertex.gap = foot.map_or(0.0, |foot| foot.distance);
            vertex.pressure = pressure;
        }
        let peaks = Field::ALL.map(|field| {
            let (value, vertex) = peak(vertices.iter().map(|v| v.get(field)));
            let place = vertex.map(|v| Place::of(input.x[v], input.landmarks.crotch, input.landmarks.floor));
            Peak { field, value, place }
        });
        Self {
            zones: zone::zones(input, &elements, &vertices),
            lengths: length::lengths(input),
            hem: Hem::of(input),
            peaks: peaks.to_vec(),
            vertices,
        }
    }

    /// The values of a field, shape `[vertices]`.
    pub fn values(&self, field: Field) -> Vec<f64> {
        self.vertices.iter().map(|vertex| vertex.get(field)).collect()
    }

    /// The value that one vertex in a hundred exceeds.
    pub fn peak(&self, field: Field) -> f64 {
        self.peaks.iter().find(|peak| peak.field == field).map_or(0.0, |peak| peak.value)
    }

    /// Where that value is.
    pub fn peak_place(&self, field: Field) -> Option<Place> {
        self.peaks.iter().find(|peak| peak.field == field).and_then(|peak| peak.place)
    }
}

/// The value that [`PEAK_SHARE`] of all values exceed, and the number of the first that has it.
fn peak(values: impl Iterator<Item = f64>) -> (f64, Option<usize>) {
    let mut sorted: Vec<(f64, usize)> = values.zip(0..).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let place = ((1.0 - PEAK_SHARE) * sorted.len() as f64) as usize;
    let found = sorted.get(place.min(sorted.len().saturating_sub(1)));
    found.map_or((0.0, None), |(value, number)| (*value, Some(*number)))
}

#[cfg(test)]
mod tests;
