//! `toile render`: pictures of meshes and of runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use miette::{IntoDiagnostic, Result, miette};
use serde_json::json;
use toile_files::atomic::write_atomic;
use toile_scene::RunReader;
use toile_view::page::Media;
use toile_view::{Camera, Material, Object, Quality, Scene, encode};

use crate::args::{Global, RenderArgs, ValueChoice};
use crate::check::read_mesh;
use crate::film::Film;
use crate::{output, say};

/// Width and height of the picture of a mesh [px].
const MESH_PICTURE: [u32; 2] = [1280, 720];
/// Colour of a mesh that says nothing about it: unbleached linen.
const LINEN: [f32; 3] = [0.80, 0.76, 0.68];
/// Edges of a mesh sharper than this [deg] are drawn sharp: folds of cloth stay smooth, boxes stay boxes.
const CREASE_DEG: f64 = 60.0;
/// Angles of the camera for a mesh [deg], as the defaults of a scene.
const MESH_VIEW: [f64; 2] = [30.0, 20.0];
/// Most memory the frames of an animation may take [bytes]; all are needed at once for their common palette.
const MOST_ANIMATION_BYTES: u64 = 2 << 30;

pub(crate) fn render(args: &RenderArgs, global: &Global) -> Result<ExitCode> {
    if !args.input.exists() {
        let help = "give a mesh (.obj, .ply, .stl) or the folder of a run or a try-on";
        return Err(miette!(help = help, "{}: no such file or folder", args.input.display()));
    }
    let of_run = args.input.is_dir();
    let out = args.out.clone().map_or_else(|| default_output(args), Ok)?;
    let format = Format::of(&out, of_run)?;
    let out = output::file(args.out.as_deref(), out, global)?;
    let bytes = match (of_run, format) {
        (false, _) => mesh_picture(args)?,
        (true, Format::Png) => run_picture(args)?,
        (true, Format::Gif | Format::Apng) => run_animation(args, format)?,
    };
    write_atomic(&out, &bytes).into_diagnostic()?;
    if global.json {
        say(json!({ "file": out.display().to_string(), "bytes": bytes.len() }));
    } else if !global.quiet {
        say(out.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// What is written, by the extension of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Png,
    Gif,
    Apng,
}

impl Format {
    fn of(out: &Path, of_run: bool) -> Result<Self> {
        let extension = out.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let known = if of_run { ".png, .gif and .apng" } else { ".png" };
        match extension.as_str() {
            "png" => Ok(Self::Png),
            "gif" if of_run => Ok(Self::Gif),
            "apng" if of_run => Ok(Self::Apng),
            "gif" | "apng" => {
                Err(miette!(help = "give a name that ends in .png", "{}: a mesh does not move", out.display()))
            }
            _ => Err(miette!(
                help = format!("known are {known}"),
                "{}: \"{extension}\" is not the extension of a picture",
                out.display()
            )),
        }
    }
}

/// A PNG beside the input and named after it, with the number of the frame if one was asked for.
fn default_output(args: &RenderArgs) -> Result<PathBuf> {
    if args.input.is_file() {
        return Ok(args.input.with_extension("png"));
    }
    // The folder may be given as `.`, which has no name of its own.
    let folder = args.input.canonicalize().into_diagnostic()?;
    let name = folder.file_name().map_or_else(|| "run".into(), |n| n.to_string_lossy().into_owned());
    let frame = args.frame.map_or_else(String::new, |f| format!("-frame-{f}"));
    let parent = if args.input.file_name().is_some() { args.input.parent() } else { folder.parent() };
    Ok(parent.unwrap_or(Path::new("")).join(format!("{name}{frame}.png")))
}

fn mesh_picture(args: &RenderArgs) -> Result<Vec<u8>> {
    if args.values == Some(ValueChoice::Strain) {
        let help = "draw the run that made the mesh: toile render runs/NAME --values strain";
        return Err(miette!(help = help, "a mesh has no strain: its rest lengths are not known"));
    }
    if args.frame.is_some() {
        return Err(miette!(help = "leave out --frame", "{}: a mesh has no frames", args.input.display()));
    }
    let mesh = read_mesh(&args.input)?;
    let [width, height] = args.size.unwrap_or(MESH_PICTURE);
    let object = Object { crease_deg: CREASE_DEG, ..Object::cloth(&mesh, Material::fabric(LINEN)) };
    let scene = Scene::new(vec![object]);
    let bounds = scene.bounds();
    let [azimuth, elevation] = MESH_VIEW;
    let (azimuth, elevation) = (args.azimuth.unwrap_or(azimuth), args.elevation.unwrap_or(elevation));
    let camera = Camera::framing(bounds, azimuth, elevation, f64::from(width) / f64::from(height));
    encode::png(&toile_view::render(&scene.on_ground(bounds.min.y), &camera, width, height)).into_diagnostic()
}

fn run_picture(args: &RenderArgs) -> Result<Vec<u8>> {
    let film = film(args)?;
    let frame = args.frame.unwrap_or(film.run().frame_count().saturating_sub(1));
    let size = args.size.unwrap_or(film.run().scene().output.picture);
    encode::png(&film.still(frame, size, Quality::Good)?).into_diagnostic()
}

fn run_animation(args: &RenderArgs, format: Format) -> Result<Vec<u8>> {
    if args.frame.is_some() {
        let help = "leave out --frame, or write a .png";
        return Err(miette!(help = help, "an animation shows all frames, not one"));
    }
    let film = film(args)?;
    if film.run().is_try_on() {
        let help = "write a .png, or draw the folder walk of a try-on that moves";
        return Err(miette!(help = help, "{}: a try-on does not move", args.input.display()));
    }
    let size = args.size.unwrap_or(film.run().scene().output.animation_size);
    let needed = film.run().frame_count() as u64 * 3 * u64::from(size[0]) * u64::from(size[1]);
    if needed > MOST_ANIMATION_BYTES {
        let help = format!("give a smaller --size than {}x{}", size[0], size[1]);
        return Err(miette!(help = help, "{} frames of this size do not fit into memory", film.run().frame_count()));
    }
    let format = if format == Format::Gif { Media::Gif } else { Media::Png };
    film.animation(format, size, 1)
}

/// Opens the folder of a run or a try-on. If it holds several, as those of compared sizes, they are named.
pub(crate) fn open_run(folder: &Path) -> Result<RunReader> {
    if folder.join("scene.toml").is_file() {
        return Ok(RunReader::open(folder)?);
    }
    let entries = std::fs::read_dir(folder).map_err(|e| miette!("{}: {e}", folder.display()))?;
    let mut inner: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    inner.retain(|path| path.join("scene.toml").is_file());
    inner.sort();
    if inner.is_empty() {
        return Ok(RunReader::open(folder)?);
    }
    let names: Vec<String> = inner.iter().map(|path| path.display().to_string()).collect();
    let help = format!("name one of them: {}", names.join(", "));
    Err(miette!(help = help, "{} holds several results", folder.display()))
}

/// The run with what the command line says about looks.
fn film(args: &RenderArgs) -> Result<Film> {
    let mut film = Film::new(open_run(&args.input)?);
    if let Some(choice) = args.values {
        film.strain = choice == ValueChoice::Strain;
    }
    film.azimuth = args.azimuth;
    film.elevation = args.elevation;
    Ok(film)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_tells_the_format_in_any_case() {
        let of = |name: &str, of_run| Format::of(Path::new(name), of_run);
        assert_eq!(of("a.PNG", false).unwrap(), Format::Png);
        assert_eq!(of("a.gif", true).unwrap(), Format::Gif);
        assert_eq!(of("a.apng", true).unwrap(), Format::Apng);
        assert!(of("a.gif", false).unwrap_err().to_string().contains("does not move"));
        assert!(of("a.jpg", true).is_err() && of("png", true).is_err());
    }
}
