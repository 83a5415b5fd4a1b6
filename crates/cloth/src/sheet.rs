//! [`Sheets`]: from meshes and fabrics to energies.
//!
//! Every triangle is laid into the plane of its own warp and weft: the warp is the grain direction of the flat shape (the x–z
//! plane, turned from x towards z by the grain angle) projected into the triangle. For flat meshes that is the flat shape itself; a
//! mesh that is not flat keeps its lengths, and wants to be flat.

use toile_mesh::{DVec2, DVec3, TriMesh};
use toile_schema::choice;

use crate::Fabric;
use crate::dynamics::Energies;
use crate::element::{Bend, Hinge, Membrane, MembraneLaw, Pressure, Spring, StrainMeasure};

choice! {
    /// What resists stretching.
    pub enum MembraneKind = Threads {
        /// Triangles of constant strain in the frame of their polar decomposition (Kimmerle 2005, section 6.2): for small
        /// strains; under a tension `T` it shears with `G − T/4`.
        Corotational = "corotational",
        /// Triangles of constant strain, measured along the threads: large shear strains no thread.
        Threads = "threads",
        /// Springs along the edges: cheapest; shear and contraction depend on the mesh.
        Springs = "springs",
    }
}

choice! {
    /// What resists bending.
    pub enum BendingKind = Fit {
        /// A plate element with one slope per edge, fitted to the particles around it: right on any mesh.
        Fit = "fit",
        /// Angles at the edges: cheaper; up to three times too stiff along one diagonal.
        Hinge = "hinge",
    }
}

/// How a cloth becomes elements.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SheetOptions {
    /// What resists stretching.
    pub membrane: MembraneKind,
    /// What resists bending.
    pub bending: BendingKind,
    /// Direction of the warp in the flat shape, from x towards z [rad].
    pub grain: f64,
    /// Overpressure behind the triangles [Pa]; for closed cloth.
    pub pressure: f64,
    /// Whether threads buckle within triangles when they are compressed, rather than resist as much as when they are pulled; not
    /// those of springs.
    pub buckling: bool,
}

/// Elements of several cloths, gathered before they become [`Energies`].
///
/// ```
/// use toile_cloth::{Fabric, SheetOptions, Sheets};
/// use toile_mesh::generate::{Diagonals, grid};
/// let mesh = grid([0.1, 0.1], [5, 5], Diagonals::Same);
/// let mut sheets = Sheets::default();
/// sheets.add(&mesh, 0, &Fabric::default(), &SheetOptions::default());
/// let mut energies = sheets.build(25);
/// assert!(energies.energy(&mesh.positions) < 1e-20);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sheets {
    membranes: Vec<Membrane>,
    springs: Vec<Spring>,
    bends: Vec<Bend>,
    hinges: Vec<Hinge>,
    pressures: Vec<Pressure>,
}

impl Sheets {
    /// Adds a cloth whose unloaded shape is `mesh` and whose first particle is `first`.
    pub fn add(&mut self, mesh: &TriMesh, first: usize, fabric: &Fabric, options: &SheetOptions) {
        let corners: Vec<[DVec2; 3]> = mesh.faces().map(|f| laid_flat(mesh.corners(f), options.grain)).collect();
        self.add_cut(mesh, &corners, first, fabric, options);
    }

    /// Adds a cloth that was cut and sewn: triangle `f` of `mesh` has the corners `corners[f]` along warp and weft [m] when
    /// nothing pulls on it. Positions of `mesh` and the grain of `options` do not matter.
    pub fn add_cut(
        &mut self,
        mesh: &TriMesh,
        corners: &[[DVec2; 3]],
        first: usize,
        fabric: &Fabric,
        options: &SheetOptions,
    ) {
        self.add_pieces(mesh, corners, first, &vec![fabric; corners.len()], options);
    }

    /// Adds a cloth that was cut from several fabrics and sewn: triangle `f` is made of `fabrics[f]`. Bending over an edge between two
    /// fabrics is that of either on its own side.
    pub fn add_pieces(
        &mut self,
        mesh: &TriMesh,
        corners: &[[DVec2; 3]],
        first: usize,
        fabrics: &[&Fabric],
        options: &SheetOptions,
    ) {
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v.0 + first as u32)).collect();
        match options.membrane {
            MembraneKind::Springs => self.add_springs(&triangles, corners, fabrics),
            MembraneKind::Corotational | MembraneKind::Threads => {
                let measure = if options.membrane == MembraneKind::Threads {
                    StrainMeasure::Threads
                } else {
                    StrainMeasure::Corotational
                };
                let membrane = |((nodes, rest), fabric): ((&[u32; 3], &[DVec2; 3]), &&Fabric)| {
                    let law = MembraneLaw::new(fabric, measure);
                    let law = if options.buckling { law.buckling(fabric, triangle_area(rest)) } else { law };
                    Membrane::new(*nodes, *rest, law, fabric.damping_stretch)
                };
                // Triangles without area resist nothing; the mesh check refuses them before.
                self.membranes.extend(triangles.iter().zip(corners).zip(fabrics).filter_map(membrane));
            }
        }
        match options.bending {
            BendingKind::Fit => self.bends.extend(Bend::of_pieces(&triangles, corners, fabrics)),
            BendingKind::Hinge => self.hinges.extend(Hinge::of_pieces(&triangles, corners, fabrics)),
        }
        if options.pressure != 0.0 {
            self.pressures.extend(triangles.iter().map(|t| Pressure::new(*t, options.pressure)));
        }
    }

    /// Adds a seam between two particles, of `stiffness` [N/m].
    pub fn add_seam(&mut self, ends: [u32; 2], stiffness: f64) {
        self.springs.push(Spring::seam(ends, stiffness));
    }

    /// One spring per edge: `k = E·h(direction) Σ A / l²` over the triangles at the edge (Van Gelder 1998).
    fn add_springs(&mut self, triangles: &[[u32; 3]], corners: &[[DVec2; 3]], fabrics: &[&Fabric]) {
        let mut edges = Vec::with_capacity(3 * triangles.len());
        for ((nodes, rest), fabric) in triangles.iter().zip(corners).zip(fabrics) {
            let area = triangle_area(rest);
            for k in 0..3 {
                let (i, j) = (nodes[k], nodes[(k + 1) % 3]);
                let along = rest[(k + 1) % 3] - rest[k];
                let length = along.length();
                let stiffness = off_axis_modulus(fabric, along) * area / (length * length);
                edges.push(([i.min(j), i.max(j)], stiffness, length));
            }
        }
        edges.sort_by_key(|edge| edge.0);
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            let (ends, _, length) = group[0];
            self.springs.push(Spring::new(ends, group.iter().map(|e| e.1).sum(), length));
        }
    }

    /// The energies of a world of `particles` particles.
    pub fn build(self, particles: usize) -> Energies {
        let Self { membranes, springs, bends, hinges, pressures } = self;
        Energies::new(membranes, springs, bends, hinges, pressures, particles)
    }
}

/// Area of a flat triangle [m²].
fn triangle_area([a, b, c]: &[DVec2; 3]) -> f64 {
    0.5 * (*b - *a).perp_dot(*c - *a).abs()
}

/// Tensile stiffness of a strip cut along `direction` [N/m]:
/// `1/E = c⁴/E1 + (1/G − 2 ν12/E1) s² c² + s⁴/E2`.
pub fn off_axis_modulus(fabric: &Fabric, direction: DVec2) -> f64 {
    let d = direction.normalize_or(DVec2::X);
    let (c2, s2) = (d.x * d.x, d.y * d.y);
    let [e1, e2] = fabric.initial_stretch();
    1.0 / (c2 * c2 / e1 + (1.0 / fabric.shear - 2.0 * fabric.poisson / e1) * s2 * c2 + s2 * s2 / e2)
}

/// Corners of a triangle in (warp, weft) coordinates of its plane, the first at the origin.
fn laid_flat([p, q, r]: [DVec3; 3], grain: f64) -> [DVec2; 3] {
    let (u, v) = (q - p, r - p);
    let normal = u.cross(v).normalize_or(DVec3::Y);
    let flat = |d: DVec3| d - normal * d.dot(normal);
    let (sin, cos) = grain.sin_cos();
    let along = flat(DVec3::new(cos, 0.0, sin));
    // A triangle that stands across the grain takes its weft from the other axis of the flat shape.
    let warp = if along.length_squared() > 1e-6 {
        along.normalize()
    } else {
        flat(DVec3::new(-sin, 0.0, cos)).cross(normal).normalize_or(normal.any_orthonormal_vector())
    };
    let weft = normal.cross(warp);
    [DVec2::ZERO, DVec2::new(u.dot(warp), u.dot(weft)), DVec2::new(v.dot(warp), v.dot(weft))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use toile_mesh::generate::{Diagonals, grid};

    #[test]
    fn triangles_are_laid_flat_without_a_change_of_length() {
        let p = [DVec3::new(0.3, 1.0, -2.0), DVec3::new(1.0, 0.5, 0.2), DVec3::new(-0.4, 0.1, 0.9)];
        let flat = laid_flat(p, 0.7);
        for k in 0..3 {
            let (a, b) = (k, (k + 1) % 3);
            assert!((flat[a].distance(flat[b]) - p[a].distance(p[b])).abs() < 1e-14);
        }
    }

    #[test]
    fn warp_follows_the_grain() {
        let mesh = grid([1.0, 1.0], [2, 2], Diagonals::Same);
        let stretch = |grain: f64, factor: DVec3| {
            let fabric =
                Fabric { stretch_warp: 1000.0, stretch_weft: 10.0, poisson: 0.0, shear: 1.0, ..Fabric::default() };
            let mut sheets = Sheets::default();
            sheets.add(&mesh, 0, &fabric, &SheetOptions { grain, ..SheetOptions::default() });
            let x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * factor).collect();
            sheets.build(4).energy(&x)
        };
        let (along, across) = (DVec3::new(1.01, 1.0, 1.0), DVec3::new(1.0, 1.0, 1.01));
        assert!((stretch(0.0, along) - 0.05).abs() < 1e-6 && (stretch(0.0, across) - 0.0005).abs() < 1e-6);
        let quarter = std::f64::consts::FRAC_PI_2;
        assert!((stretch(quarter, across) - 0.05).abs() < 1e-6 && (stretch(quarter, along) - 0.0005).abs() < 1e-6);
    }

    #[test]
    fn a_strip_of_two_fabrics_stretches_like_two_springs_in_a_row() {
        // A strip of 2 m by 1 m, its halves along the warp of 1000 and 250 N/m: 1/k = 1/1000 + 1/250.
        let mesh = grid([2.0, 1.0], [3, 2], Diagonals::Same);
        let plain = |stretch: f64| Fabric {
            stretch_warp: stretch,
            stretch_weft: 10.0,
            poisson: 0.0,
            shear: 1.0,
            linearity_warp: 1.0,
            linearity_weft: 1.0,
            ..Fabric::default()
        };
        let (stiff, soft) = (plain(1000.0), plain(250.0));
        let corners: Vec<[DVec2; 3]> = mesh.faces().map(|f| mesh.corners(f).map(|p| DVec2::new(p.x, p.z))).collect();
        let is_left = |c: &[DVec2; 3]| c.iter().map(|p| p.x).sum::<f64>() < 0.0;
        let fabrics: Vec<&Fabric> = corners.iter().map(|c| if is_left(c) { &stiff } else { &soft }).collect();
        for membrane in [MembraneKind::Threads, MembraneKind::Corotational] {
            let mut sheets = Sheets::default();
            sheets.add_pieces(&mesh, &corners, 0, &fabrics, &SheetOptions { membrane, ..SheetOptions::default() });
            let mut energies = sheets.build(6);
            // Pulled by 1 cm in all, of which the stiff half takes a fifth: ½ k (1 cm)² with k = 200 N/m.
            let (all, share) = (0.01, 0.2);
            let pulled = |p: &DVec3| match p.x {
                x if x < -0.5 => *p,
                x if x < 0.5 => *p + DVec3::X * (share * all),
                _ => *p + DVec3::X * all,
            };
            let x: Vec<DVec3> = mesh.positions.iter().map(pulled).collect();
            let found = energies.energy(&x);
            assert!((found / (0.5 * 200.0 * all * all) - 1.0).abs() < 1e-3, "{membrane:?}: {found}");
        }
    }

    #[test]
    fn springs_on_equilateral_triangles_are_isotropic() {
        // Van Gelder's stiffness gives E within 20 % on them with ν = 1/3, whatever the direction of the pull.
        let fabric = Fabric { poisson: 1.0 / 3.0, shear: 5000.0 / (2.0 * (1.0 + 1.0 / 3.0)), ..Fabric::default() };
        assert!((off_axis_modulus(&fabric, DVec2::new(1.0, 2.0)) / 5000.0 - 1.0).abs() < 1e-12);
        let height = 0.75_f64.sqrt();
        let mesh = TriMesh::from_indices(
            vec![DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.0, height), DVec3::new(0.5, 0.0, -height)],
            &[[0, 2, 1], [0, 1, 3]],
        );
        let mut sheets = Sheets::default();
        let options = SheetOptions { membrane: MembraneKind::Springs, ..SheetOptions::default() };
        sheets.add(&mesh, 0, &fabric, &options);
        let mut energies = sheets.build(4);
        assert_eq!(energies.springs.elements().len(), 5);
        let x: Vec<DVec3> = mesh.positions.iter().map(|p| *p * 1.01).collect();
        // Equal stretch in both directions: E/(1 − ν) ε² per area for the plate; springs k ε² l²/2 each.
        let plate = 5000.0 / (1.0 - 1.0 / 3.0) * 1e-4 * height;
        let found = energies.energy(&x);
        assert!((found / plate - 1.0).abs() < 0.01, "{found} {plate}");
    }
}
