//! The small scenes in which keys are changed.

use std::path::PathBuf;
use std::sync::OnceLock;

use toile_files::obj::save_obj;
use toile_files::pc2::Pc2Writer;
use toile_mesh::generate::{Diagonals, grid, icosphere};
use toile_mesh::{DVec3, TriMesh};

const TIME: &str = "[time]\nduration = 0.2\n";
const FEM: &str = "[solver]\nmodel = \"fem\"\n";
/// A sheet a little above the origin.
const SHEET: &str =
    "[[cloth]]\nposition = [0.02, 0.12, 0.01]\nshape = { kind = \"grid\", size = [0.3, 0.3], vertices = [7, 7] }\n";
const BALL: &str = "[[obstacle]]\nshape = { kind = \"sphere\", radius = 0.1 }\n";
const BALL_OF_TRIANGLES: &str = "[[obstacle]]\ntriangulate = true\nshape = { kind = \"sphere\", radius = 0.1 }\n";
/// Gravity that lets a sheet slide on a box under it.
const SLIDE: &str = "[forces]\ngravity = [4, -9, 1]\n[[cloth]]\nname = \"low\"\nposition = [0, 0.0035, 0]\nshape = { kind = \"grid\", size = [0.2, 0.2], vertices = [5, 5] }\n[[cloth]]\nname = \"high\"\nposition = [0, 0.007, 0]\nshape = { kind = \"grid\", size = [0.1, 0.1], vertices = [4, 4] }\n";
const BLOCK: &str = "[[obstacle]]\nname = \"block\"\nposition = [0, -0.1, 0]\nshape = { kind = \"box\", size = [1, 0.2, 1] }\n[[obstacle]]\nname = \"far\"\nposition = [0, -2, 0]\nshape = { kind = \"box\" }\n";
/// A sheet that hangs by two corners.
const FLAG: &str = "[[cloth]]\nposition = [0.4, 0.5, 0]\nrotation_deg = [80, 0, 0]\nshape = { kind = \"grid\", size = [0.4, 0.3], vertices = [7, 6] }\n[[cloth.hold]]\nvertices = [0, 35]\n";
const PILLAR: &str = "[[obstacle]]\nposition = [-0.1, 0.5, 0]\nshape = { kind = \"sphere\", radius = 0.1 }\n";
/// Two blocks that squeeze a sheet between them.
const SQUEEZE: &str = "[[cloth]]\nposition = [0, 0.1, 0]\nshape = { kind = \"grid\", size = [0.3, 0.3], vertices = [7, 7] }\n[[obstacle]]\ntriangulate = true\nposition = [0, 0, 0]\nshape = { kind = \"box\", size = [0.2, 0.1, 0.2] }\n[[obstacle]]\ntriangulate = true\nposition = [0.03, 0.25, 0.02]\nrotation_deg = [10, 20, 30]\nvelocity = [0, -1, 0]\nuntil = 0.11\nshape = { kind = \"box\", size = [0.1, 0.1, 0.1] }\n";
/// A sheet that falls on its edge and folds.
const CRUMPLE: &str = "[forces]\ngravity = [0, -60, 0]\n[[cloth]]\nposition = [0, 0.16, 0]\nrotation_deg = [88, 10, 3]\nshape = { kind = \"grid\", size = [0.2, 0.3], vertices = [7, 10] }\n";
const FLOOR: &str = "[[obstacle]]\nshape = { kind = \"plane\" }\n";
const FLOOR_OF_TRIANGLES: &str =
    "[[obstacle]]\nposition = [0, -0.1, 0]\ntriangulate = true\nshape = { kind = \"box\", size = [1, 0.2, 1] }\n";
/// A torus that is shot through a held sheet.
const SHOT: &str = "[[cloth]]\nposition = [0, 0.3, 0]\nrotation_deg = [90, 0, 0]\nshape = { kind = \"grid\", size = [0.3, 0.3], vertices = [8, 8] }\n[[cloth.hold]]\nvertices = [0, 7, 56, 63]\n[[obstacle]]\nposition = [0.01, 0.3, -0.3]\nrotation_deg = [20, 10, 5]\nvelocity = [0, 0, 6]\nuntil = 0.08\nshape = { kind = \"torus\", radius = 0.06, tube = 0.02, segments = [8, 5] }\n";
/// A sheet that is cut.
const CUT: &str = "[[cloth]]\nname = \"sheet\"\nposition = [0, 0.5, 0]\nshape = { kind = \"grid\", size = [0.4, 0.4], vertices = [9, 9] }\n[[cloth.hold]]\nvertices = [0, 8]\n[[cloth]]\nname = \"other\"\nposition = [0, 0.1, 0]\nshape = { kind = \"grid\", size = [0.4, 0.4], vertices = [9, 9] }\n";
const CUTS: &str = "[[scissors]]\ncloth = \"sheet\"\nat = 0.05\npath = [[-0.3, 0.01], [0.05, 0.02]]\n";
const THROUGH: &str = "[[scissors]]\ncloth = \"sheet\"\nat = 0.05\nthrough = [[-0.3, 0.5, 0.01], [0.05, 0.5, 0.02]]\n";
const REMOVE: &str =
    "[[scissors]]\ncloth = \"sheet\"\nat = 0.05\npath = [[-0.2, 0.01], [0.2, 0.02]]\nremove = [0, 0.1]\n";
/// A body that is a plate with recorded positions, and a sheet that slides on it.
const PLATE: &str = "[forces]\ngravity = [4, -9, 1]\n[[cloth]]\nposition = [0, 0.0035, 0]\nshape = { kind = \"grid\", size = [0.2, 0.2], vertices = [5, 5] }\n[[body]]\nfile = \"DIR/plate.obj\"\nmotion = \"DIR/plate.pc2\"\nrate = 10\n";
const SMALL: &str =
    "[[cloth]]\nposition = [0, 3, 0]\nshape = { kind = \"grid\", size = [0.1, 0.1], vertices = [3, 3] }\n";
const SKIRT: &str = "[time]\nduration = 0.05\nframe_rate = 40\n[dressing]\nmost_time = 0.1\n[contact]\nthreshold = 0.001\nuntangle = true\n[[cloth]]\nname = \"skirt\"\nshape = { kind = \"garment\", design = \"a-line-skirt\", distance = 0.05, set = [\"length = 0.3\", \"band_height = 0\"] }\n[[body]]\nname = \"ann\"\nmannequin = \"woman-38\"\ntriangles = 3000\n";

/// The scene of a name.
pub(crate) fn text(name: &str) -> String {
    // The upper block goes on into the lower one, with triangles and without.
    let crush = SQUEEZE.replace("until = 0.11", "until = 0.17");
    let exact = crush.replace("triangulate = true\n", "");
    let slippery = exact.replace("[[cloth]]\n", "[[cloth]]\nfriction = 0.3\n");
    // The same block, eight times as fast.
    let fast = exact.replace("[0, -1, 0]\nuntil = 0.17", "[0, -8, 0]\nuntil = 0.02125");
    let parts: Vec<&str> = match name {
        "fall" => vec![TIME, SHEET, BALL],
        "fem" => vec![TIME, FEM, SHEET, BALL],
        "converged" => vec![TIME, FEM, "[physics]\neffort = \"converged\"\niterations = 20\n", SHEET, BALL],
        "mesh" => vec![TIME, SHEET, BALL_OF_TRIANGLES],
        "fem-mesh" => vec![TIME, FEM, SHEET, BALL_OF_TRIANGLES],
        "slide" => vec![TIME, SLIDE, BLOCK],
        "slide-fem" => vec![TIME, FEM, SLIDE, BLOCK],
        "slide-scaled" => vec![TIME, "[contact]\nfriction_law = \"scaled\"\n", SLIDE, BLOCK],
        "pair" => vec![TIME, "[[contact.pair]]\na = \"low\"\nb = \"block\"\nfriction = 0\n", SLIDE, BLOCK],
        "impulse" => vec![TIME, "[contact]\nresponse = \"impulse\"\n", CRUMPLE, FLOOR_OF_TRIANGLES],
        "impulse-fem" => vec![TIME, FEM, "[contact]\nresponse = \"impulse\"\n", CRUMPLE, FLOOR_OF_TRIANGLES],
        "particles" => vec![TIME, "[contact]\nresponse = \"particles\"\n", CRUMPLE, FLOOR],
        "scaled" => vec![TIME, "[contact]\nfriction_law = \"scaled\"\n", SHEET, BALL],
        "tangled" => vec![
            TIME,
            "[[cloth]]\nposition = [0, 0.5, 0]\nshape = { kind = \"grid\", size = [0.3, 0.3], vertices = [8, 8] }\n",
            "[[cloth]]\nposition = [0.005, 0.51, 0.005]\nrotation_deg = [0, 0, 20]\nshape = { kind = \"grid\", size = [0.1, 0.1], vertices = [5, 5] }\n",
        ],
        "untangled" => return format!("[contact]\nuntangle = true\n{}", text("tangled")),
        "flag" => vec![TIME, FLAG],
        "flag-fem" => vec![TIME, FEM, FLAG],
        "flag-bdf2" => vec![TIME, FEM, "[physics]\nintegrator = \"bdf2\"\n", FLAG],
        "wind" => vec![TIME, "[forces]\nwind = [1, 0, 2]\ngust = 0.5\n", FLAG],
        "air" => vec![TIME, "[air]\nmodel = \"open\"\nwind = [3, 0, 1]\ngust = 1\nturbulence = 1\n", FLAG],
        "lee" => vec![
            TIME,
            "[air]\nmodel = \"lee\"\nwind = [3, 0, 0]\nlow = [-0.6, -0.2, -0.6]\nhigh = [0.9, 1, 0.6]\n",
            FLAG,
            PILLAR,
        ],
        "flow" => vec![
            TIME,
            "[air]\nmodel = \"flow\"\nwind = [3, 0, 0]\nlow = [-0.6, -0.2, -0.6]\nhigh = [0.9, 1, 0.6]\n",
            FLAG,
            PILLAR,
        ],
        "squeeze" => vec![TIME, SQUEEZE],
        "squeeze-fem" => vec![TIME, FEM, SQUEEZE],
        "crush" => vec![TIME, &crush],
        "crush-fem" => vec![TIME, FEM, &crush],
        // The guard pushes little and takes back more.
        "taken-back" => vec![TIME, FEM, "[advanced.contact]\npushing_rounds = 1\nscaling_rounds = 1\n", SLIDE, BLOCK],
        "crush-exact" => vec![TIME, &exact],
        "crush-exact-fem" => vec![TIME, FEM, &exact],
        "crush-slippery-fem" => vec![TIME, FEM, &slippery],
        "crush-fast-fem" => vec![TIME, FEM, &fast],
        "crumple" => vec![TIME, CRUMPLE, FLOOR],
        "crumple-fem" => vec![TIME, FEM, CRUMPLE, FLOOR],
        "crumple-mesh" => vec![TIME, CRUMPLE, FLOOR_OF_TRIANGLES],
        "crumple-fem-mesh" => vec![TIME, FEM, CRUMPLE, FLOOR_OF_TRIANGLES],
        "shot" => vec![TIME, SHOT],
        "shot-fem" => vec![TIME, FEM, SHOT],
        "still" => vec![
            "[time]\nduration = 0.6\nsubsteps = 2\n[advanced]\nrest_time = 0.2\nrest_reach = 0.01\n",
            "[[cloth]]\nposition = [0, 0.003, 0]\nshape = { kind = \"grid\", size = [0.2, 0.2], vertices = [5, 5] }\n",
            FLOOR,
        ],
        "cut" => vec![TIME, CUTS, CUT],
        "through" => vec![TIME, THROUGH, CUT],
        "remove" => vec![TIME, REMOVE, CUT],
        "plate" => vec![TIME, PLATE],
        "scan" => vec![TIME, "[[body]]\nfile = \"DIR/other.obj\"\n", SMALL],
        "person" => vec![TIME, "[[body]]\ntriangles = 3000\n", SMALL],
        "walker" => vec![TIME, "[[body]]\ntriangles = 3000\nmotion = \"walk\"\n", SMALL],
        "skirt" => vec![SKIRT],
        "two-bodies" => {
            vec![SKIRT, "[[body]]\nname = \"eve\"\nposition = [2, 0, 0]\nmannequin = \"man-50\"\ntriangles = 3000\n"]
        }
        "skirt-cut" => {
            vec![SKIRT, "[[scissors]]\ncloth = \"skirt\"\npanel = \"front\"\npath = [[0.05, -0.4], [0.06, -0.15]]\n"]
        }
        "two-skirts" => vec![
            SKIRT,
            "[[cloth]]\nname = \"over\"\nlayer = 1\nshape = { kind = \"garment\", design = \"a-line-skirt\", distance = 0.05, set = [\"length = 0.35\", \"band_height = 0\"] }\n",
        ],
        "lazy" => vec![TIME, "[collision]\nupdate = \"lazy\"\n", CRUMPLE, FLOOR_OF_TRIANGLES],
        other => return special(other),
    };
    with_files(&parts.concat())
}

/// Scenes about one shape, hold or motion.
fn special(name: &str) -> String {
    let (sort, what) = name.split_once(' ').unwrap_or_else(|| panic!("no scene has the name {name}"));
    let text = match sort {
        "cloth" => format!("{TIME}[[cloth]]\nposition = [0, 1, 0]\nshape = {{ {what} }}\n"),
        "cloth-fem" => format!("{TIME}{FEM}[[cloth]]\nposition = [0, 1, 0]\n{}\n", what.replace("; ", "\n")),
        "hold" => format!("{TIME}{SHEET}[[cloth.hold]]\n{}\n{}", what.replace("; ", "\n"), BALL_OF_TRIANGLES),
        "fastened" => format!("{TIME}{SHEET}[[cloth.hold]]\n{what}\n{BALL_OF_TRIANGLES}velocity = [0, 0.2, 0]\n"),
        "obstacle" => format!("{TIME}{SHEET}[[obstacle]]\n{}\n", what.replace("; ", "\n")),
        _ => panic!("no scene has the name {name}"),
    };
    with_files(&text)
}

/// `DIR` becomes the folder of the files that scenes name.
pub(crate) fn with_files(text: &str) -> String {
    if text.contains("DIR/") { text.replace("DIR/", &format!("{}/", folder().display())) } else { text.to_owned() }
}

/// A folder with meshes and recorded positions.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<(PathBuf, tempfile::TempDir)> = OnceLock::new();
    let (path, _) = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let plate = grid([0.6, 0.6], [3, 3], Diagonals::Alternating);
        let other = plate.clone().map_positions(|p| p - 0.02 * DVec3::Y);
        save_obj(&path.join("plate.obj"), &plate).unwrap();
        save_obj(&path.join("other.obj"), &grid([0.6, 0.6], [3, 3], Diagonals::Same)).unwrap();
        save_obj(&path.join("cloth.obj"), &grid([0.2, 0.2], [4, 4], Diagonals::Same)).unwrap();
        save_obj(&path.join("cloth-b.obj"), &grid([0.25, 0.2], [4, 4], Diagonals::Same)).unwrap();
        save_obj(&path.join("ball.obj"), &icosphere(0.1, 1)).unwrap();
        save_obj(&path.join("ball-b.obj"), &icosphere(0.11, 1)).unwrap();
        record(&path.join("plate.pc2"), &[&plate, &other, &plate]);
        record(&path.join("plate-b.pc2"), &[&plate, &other, &other]);
        let [small, large] = [0.1, 0.115].map(|radius| icosphere(radius, 1));
        record(&path.join("ball.pc2"), &[&small, &large, &small]);
        record(&path.join("ball-b.pc2"), &[&small, &small, &large]);
        (path, folder)
    });
    path
}

fn record(path: &std::path::Path, frames: &[&TriMesh]) {
    let mut pc2 = Pc2Writer::create(path, frames[0].vertex_count(), 0.0, 1.0).unwrap();
    for frame in frames {
        pc2.push(&frame.positions).unwrap();
    }
    pc2.finish().unwrap();
}
