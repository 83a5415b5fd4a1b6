//! The words after `toile bench`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::drape::DrapeArgs;
use super::try_on::MatrixArgs;

/// Options of `toile bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// What to measure
    #[arg(value_enum, default_value_t = BenchKind::Constraint)]
    pub(crate) kind: BenchKind,
    /// constraint, cloth, drape, scissors: particles per side of the square cloth, squares across the ribbon [default:
    /// 40,80,160,320; cloth: 32,100,316; drape: 64,128, of ribbons 8; scissors: 32,64,128]
    #[arg(long, visible_alias = "size", value_delimiter = ',', value_name = "N,N…", value_parser = clap::value_parser!(u32).range(2..=2000))]
    pub(crate) sizes: Vec<u32>,
    /// constraint, cloth: frames to measure, fewer of large cloths; the median counts
    #[arg(long, default_value_t = 30, value_name = "N")]
    pub(crate) frames: u32,
    /// collide, cloth: shorter, and no meshes beyond 100,000 triangles
    #[arg(long)]
    pub(crate) quick: bool,
    /// collide: these scenes only
    #[arg(long, value_enum, value_delimiter = ',', value_name = "SCENE,…")]
    pub(crate) only: Vec<BenchScene>,
    #[command(flatten)]
    pub(crate) drape: DrapeArgs,
    #[command(flatten)]
    pub(crate) matrix: MatrixArgs,
    /// Also write the results to this file, one JSON line each
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl BenchArgs {
    /// The files that are written.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.out.as_deref().into_iter().chain(self.matrix.sheet.as_deref())
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchScene {
    /// Trousers on a walking figure
    Walk,
    /// A sheet pressed into a ball
    Crumple,
    /// A sheet that never touches itself
    Smooth,
    /// That sheet from 10,000 to 1,000,000 triangles
    Size,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BenchKind {
    /// The constraint solver with self-collision: sizes, threads, methods
    Constraint,
    /// The physical model: sizes, threads, preconditioners, integrators, elements
    Cloth,
    /// Collision detection: bounding volumes, trees, updates, culling, threads, mesh sizes
    Collide,
    /// Whole scenes: cloth on a ball, on a turning ball, a ribbon on a floor; time, stretch, intersections
    Drape,
    /// Bodies: drafting, posing, and its share of a step with cloth on a walker
    Body,
    /// A cut through hanging cloth beside a step, building a hierarchy beside its refit
    Scissors,
    /// A T-shirt from pattern to pictures by phase, as a draft and at 10 mm; or every garment on three bodies (--matrix)
    TryOn,
}
