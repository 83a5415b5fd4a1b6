//! [`Worn`]: what is worn and who wears it, as items of a result that does not move.

use miette::Result;
use toile_mesh::DVec3;
use toile_tailor::fit::Field;
use toile_view::linear_from_srgb;

use super::{Tried, views};
use crate::results::{Item, Items, Way};

/// Garments from the innermost to the outermost, then the body.
pub(super) struct Worn {
    items: Vec<Item>,
    positions: Vec<Vec<DVec3>>,
}

impl Worn {
    /// Of garments that are worn together.
    pub(super) fn new(all: &[Tried]) -> Self {
        let linear = |colour: [f32; 3]| colour.map(linear_from_srgb);
        let mut worn = Self { items: Vec::new(), positions: Vec::new() };
        for tried in all {
            let garment = tried.garment();
            let values = |field: Field| tried.fit.values(field).iter().map(|value| *value as f32).collect();
            worn.items.push(Item {
                name: garment.name().to_owned(),
                material: garment.fabric().to_owned(),
                color: linear(views::colour(garment.fabric())),
                triangles: garment.welded.mesh.triangles.clone(),
                uv: Some(tried.sheet().uv),
                values: Field::ALL.iter().map(|field| (field.attribute().to_owned(), values(*field))).collect(),
                way: Way::Still,
            });
            worn.positions.push(garment.x.clone());
        }
        if let Some(tried) = all.first() {
            let wearer = tried.wearer();
            worn.items.push(Item {
                name: wearer.name.clone(),
                material: "skin".to_owned(),
                color: linear(views::SKIN),
                triangles: wearer.mesh.triangles.clone(),
                uv: None,
                values: Vec::new(),
                way: Way::Still,
            });
            worn.positions.push(wearer.mesh.positions.clone());
        }
        worn
    }
}

impl Items for Worn {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn frames(&self) -> usize {
        1
    }

    fn rate(&self) -> f64 {
        1.0
    }

    fn time(&self, _: usize) -> f64 {
        0.0
    }

    fn positions(&self, item: usize, _: usize) -> Result<Vec<DVec3>> {
        Ok(self.positions[item].clone())
    }

    fn strain(&self, _: usize, _: usize) -> Result<Option<Vec<f32>>> {
        Ok(None)
    }
}
