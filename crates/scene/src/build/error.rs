//! Why a scene cannot become a world.

use std::path::PathBuf;

use toile::WorldError;
use toile_body::BodyFileError;
use toile_files::FileError;
use toile_garment::draft::DraftError;
use toile_garment::file::PatternFileError;
use toile_mesh::check::CheckReport;
use toile_tailor::TryOnError;

/// Why a scene cannot become a world.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A mesh file could not be read.
    #[error("cloth \"{cloth}\": {source}")]
    File {
        /// Name of the cloth.
        cloth: String,
        /// What is wrong with the file.
        source: FileError,
    },
    /// A fabric cannot be used.
    #[error("cloth \"{cloth}\": {source}; {help}")]
    Fabric {
        /// Name of the cloth.
        cloth: String,
        /// How to fix it.
        help: String,
        /// What is wrong with the fabric.
        source: Box<crate::fabric::FabricFileError>,
    },
    /// A mesh cannot be simulated.
    #[error("cloth \"{cloth}\": mesh {path} cannot be used:\n{report}", path = path.display())]
    Mesh {
        /// Name of the cloth.
        cloth: String,
        /// The mesh file.
        path: PathBuf,
        /// What the mesh check found.
        report: Box<CheckReport>,
    },
    /// A file of a mesh obstacle could not be read.
    #[error("obstacle \"{obstacle}\": {source}")]
    ObstacleFile {
        /// Name of the obstacle.
        obstacle: String,
        /// What is wrong with the file.
        source: FileError,
    },
    /// A mesh cannot be an obstacle.
    #[error("obstacle \"{obstacle}\": mesh {path} cannot be used:\n{report}", path = path.display())]
    ObstacleMesh {
        /// Name of the obstacle.
        obstacle: String,
        /// The mesh file.
        path: PathBuf,
        /// What the mesh check found.
        report: Box<CheckReport>,
    },
    /// Positions of a mesh obstacle cannot be used.
    #[error("obstacle \"{obstacle}\": {path}: {reason}; {remedy}", path = path.display())]
    ObstacleKeyframes {
        /// Name of the obstacle.
        obstacle: String,
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do.
        remedy: String,
    },
    /// A body cannot be made.
    #[error("body \"{body}\": {reason}; {help}")]
    Body {
        /// Name of the body.
        body: String,
        /// What is wrong.
        reason: String,
        /// How to mend it.
        help: String,
    },
    /// A garment is not worn by its body.
    #[error(
        "cloth \"{cloth}\" is a garment, but no body wears it; add a table `[[body]]`, and dress it for this scene"
    )]
    NotDressed {
        /// Name of the cloth.
        cloth: String,
    },
    /// A garment cannot be put on.
    #[error("body \"{body}\": {source}")]
    Garment {
        /// Name of the body.
        body: String,
        /// Why not.
        source: Box<GarmentError>,
    },
    /// The parts cannot become a world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The caller broke it off.
    #[error("building the world was cancelled")]
    Cancelled,
}

/// Why a garment of a scene cannot be made or put on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GarmentError {
    /// The pattern file cannot be used.
    #[error("{0}; {help}", help = .0.help())]
    File(#[from] PatternFileError),
    /// There is no such size, or its chart cannot be used.
    #[error("{0}; {help}", help = .0.help())]
    Size(#[from] BodyFileError),
    /// The pattern cannot be drafted.
    #[error(transparent)]
    Draft(#[from] DraftError),
    /// Nobody has decided about some seams of a drawn pattern.
    #[error(
        "{file}: {doubt}; list the seams of the garment in {}, as `toile try-on` proposes them",
        side_file.display()
    )]
    Doubtful {
        /// The file.
        file: String,
        /// What is not certain.
        doubt: String,
        /// Where they can be listed.
        side_file: PathBuf,
    },
    /// It cannot be put on.
    #[error(transparent)]
    TryOn(#[from] TryOnError),
}
