//! [`Recorded`]: the items of a run, frame by frame from its folder.

use std::borrow::Cow;
use std::ops::Range;

use miette::{IntoDiagnostic, Result};
use toile::World;
use toile_mesh::{DVec2, DVec3, VertexId};
use toile_scene::{Performer, Run};
use toile_view::linear_from_srgb;

use super::bones::Bones;
use super::item::{Item, Items, Way};
use super::rigid::Rigid;
use crate::picture;
use crate::texture::Sheet;

/// Where the positions of an item come from.
enum Source {
    /// Particles of the world.
    Cloth(Range<usize>),
    /// The number of an obstacle.
    Solid(usize),
}

/// A recorded run with its items.
pub(crate) struct Recorded<'a> {
    run: &'a Run,
    world: Cow<'a, World>,
    items: Vec<Item>,
    sources: Vec<Source>,
}

impl<'a> Recorded<'a> {
    pub(crate) fn new(run: &'a Run) -> Result<Self> {
        let world = run.world().recorded();
        let mut recorded = Self { run, world, items: Vec::new(), sources: Vec::new() };
        recorded.add_cloths();
        for i in 0..recorded.world.obstacle_count() {
            recorded.add_solid(i)?;
        }
        Ok(recorded)
    }

    fn add_cloths(&mut self) {
        let (world, scene) = (&self.world, self.run.scene());
        let (corners, strain) = (world.flat_corners(), world.particle_strain());
        for (c, range) in world.model().cloths.iter().enumerate() {
            let first = range.start as u32;
            let is_own = |(t, _): &(&[VertexId; 3], &(u32, [DVec2; 3]))| range.contains(&t[0].index());
            let own: Vec<_> = world.triangles().iter().zip(&corners).filter(is_own).collect();
            let triangles: Vec<[VertexId; 3]> = own.iter().map(|(t, _)| t.map(|v| VertexId(v.0 - first))).collect();
            if triangles.is_empty() {
                continue;
            }
            // Panels are counted through all cloths; each cloth has a sheet of its own.
            let panel = own.iter().map(|(_, (panel, _))| *panel).min().unwrap_or(0);
            let places: Vec<(u32, [DVec2; 3])> = own.iter().map(|(_, (p, place))| (p - panel, *place)).collect();
            let (cloth, name) = (&scene.cloth[c], scene.cloth_name(c));
            let worn = self.run.dressed().and_then(|d| d.garments.iter().find(|garment| garment.cloth == c));
            let fabric = worn.map_or(cloth.fabric.as_str(), |garment| garment.fabric());
            let values = strain[range.clone()].iter().map(|s| *s as f32).collect();
            self.items.push(Item {
                material: if fabric.is_empty() { name.clone() } else { fabric.to_owned() },
                name,
                color: picture::unit(cloth.color).map(linear_from_srgb),
                triangles,
                uv: Some(Sheet::new(&places).uv),
                values: vec![("_STRAIN".to_owned(), values)],
                way: if self.run.log().len() > 1 { Way::Free } else { Way::Still },
            });
            self.sources.push(Source::Cloth(range.clone()));
        }
    }

    fn add_solid(&mut self, i: usize) -> Result<()> {
        let scene = self.run.scene();
        let body = i.checked_sub(scene.obstacle.len());
        let name = scene.solid_name(i);
        let item = Item {
            material: if body.is_some() { "skin".to_owned() } else { name.clone() },
            name,
            color: picture::unit(scene.solid_color(i)).map(linear_from_srgb),
            triangles: self.world.obstacle_mesh_at(i.into(), 0.0).triangles,
            uv: None,
            values: Vec::new(),
            way: self.way(i, body)?,
        };
        if !item.triangles.is_empty() {
            self.items.push(item);
            self.sources.push(Source::Solid(i));
        }
        Ok(())
    }

    /// How an obstacle or a body moves, from its positions in all frames.
    fn way(&self, i: usize, body: Option<usize>) -> Result<Way> {
        let positions = |frame: usize| self.world.obstacle_mesh_at(i.into(), self.time(frame)).positions;
        let start = positions(0);
        let frames = self.frames();
        let moved = (1..frames).any(|k| positions(k) != start);
        if !moved {
            return Ok(Way::Still);
        }
        if let Some(rigid) = Rigid::new(start)
            && let Some(poses) = (0..frames).map(|k| rigid.pose(&positions(k))).collect::<Option<Vec<_>>>()
        {
            return Ok(Way::Rigid(poses));
        }
        let Some(index) = body else { return Ok(Way::Free) };
        let scene = self.run.scene();
        let known = self.run.dressed().and_then(|dressed| dressed.wearers.iter().find(|w| w.body == index));
        let performer = match known {
            Some(wearer) => wearer.performer.clone(),
            None => Performer::new(&scene.body[index], &scene.body_name(index)).into_diagnostic()?,
        };
        let bones = Bones::new(performer, &scene.body[index]);
        Ok(bones.map_or(Way::Free, |bones| Way::Skinned(Box::new(bones))))
    }
}

impl Items for Recorded<'_> {
    fn items(&self) -> &[Item] {
        &self.items
    }

    fn frames(&self) -> usize {
        self.run.log().len()
    }

    fn rate(&self) -> f64 {
        self.run.scene().time.frame_rate
    }

    fn time(&self, frame: usize) -> f64 {
        self.run.log()[frame].report.time
    }

    fn positions(&self, item: usize, frame: usize) -> Result<Vec<DVec3>> {
        Ok(match &self.sources[item] {
            Source::Cloth(range) => self.run.positions(frame)?[range.clone()].to_vec(),
            Source::Solid(i) => self.world.obstacle_mesh_at((*i).into(), self.time(frame)).positions,
        })
    }

    fn strain(&self, item: usize, frame: usize) -> Result<Option<Vec<f32>>> {
        let Source::Cloth(range) = &self.sources[item] else { return Ok(None) };
        let strain = self.world.particle_strain_at(&self.run.positions(frame)?);
        Ok(Some(strain[range.clone()].iter().map(|s| *s as f32).collect()))
    }
}
