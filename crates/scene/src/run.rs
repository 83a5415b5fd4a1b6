//! [`Run`]: a folder on disk that one simulation fills; [`RunReader`]: the same folder, only looked at.
//!
//! ```text
//! scene.toml                 the scene as run, every value written out, file paths absolute
//! garments.toile             garments as they were worn at the start, if there are any
//! frames/positions.f32       positions of every frame (3 × f32 per particle), appended while running
//! frames/log.jsonl           report and verdict of every frame, one line each
//! checkpoint/frame_….toile   saved states, the newest two
//! result.obj, pc2            objects at the start, and the motion of each, as asked for in [output]; written when the run ends
//! result.glb, result.usda    the same in one file
//! report.json                what happened; written last, so its presence means the run is complete
//! ```
//!
//! Whole files are written beside their place and renamed. The two appended files are cut back to the checkpoint when
//! a run is resumed, so that a resumed run ends with the same files as an uninterrupted one (but for times).

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toile::{FrameReport, FrameVerdict, World};
use toile_files::FileError;
use toile_files::atomic::write_atomic;
use toile_mesh::DVec3;
use toile_tailor::Watch;
use tracing::{debug, debug_span, info};

use crate::build::{BuildError, Built};
use crate::checkpoint::{self, CheckpointError};
use crate::kept;
use crate::scene::{Scene, SceneError};
use crate::wardrobe::Dressed;

/// Garments as they were worn at the start.
const GARMENTS: &str = "garments.toile";
/// Checkpoints kept: the newest, and one more should it turn out unreadable.
const KEPT_CHECKPOINTS: usize = 2;

/// Writes garments as they are worn into a folder, as a run does before its first frame: `scene.toml`, with file paths absolute, and
/// `garments.toile`. [`RunReader`] shows them as the only frame.
///
/// ```no_run
/// use std::{ops::ControlFlow, path::Path};
/// use toile_scene::{RunReader, Scene, dress, keep_worn};
/// let scene = Scene::load(Path::new("outfit.toml"))?;
/// if let Some(dressed) = dress(&scene, &mut |_| ControlFlow::Continue(()))? {
///     keep_worn(&scene, &dressed, Path::new("worn"))?;
///     assert_eq!(RunReader::open(Path::new("worn"))?.frame_count(), 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keep_worn(scene: &Scene, dressed: &Dressed, folder: &Path) -> Result<(), RunError> {
    let scene = with_absolute_paths(scene);
    kept::keep(dressed, &scene, &folder.join(GARMENTS))?;
    write_atomic(&folder.join("scene.toml"), scene.to_toml().as_bytes())?;
    Ok(())
}

/// Why a run cannot start or go on.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum RunError {
    /// The scene cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Scene(#[from] SceneError),
    /// The scene cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A checkpoint cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of the run cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds something else than a run.
    #[error("{} is not empty and not a run", path.display())]
    #[diagnostic(help("choose another folder with --out, or empty it; --overwrite replaces only earlier runs"))]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// The folder does not hold a run.
    #[error("{} is not a run: it has no scene.toml", path.display())]
    #[diagnostic(help("give the folder that an earlier `toile run`, `toile demo` or `toile try-on` wrote"))]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds a try-on, which is complete.
    #[error("{} is a try-on: there is nothing to go on with", path.display())]
    #[diagnostic(help("run its scene: toile run {}", path.join("scene.toml").display()))]
    NothingToResume {
        /// The folder.
        path: PathBuf,
    },
    /// The log of the run is damaged.
    #[error("{}:{line}: {reason}", path.display())]
    #[diagnostic(help("the run cannot be resumed or shown; start it again"))]
    Log {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A frame was asked for that the run does not have.
    #[error("{}: there is no frame {frame}; the run has {}", path.display(), frames_there(*count))]
    NoFrame {
        /// The folder.
        path: PathBuf,
        /// The frame asked for.
        frame: usize,
        /// Frames recorded.
        count: usize,
    },
    /// Contacts with meshes could not be searched for.
    #[error("frame {frame}: contacts with meshes cannot be found: {source}")]
    #[diagnostic(help(
        "lower `contact.threshold` if it is far larger than the triangles; use meshes without triangles on top of each other"
    ))]
    Detection {
        /// The frame.
        frame: u32,
        /// What the detector says.
        source: toile_collide::DetectError,
    },
    /// The simulation left the numbers.
    #[error("frame {frame}: {particles} particles have no finite position any more")]
    #[diagnostic(help("use more substeps or iterations, weaker wind or slower obstacles"))]
    NotFinite {
        /// The frame.
        frame: u32,
        /// How many.
        particles: usize,
    },
}

/// One line of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LoggedFrame {
    /// What the frame did.
    pub report: FrameReport,
    /// What the judge said, if it looked.
    pub verdict: Option<FrameVerdict>,
}

/// A simulation and the folder it fills.
#[derive(Debug)]
pub struct Run {
    folder: PathBuf,
    scene: Scene,
    dressed: Option<Dressed>,
    world: World,
    log: Vec<LoggedFrame>,
    positions: BufWriter<File>,
    log_file: BufWriter<File>,
}

impl Run {
    /// Starts a run of `scene` in `folder`, which is made, or overwritten if it holds an earlier run.
    pub fn create(scene: &Scene, folder: &Path) -> Result<Self, RunError> {
        Self::dressing(scene, folder, &mut |_| ControlFlow::Continue(()))
    }

    /// The same; `progress` is called after every frame in which garments are put on. When it breaks, so does the work, with
    /// [`BuildError::Cancelled`], and the folder is left as it is.
    pub fn dressing(scene: &Scene, folder: &Path, progress: &mut Watch<'_>) -> Result<Self, RunError> {
        let scene = with_absolute_paths(scene);
        let built = scene.build(progress)?;
        Self::begin(scene, folder, built)
    }

    /// The same for a scene whose garments [are worn](crate::dress) already.
    pub fn wearing(scene: &Scene, folder: &Path, dressed: Dressed) -> Result<Self, RunError> {
        let scene = with_absolute_paths(scene);
        let built = scene.build_wearing(dressed)?;
        Self::begin(scene, folder, built)
    }

    fn begin(scene: Scene, folder: &Path, built: Built) -> Result<Self, RunError> {
        clear(folder)?;
        for part in ["frames", "checkpoint"] {
            let path = folder.join(part);
            std::fs::create_dir_all(&path).map_err(|source| RunError::Io { path, source })?;
        }
        write_atomic(&folder.join("scene.toml"), scene.to_toml().as_bytes())?;
        if let Some(dressed) = &built.dressed {
            kept::keep(dressed, &scene, &folder.join(GARMENTS))?;
        }
        let mut run = Self::open(folder, scene, built, Vec::new())?;
        let scene = &run.scene;
        let verdict = (scene.output.judge_every > 0).then(|| run.judge());
        let report = FrameReport {
            largest_stretch: run.world.repair().map_or(1.0, |repair| repair.largest_stretch),
            smallest_separation: 1.0,
            gravity_energy: run.world.state().gravity_energy(run.world.model(), DVec3::from(scene.forces.gravity)),
            ..FrameReport::default()
        };
        run.record(LoggedFrame { report, verdict })?;
        info!(scene = run.scene.name, folder = %folder.display(), frames = run.scene.time.frames(), "run started");
        Ok(run)
    }

    /// Takes up the run in `folder` at its newest checkpoint.
    pub fn resume(folder: &Path) -> Result<Self, RunError> {
        if is_try_on(folder) {
            return Err(RunError::NothingToResume { path: folder.to_owned() });
        }
        let (scene, mut built) = read_world(folder)?;
        let world = &mut built.world;
        remove_report(folder)?;
        checkpoint::load(&scene, world, &checkpoint::newest(&folder.join("checkpoint"))?)?;
        let mut log = read_log(folder)?;
        let frames = world.frame() as usize + 1;
        if log.len() < frames {
            let (path, line) = (log_path(folder), log.len());
            let reason = format!("the log ends before frame {} of the checkpoint", world.frame());
            return Err(RunError::Log { path, line, reason });
        }
        log.truncate(frames);
        let io = |path: PathBuf| move |source| RunError::Io { path, source };
        let path = positions_path(folder);
        let bytes = frames as u64 * frame_bytes(world);
        let file = OpenOptions::new().write(true).open(&path).map_err(io(path.clone()))?;
        if file.metadata().map_err(io(path.clone()))?.len() < bytes {
            let reason = format!("positions.f32 ends before frame {} of the checkpoint", world.frame());
            return Err(RunError::Log { path, line: 0, reason });
        }
        file.set_len(bytes).map_err(io(path))?;
        let lines: Vec<u8> = log.iter().flat_map(log_line).collect();
        write_atomic(&log_path(folder), &lines)?;
        info!(scene = scene.name, folder = %folder.display(), frame = world.frame(), "run resumed");
        Self::open(folder, scene, built, log)
    }

    fn open(folder: &Path, scene: Scene, built: Built, log: Vec<LoggedFrame>) -> Result<Self, RunError> {
        let append = |path: PathBuf| {
            let file = OpenOptions::new().create(true).append(true).open(&path);
            file.map(BufWriter::new).map_err(|source| RunError::Io { path, source })
        };
        let (positions, log_file) = (append(positions_path(folder))?, append(log_path(folder))?);
        let Built { world, dressed } = built;
        Ok(Self { folder: folder.to_owned(), scene, dressed, world, log, positions, log_file })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The scene as run, file paths absolute.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The garments that were put on before the start; `None` if the scene has none.
    pub fn dressed(&self) -> Option<&Dressed> {
        self.dressed.as_ref()
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All frames so far, the start included.
    pub fn log(&self) -> &[LoggedFrame] {
        &self.log
    }

    /// Whether all frames of the scene are done.
    pub fn is_complete(&self) -> bool {
        self.world.frame() >= self.scene.time.frames()
    }

    /// Simulates, judges and records what is left. `each` is called after every frame; when it breaks, so does the run, which stays
    /// as it was recorded and can be resumed from its newest checkpoint.
    pub fn run(&mut self, each: &mut dyn FnMut(&LoggedFrame) -> ControlFlow<()>) -> Result<ControlFlow<()>, RunError> {
        while !self.is_complete() {
            if each(self.advance()?).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Simulates, judges and records one frame; saves a checkpoint when one is due.
    pub fn advance(&mut self) -> Result<&LoggedFrame, RunError> {
        let report = self.world.advance();
        if report.non_finite > 0 {
            return Err(RunError::NotFinite { frame: report.frame, particles: report.non_finite });
        }
        if let Some(source) = self.world.failure() {
            return Err(RunError::Detection { frame: report.frame, source });
        }
        let output = self.scene.output.clone();
        let due = |every: u32| every > 0 && (report.frame.is_multiple_of(every));
        let last = report.frame == self.scene.time.frames();
        let verdict = (due(output.judge_every) || (output.judge_every > 0 && last)).then(|| self.judge());
        let checkpoint = due(output.checkpoint_every);
        self.record(LoggedFrame { report, verdict })?;
        if checkpoint {
            let _span = debug_span!("checkpoint").entered();
            // On the disk before the checkpoint that relies on them.
            for (file, path) in
                [(&self.positions, positions_path(&self.folder)), (&self.log_file, log_path(&self.folder))]
            {
                file.get_ref().sync_data().map_err(|source| RunError::Io { path, source })?;
            }
            let folder = self.folder.join("checkpoint");
            let path = checkpoint::save(&self.scene, &self.world, &folder)?;
            debug!(path = %path.display(), "checkpoint written");
            checkpoint::prune(&folder, KEPT_CHECKPOINTS);
        }
        Ok(&self.log[self.log.len() - 1])
    }

    /// What the judge says, its triangles numbered as recorded.
    fn judge(&self) -> FrameVerdict {
        let _span = debug_span!("judge").entered();
        let mut verdict = self.world.judge();
        verdict.triangles.iter_mut().for_each(|t| *t = self.world.recorded_triangle(*t));
        verdict
    }

    fn record(&mut self, frame: LoggedFrame) -> Result<(), RunError> {
        let _span = debug_span!("record").entered();
        let io = |path: PathBuf| move |source| RunError::Io { path, source };
        for p in self.world.recorded_positions().iter() {
            for c in p.to_array() {
                let path = || positions_path(&self.folder);
                self.positions.write_all(&(c as f32).to_le_bytes()).map_err(|e| io(path())(e))?;
            }
        }
        self.positions.flush().map_err(io(positions_path(&self.folder)))?;
        self.log_file.write_all(&log_line(&frame)).map_err(io(log_path(&self.folder)))?;
        self.log_file.flush().map_err(io(log_path(&self.folder)))?;
        self.log.push(frame);
        Ok(())
    }

    /// Positions of a recorded frame [m], rounded to `f32`.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, RunError> {
        read_positions(&self.folder, &self.world, frame, self.log.len())
    }
}

/// A run that is looked at, complete or not; nothing in its folder is changed.
///
/// ```
/// use toile_scene::{Run, RunReader, Scene};
/// # let temporary = tempfile::tempdir()?;
/// # let folder = temporary.path().join("run");
/// let scene = Scene::from_toml("example.toml", "[[cloth]]\nshape = { kind = \"grid\", vertices = [4, 4] }")?;
/// Run::create(&scene, &folder)?.advance()?;
/// let reader = RunReader::open(&folder)?;
/// assert_eq!(reader.frame_count(), 2);
/// assert!(reader.positions(1)?[0].y < reader.positions(0)?[0].y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RunReader {
    folder: PathBuf,
    scene: Scene,
    dressed: Option<Dressed>,
    world: World,
    log: Vec<LoggedFrame>,
    /// Whether garments are worn and nothing was simulated further.
    is_try_on: bool,
}

impl RunReader {
    /// Opens the run in `folder`, as far as it was recorded. Garments that were only [put on](keep_worn) are a run of one frame.
    pub fn open(folder: &Path) -> Result<Self, RunError> {
        let (scene, Built { world, dressed }) = read_world(folder)?;
        let world = world.recorded().into_owned();
        let folder = folder.to_owned();
        if is_try_on(&folder) {
            let log = vec![LoggedFrame { report: FrameReport::default(), verdict: None }];
            return Ok(Self { folder, scene, dressed, world, log, is_try_on: true });
        }
        let folder = folder.as_path();
        let mut log = read_log(folder)?;
        // A run that was cut off, or is still going, may have the positions of a frame but not yet its line, or both.
        let path = positions_path(folder);
        let bytes = std::fs::metadata(&path).map_err(|source| RunError::Io { path, source })?.len();
        log.truncate((bytes / frame_bytes(&world).max(1)) as usize);
        Ok(Self { folder: folder.to_owned(), scene, dressed, world, log, is_try_on: false })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether garments are worn and nothing was simulated further: there is one frame.
    pub fn is_try_on(&self) -> bool {
        self.is_try_on
    }

    /// The scene as run.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The garments that were put on before the start; `None` if the scene has none.
    pub fn dressed(&self) -> Option<&Dressed> {
        self.dressed.as_ref()
    }

    /// The world at its start, as [recorded](World::recorded); recorded frames are told by [`positions`](Self::positions).
    pub fn world(&self) -> &World {
        &self.world
    }

    /// All recorded frames, the start included.
    pub fn log(&self) -> &[LoggedFrame] {
        &self.log
    }

    /// Number of recorded frames, the start included.
    pub fn frame_count(&self) -> usize {
        self.log.len()
    }

    /// Positions of a recorded frame [m], rounded to `f32`.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, RunError> {
        if self.is_try_on && frame == 0 {
            let single = |p: &DVec3| DVec3::from_array(p.to_array().map(|c| f64::from(c as f32)));
            return Ok(self.world.state().x.iter().map(single).collect());
        }
        read_positions(&self.folder, &self.world, frame, self.log.len())
    }
}

/// Whether a folder holds garments as they are worn, and no frames.
fn is_try_on(folder: &Path) -> bool {
    folder.join(GARMENTS).is_file() && !folder.join("frames").exists()
}

/// A scene that means the same from any folder.
fn with_absolute_paths(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for named in scene.files_mut() {
        if let Ok(absolute) = std::path::absolute(&*named) {
            *named = absolute.to_string_lossy().into_owned();
        }
    }
    scene
}

/// The scene that a run was started with, and its world.
fn read_world(folder: &Path) -> Result<(Scene, Built), RunError> {
    let scene_file = folder.join("scene.toml");
    if !scene_file.is_file() {
        return Err(RunError::NotARun { path: folder.to_owned() });
    }
    let scene = Scene::load(&scene_file)?;
    // The state comes from files: its start need not be judged, and untangled, again.
    let built = match kept::recall(&scene, &folder.join(GARMENTS))? {
        None => scene.build_as_given()?,
        dressed => scene.given(dressed)?,
    };
    Ok((scene, built))
}

/// Positions of one of the `count` recorded frames [m].
fn read_positions(folder: &Path, world: &World, frame: usize, count: usize) -> Result<Vec<DVec3>, RunError> {
    if frame >= count {
        return Err(RunError::NoFrame { path: folder.to_owned(), frame, count });
    }
    let path = positions_path(folder);
    let io = |source| RunError::Io { path: path.clone(), source };
    let mut bytes = vec![0; frame_bytes(world) as usize];
    let mut file = File::open(&path).map_err(io)?;
    file.seek(SeekFrom::Start(frame as u64 * frame_bytes(world))).map_err(io)?;
    file.read_exact(&mut bytes).map_err(io)?;
    let number = |c: &[u8]| f64::from(f32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    Ok(bytes.chunks_exact(12).map(|p| DVec3::new(number(&p[..4]), number(&p[4..8]), number(&p[8..]))).collect())
}

/// The frames of a run in words.
fn frames_there(count: usize) -> String {
    match count {
        0 => "none yet".to_owned(),
        1 => "only frame 0".to_owned(),
        n => format!("frames 0 to {}", n - 1),
    }
}

fn positions_path(folder: &Path) -> PathBuf {
    folder.join("frames").join("positions.f32")
}

fn log_path(folder: &Path) -> PathBuf {
    folder.join("frames").join("log.jsonl")
}

fn frame_bytes(world: &World) -> u64 {
    12 * world.recorded_count() as u64
}

fn log_line(frame: &LoggedFrame) -> Vec<u8> {
    // Plain numbers and names: there is nothing in it that JSON could not say.
    let mut line = serde_json::to_vec(frame).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The complete lines of the log; a last line cut off by a crash is left out.
fn read_log(folder: &Path) -> Result<Vec<LoggedFrame>, RunError> {
    let path = log_path(folder);
    let file = File::open(&path).map_err(|source| RunError::Io { path: path.clone(), source })?;
    let lines: Vec<String> = BufReader::new(file)
        .lines()
        .collect::<Result<_, _>>()
        .map_err(|source| RunError::Io { path: path.clone(), source })?;
    let mut log = Vec::with_capacity(lines.len());
    for (k, line) in lines.iter().enumerate() {
        match serde_json::from_str(line) {
            Ok(frame) => log.push(frame),
            Err(_) if k + 1 == lines.len() => break,
            Err(e) => return Err(RunError::Log { path, line: k + 1, reason: e.to_string() }),
        }
    }
    Ok(log)
}

/// Makes `folder` empty if it holds an earlier run, and refuses to touch anything else.
///
/// `scene.toml` and `frames` stay, to be overwritten: cut off anywhere, this leaves a folder that still counts as a run.
fn clear(folder: &Path) -> Result<(), RunError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| RunError::Io { path, source }
    };
    let entries = match entries(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return std::fs::create_dir_all(folder).map_err(io(folder));
        }
        Err(e) => return Err(io(folder)(e)),
    };
    if !is_run(folder) && !entries.iter().all(|path| is_beginning(path)) {
        return Err(RunError::Occupied { path: folder.to_owned() });
    }
    remove_report(folder)?;
    for path in entries.into_iter().filter(|path| path.exists()) {
        if path.ends_with("frames") {
            for file in self::entries(&path).map_err(io(&path))? {
                std::fs::remove_file(&file).map_err(io(&file))?;
            }
        } else if path.is_dir() && !path.is_symlink() {
            std::fs::remove_dir_all(&path).map_err(io(&path))?;
        } else if !path.ends_with("scene.toml") {
            std::fs::remove_file(&path).map_err(io(&path))?;
        }
    }
    Ok(())
}

/// Removes the mark of a complete run, before anything else of it changes.
fn remove_report(folder: &Path) -> Result<(), RunError> {
    let path = folder.join("report.json");
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(RunError::Io { path, source }),
        _ => Ok(()),
    }
}

fn entries(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Whether `folder` has a scene, and frames as a run writes them and nothing else there.
fn is_run(folder: &Path) -> bool {
    let of_a_run =
        |path: &PathBuf| path.is_file() && ["positions.f32", "log.jsonl"].iter().any(|f| is_file_or_temporary(path, f));
    folder.join("scene.toml").is_file() && entries(&folder.join("frames")).is_ok_and(|all| all.iter().all(of_a_run))
}

/// Whether this is what [`Run::create`] leaves when it is cut off before the scene is written.
fn is_beginning(path: &Path) -> bool {
    let is_empty = || entries(path).is_ok_and(|all| all.is_empty());
    let is_part = ["frames", "checkpoint"].iter().any(|part| path.ends_with(part));
    if is_part { is_empty() } else { !path.ends_with("scene.toml") && is_file_or_temporary(path, "scene.toml") }
}

/// Whether `path` is called `name`, or as [`write_atomic`] calls it before it is whole.
fn is_file_or_temporary(path: &Path, name: &str) -> bool {
    let found = path.file_name().unwrap_or_default().to_string_lossy();
    found == name || (found.starts_with(&format!(".{name}.")) && found.ends_with(".tmp"))
}
