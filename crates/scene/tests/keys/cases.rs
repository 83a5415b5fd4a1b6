//! The cases, table by table.

use crate::{Case, Effect, case};

pub(crate) const ALL: [&[Case]; 11] =
    [SOLVER, PHYSICS, AIR, CONTACT, COLLISION, CLOTH, OBSTACLE, BODY, GARMENT, SCISSORS, RUN];

const fn only_time(key: &'static str, scene: &'static str, value: &'static str) -> Case {
    Case { key, scene, value, effect: Effect::OnlyTime }
}

pub(crate) const SOLVER: &[Case] = &[
    case("time.duration", "fall", "0.3"),
    case("time.frame_rate", "fall", "40"),
    case("time.substeps", "fall", "7"),
    case("solver.model", "fall", "\"fem\""),
    case("solver.method", "fall", "\"sweep\""),
    case("solver.iterations", "fall", "1"),
    case("solver.damping", "fall", "0.9"),
    case("solver.limit", "shot", "1.3"),
    case("solver.smoothing", "fall", "0.1"),
    case("solver.finish", "particles", "false"),
    case("solver.rest", "still", "false"),
    case("solver.adaptive", "crumple", "false"),
];

pub(crate) const PHYSICS: &[Case] = &[
    case("physics.membrane", "flag-fem", "\"springs\""),
    case("physics.bending", "flag-fem", "\"hinge\""),
    case("physics.integrator", "flag-fem", "\"bdf2\""),
    case("physics.effort", "flag-fem", "\"converged\""),
    case("physics.iterations", "flag-fem", "1"),
    case("physics.tolerance", "converged", "0.0001"),
    case("physics.linear_tolerance", "flag-fem", "0.0001"),
    case("physics.free_tolerance", "flag-bdf2", "5"),
    case("physics.free_linear_tolerance", "flag-bdf2", "0.5"),
    case("physics.linear_iterations", "flag-fem", "1"),
    case("physics.preconditioner", "flag-fem", "\"jacobi\""),
    case("physics.strain_limit", "flag-fem", "0.0001"),
];

pub(crate) const AIR: &[Case] = &[
    case("forces.gravity", "fall", "[0, -5, 0]"),
    case("forces.wind", "wind", "[1, 0, 3]"),
    case("forces.gust", "wind", "0.1"),
    case("forces.gust_frequency", "wind", "2"),
    case("air.model", "flow", "\"open\""),
    case("air.wind", "air", "[4, 0, 1]"),
    case("air.gust", "air", "0.5"),
    case("air.gust_frequency", "air", "2"),
    case("air.turbulence", "air", "0.5"),
    case("air.eddy_length", "air", "0.5"),
    case("air.eddy_frequency", "air", "2"),
    case("air.fade_in", "air", "0.5"),
    case("air.seed", "air", "1"),
    case("air.density", "air", "1"),
    case("air.drag", "air", "1"),
    case("air.lift", "air", "1"),
    case("air.skin", "air", "0.1"),
    case("air.added_mass", "air", "0"),
    case("air.cell", "flow", "0.15"),
    case("air.low", "lee", "[-0.65, -0.25, -0.6]"),
    case("air.high", "flow", "[1.1, 1.1, 0.6]"),
    case("air.recovery", "lee", "1"),
    case("air.confinement", "flow", "5"),
];

pub(crate) const CONTACT: &[Case] = &[
    case("contact.response", "mesh", "\"impulse\""),
    case("contact.guard", "shot", "false"),
    case("contact.self_collision", "crumple", "false"),
    case("contact.restitution", "impulse", "0.8"),
    Case { key: "contact.untangle", scene: "tangled", value: "true", effect: Effect::Accepts },
    case("contact.distance", "particles", "0.02"),
    case("contact.threshold", "fall", "0.005"),
    case("contact.pressure", "fem-mesh", "60"),
    case("contact.triangles", "fall", "false"),
    case("contact.friction_law", "slide", "\"scaled\""),
    case("contact.pair[].a", "pair", "\"high\""),
    case("contact.pair[].b", "pair", "\"far\""),
    case("contact.pair[].friction", "pair", "1"),
];

pub(crate) const COLLISION: &[Case] = &[
    only_time("collision.detector", "crumple-mesh", "\"brute-force\""),
    only_time("collision.dop", "crumple-mesh", "6"),
    only_time("collision.arity", "crumple-mesh", "2"),
    only_time("collision.leaf_size", "crumple-mesh", "8"),
    only_time("collision.inflation", "crumple-mesh", "\"uniform\""),
    only_time("collision.update", "crumple-mesh", "\"on-demand\""),
    only_time("collision.lazy_tolerance", "lazy", "0.01"),
    only_time("collision.cones", "crumple-mesh", "false"),
    only_time("collision.close_angle_deg", "crumple-mesh", "20"),
];

pub(crate) const CLOTH: &[Case] = &[
    case("cloth[].name", "fall", "\"shawl\""),
    case("cloth[].position", "fall", "[0, 0.13, 0]"),
    case("cloth[].rotation_deg", "fall", "[5, 0, 0]"),
    case("cloth[].fabric", "fem", "\"denim\""),
    case("cloth[].grain_deg", "flag-fem", "30"),
    case("cloth[].areal_density", "wind", "0.1"),
    case("cloth[].thickness", "crumple", "0.006"),
    case("cloth[].friction", "slide", "0.9"),
    case("cloth[].layer", "untangled", "3"),
    case("cloth[].stretch_min", "fall", "0.5"),
    case("cloth[].stretch_max", "flag", "1.2"),
    case("cloth[].bend_min", "fall", "0.3"),
    case("cloth[].pressure", "cloth-fem shape = { kind = \"cylinder\", segments = [6, 3] }", "100"),
    case("cloth[].shape(grid).size", "fall", "[0.3, 0.2]"),
    case("cloth[].shape(grid).vertices", "fall", "[6, 7]"),
    case("cloth[].shape(grid).diagonals", "fall", "\"same\""),
    case("cloth[].shape(disc).radius", "cloth kind = \"disc\", rings = 3", "0.3"),
    case("cloth[].shape(disc).rings", "cloth kind = \"disc\", rings = 3", "4"),
    case("cloth[].shape(ribbon).length", "cloth kind = \"ribbon\", segments = [5, 2]", "0.5"),
    case("cloth[].shape(ribbon).width", "cloth kind = \"ribbon\", segments = [5, 2]", "0.06"),
    case("cloth[].shape(ribbon).segments", "cloth kind = \"ribbon\", segments = [5, 2]", "[6, 2]"),
    case("cloth[].shape(cylinder).radius", "cloth kind = \"cylinder\", segments = [6, 3]", "0.3"),
    case("cloth[].shape(cylinder).height", "cloth kind = \"cylinder\", segments = [6, 3]", "0.9"),
    case("cloth[].shape(cylinder).segments", "cloth kind = \"cylinder\", segments = [6, 3]", "[7, 3]"),
    case("cloth[].shape(knot).strand", "cloth kind = \"knot\", segments = [40, 2]", "2"),
    case("cloth[].shape(knot).width", "cloth kind = \"knot\", segments = [40, 2]", "0.03"),
    case("cloth[].shape(knot).size", "cloth kind = \"knot\", segments = [40, 2]", "0.2"),
    case("cloth[].shape(knot).leg", "cloth kind = \"knot\", segments = [40, 2]", "0.2"),
    case("cloth[].shape(knot).segments", "cloth kind = \"knot\", segments = [40, 2]", "[50, 2]"),
    case("cloth[].shape(file).path", "cloth kind = \"file\", path = \"DIR/cloth.obj\"", "\"DIR/cloth-b.obj\""),
    case("cloth[].shape(file).scale", "cloth kind = \"file\", path = \"DIR/cloth.obj\"", "1.5"),
    case("cloth[].hold[].vertices", "hold vertices = [0, 6]", "[0, 48]"),
    case("cloth[].hold[].near", "hold near = [-0.13, 0.12, -0.14]; radius = 0.03", "[0.17, 0.12, 0.16]"),
    case("cloth[].hold[].radius", "hold near = [-0.13, 0.12, -0.14]; radius = 0.03", "0.08"),
    case("cloth[].hold[].fastened_to", "fastened vertices = [24]", "\"obstacle-1\""),
    case("cloth[].hold[].until", "hold vertices = [0, 6]", "0.1"),
    case(
        "cloth[].hold[].pivot",
        "hold vertices = [0, 6]; path = [{ time = 0 }, { time = 0.2, turns = 0.05 }]",
        "[0.1, 0, 0]",
    ),
    case(
        "cloth[].hold[].axis",
        "hold vertices = [0, 6]; path = [{ time = 0 }, { time = 0.2, turns = 0.05 }]",
        "[0.1, 1, 0]",
    ),
    case(
        "cloth[].hold[].path[].time",
        "hold vertices = [0, 6]; path = [{ time = 0 }, { time = 0.2, turns = 0.05 }]",
        "0.1",
    ),
    case(
        "cloth[].hold[].path[].offset",
        "hold vertices = [0, 6]; path = [{ time = 0 }, { time = 0.2, offset = [0, 0.1, 0] }]",
        "[0, 0.01, 0]",
    ),
    case(
        "cloth[].hold[].path[].turns",
        "hold vertices = [0, 6]; path = [{ time = 0 }, { time = 0.2, turns = 0.05 }]",
        "0.01",
    ),
    case("cloth[].seam[].from", SEWN, "[5, 9]"),
    case("cloth[].seam[].to", SEWN, "[9, 11]"),
    case("cloth[].seam[].to_cloth", SEWN_TO, "\"far\""),
    case("cloth[].seam[].stiffness", SEWN, "50"),
];

const SEWN: &str = "cloth-fem name = \"near\"; shape = { kind = \"grid\", size = [0.2, 0.2], vertices = [4, 4] }; [[cloth.seam]]; from = [0, 3]; to = [12, 15]";
const SEWN_TO: &str = "cloth-fem name = \"near\"; shape = { kind = \"grid\", size = [0.2, 0.2], vertices = [4, 4] }; [[cloth.seam]]; from = [0, 3]; to = [0, 3]; to_cloth = \"next\"; [[cloth]]; name = \"next\"; position = [0, 1.05, 0]; shape = { kind = \"grid\", size = [0.2, 0.2], vertices = [4, 4] }; [[cloth]]; name = \"far\"; position = [0, 1.1, 0]; shape = { kind = \"grid\", size = [0.2, 0.2], vertices = [4, 4] }";

const FUNNEL: &str = "obstacle position = [0, 0, 0]; shape = { kind = \"funnel\", radii = [0.05, 0.2], heights = [0.05, 0.1], segments = [8, 3] }";
const NEEDLES: &str =
    "obstacle shape = { kind = \"needles\", size = [0.2, 0.2], count = [3, 3], radius = 0.005, height = 0.1 }";
const WAVE: &str = "obstacle shape = { kind = \"wave\", size = 0.4, cells = 6, height = 0.05, frequency = 2 }";
const TORUS: &str = "obstacle shape = { kind = \"torus\", radius = 0.1, tube = 0.05, segments = [8, 6] }";
const MOVED_MESH: &str =
    "obstacle shape = { kind = \"mesh\", file = \"DIR/ball.obj\", keyframes = [\"DIR/ball.pc2\"], keyframe_rate = 10 }";
const FIGURE: &str = "obstacle position = [0, -1.65, 0]; shape = { kind = \"figure\", triangles = 500 }";
const SPINNING: &str = "obstacle velocity = [0.1, 0, 0]; spin = 1; from = 0.02; until = 0.15; shape = { kind = \"box\", size = [0.15, 0.2, 0.15] }";
const ON_PATH: &str = "obstacle shape = { kind = \"box\", size = [0.15, 0.2, 0.15] }; path = [{ time = 0.05, position = [0.01, 0, 0], rotation_deg = [0, 5, 0] }, { time = 0.15, position = [0, 0.05, 0], rotation_deg = [0, 30, 0] }]";

pub(crate) const OBSTACLE: &[Case] = &[
    case("obstacle[].name", "fall", "\"ball\""),
    case("obstacle[].position", "fall", "[0.02, 0, 0]"),
    case("obstacle[].rotation_deg", SPINNING, "[0, 20, 0]"),
    case("obstacle[].friction", "slide", "1"),
    case("obstacle[].velocity", SPINNING, "[0.2, 0, 0]"),
    case("obstacle[].spin_axis", SPINNING, "[0.2, 1, 0]"),
    case("obstacle[].spin", SPINNING, "2"),
    case("obstacle[].from", SPINNING, "0.1"),
    case("obstacle[].until", SPINNING, "0.1"),
    case("obstacle[].triangulate", "fall", "true"),
    case("obstacle[].shape(sphere).radius", "fall", "0.09"),
    case("obstacle[].shape(box).size", SPINNING, "[0.2, 0.2, 0.15]"),
    case(
        "obstacle[].shape(capsule).radius",
        "obstacle shape = { kind = \"capsule\", radius = 0.05, height = 0.1 }",
        "0.06",
    ),
    case(
        "obstacle[].shape(capsule).height",
        "obstacle shape = { kind = \"capsule\", radius = 0.05, height = 0.1 }",
        "0.11",
    ),
    case(
        "obstacle[].shape(cylinder).radius",
        "obstacle shape = { kind = \"cylinder\", radius = 0.1, height = 0.2 }",
        "0.09",
    ),
    case(
        "obstacle[].shape(cylinder).height",
        "obstacle shape = { kind = \"cylinder\", radius = 0.1, height = 0.2 }",
        "0.21",
    ),
    case(
        "obstacle[].shape(table).radius",
        "obstacle position = [0, -0.65, 0]; shape = { kind = \"table\", radius = 0.1 }",
        "0.08",
    ),
    case(
        "obstacle[].shape(table).thickness",
        "obstacle position = [0, -0.65, 0]; shape = { kind = \"table\", radius = 0.1 }",
        "0.05",
    ),
    case(
        "obstacle[].shape(table).height",
        "obstacle position = [0, -0.65, 0]; shape = { kind = \"table\", radius = 0.1 }",
        "0.76",
    ),
    case(
        "obstacle[].shape(mesh).file",
        "obstacle shape = { kind = \"mesh\", file = \"DIR/ball.obj\" }",
        "\"DIR/ball-b.obj\"",
    ),
    case("obstacle[].shape(mesh).scale", "obstacle shape = { kind = \"mesh\", file = \"DIR/ball.obj\" }", "1.05"),
    case("obstacle[].shape(mesh).keyframes", MOVED_MESH, "[\"DIR/ball-b.pc2\"]"),
    case("obstacle[].shape(mesh).keyframe_rate", MOVED_MESH, "15"),
    case("obstacle[].shape(torus).radius", TORUS, "0.09"),
    case("obstacle[].shape(torus).tube", TORUS, "0.06"),
    case("obstacle[].shape(torus).segments", TORUS, "[9, 6]"),
    case("obstacle[].shape(wave).size", WAVE, "0.5"),
    case("obstacle[].shape(wave).cells", WAVE, "7"),
    case("obstacle[].shape(wave).height", WAVE, "0.06"),
    case("obstacle[].shape(wave).length", WAVE, "0.4"),
    case("obstacle[].shape(wave).frequency", WAVE, "3"),
    case("obstacle[].shape(wave).keyframe_rate", WAVE, "7"),
    case("obstacle[].shape(funnel).radii", FUNNEL, "[0.06, 0.2]"),
    case("obstacle[].shape(funnel).heights", FUNNEL, "[0.05, 0.11]"),
    case("obstacle[].shape(funnel).segments", FUNNEL, "[9, 3]"),
    case("obstacle[].shape(needles).size", NEEDLES, "[0.2, 0.15]"),
    case("obstacle[].shape(needles).count", NEEDLES, "[4, 3]"),
    case("obstacle[].shape(needles).radius", NEEDLES, "0.006"),
    case("obstacle[].shape(needles).height", NEEDLES, "0.11"),
    case("obstacle[].shape(figure).triangles", FIGURE, "3000"),
    case("obstacle[].shape(figure).keyframe_rate", FIGURE, "7"),
    case("obstacle[].path[].time", ON_PATH, "0.08"),
    case("obstacle[].path[].position", ON_PATH, "[0.02, 0, 0]"),
    case("obstacle[].path[].rotation_deg", ON_PATH, "[0, 15, 0]"),
];

pub(crate) const BODY: &[Case] = &[
    case("body[].name", "plate", "\"plate\""),
    case("body[].mannequin", "person", "\"woman-38\""),
    case("body[].triangles", "person", "4000"),
    case("body[].file", "plate", "\"DIR/other.obj\""),
    case("body[].unit", "scan", "\"ft\""),
    case("body[].up", "scan", "\"+z\""),
    case("body[].front", "scan", "\"+z\""),
    case("body[].leave_out", "person", "\"hands\""),
    case("body[].pose", "person", "\"t\""),
    case("body[].motion", "plate", "\"DIR/plate-b.pc2\""),
    case("body[].blend_in", "walker", "0.1"),
    case("body[].in_place", "walker", "true"),
    case("body[].rate", "plate", "20"),
    case("body[].skinning", "walker", "\"linear\""),
    case("body[].position", "plate", "[0, -0.001, 0]"),
    case("body[].heading_deg", "plate", "20"),
    case("body[].friction", "plate", "0"),
];

pub(crate) const GARMENT: &[Case] = &[
    case("cloth[].shape(garment).design", "skirt", "\"circle-skirt\""),
    case("cloth[].shape(garment).size", "skirt", "\"L\""),
    case("cloth[].shape(garment).set", "skirt", "[\"length = 0.35\", \"band_height = 0\"]"),
    case("cloth[].shape(garment).wearer", "two-bodies", "\"eve\""),
    case("cloth[].shape(garment).distance", "skirt", "0.06"),
    case("dressing.most_time", "skirt", "0.3"),
    case("dressing.together", "two-skirts", "true"),
];

pub(crate) const SCISSORS: &[Case] = &[
    case("scissors[].cloth", "cut", "\"other\""),
    case("scissors[].at", "cut", "0.1"),
    case("scissors[].path", "cut", "[[-0.3, 0.01], [0.1, 0.02]]"),
    case("scissors[].through", "through", "[[-0.3, 0.5, 0.01], [0.1, 0.5, 0.02]]"),
    case("scissors[].remove", "remove", "[0, -0.1]"),
    case("scissors[].panel", "skirt-cut", "\"back\""),
    case("scissors[].remove_panel", "skirt-cut", "true without path"),
];

pub(crate) const RUN: &[Case] = &[
    Case { key: "output.checkpoint_every", scene: "fall", value: "2", effect: Effect::Files },
    Case { key: "output.judge_every", scene: "fall", value: "3", effect: Effect::Files },
];
