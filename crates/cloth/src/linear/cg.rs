//! [`ConjugateGradients`]: solves `A x = b` among the motions a [`Filter`] leaves free.
//!
//! The filtered, preconditioned conjugate gradients of Baraff and Witkin 1998 (section 5.3) with the correction of
//! Ascher and Boxerman 2003 (*On the Modified Conjugate Gradient Method in Cloth Simulation*): the start is
//! `x = S x₀ + z`, so what is prescribed holds from the first iterate to the last; residuals are `r = S (b − A x)`,
//! preconditioned ones `S P⁻¹ r`, and the test of convergence sees only what can still change. It is the ordinary
//! method on the subspace of free motions, where `S A S` is positive definite.
//!
//! Stopping early is normal use. Each iterate minimizes `½ xᵀ A x − bᵀ x` over more directions than the one before, so
//! from a start of zero any of them is a descent direction: `b · x = x · A x > 0`.
//!
//! The residual is measured as `sqrt(rᵀ D⁻¹ r)`, D the diagonal blocks of A, with every preconditioner: tolerances mean
//! the same when the preconditioner changes. An absolute tolerance is asked for, because `b` vanishes at rest and a
//! fraction of nothing is never reached; a fraction of the weight's norm ([`ConjugateGradients::norm`]) suits cloth.
//!
//! Rounding, an indefinite A or input that is not finite show as `pᵀ A p ≤ 0` or not a number. Then the method stops
//! with the iterate at hand, which has the lowest energy so far, and reports a breakdown.

use super::csr::CHUNK;
use super::filter::Filter;
use super::jacobi::BlockJacobi;
use super::preconditioner::Preconditioner;
use super::system::System;
use rayon::prelude::*;
use toile_mesh::DVec3;

/// When conjugate gradients stop.
#[derive(Clone, Copy, Debug)]
pub struct CgSettings {
    /// Residual that suffices, in the norm of [`ConjugateGradients::norm`].
    pub tolerance: f64,
    /// Iterations at most.
    pub most_iterations: usize,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CgReport {
    /// Iterations done.
    pub iterations: usize,
    /// Residual at the start, with what is prescribed in place.
    pub first_residual: f64,
    /// Residual of the result.
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
    /// Whether a direction without positive curvature, or a number that is not finite, ended the solve.
    pub breakdown: bool,
}

/// Conjugate gradients with all their memory: a second solve of the same size allocates nothing.
///
/// ```
/// use toile_cloth::linear::{CgSettings, ConjugateGradients, Csr, Filter, System};
/// use toile_mesh::DVec3;
/// let mut system = System { blocks: Csr::new(2, []), scalars: Csr::new(2, [[0, 1], [1, 0]]), ..System::default() };
/// system.scalars.values.copy_from_slice(&[2.0, -1.0, -1.0, 2.0]);
/// let mut filter = Filter::free(2);
/// filter.set(1, DVec3::Z);
/// let mut x = [DVec3::ZERO; 2];
/// let settings = CgSettings { tolerance: 1e-9, most_iterations: 10 };
/// let report = ConjugateGradients::default().solve(&system, &filter, &[DVec3::Z; 2], &mut x, &settings);
/// assert!(report.converged && x[1] == DVec3::Z && x[0].distance(DVec3::Z) < 1e-9);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients {
    /// What makes the iterations fewer.
    pub preconditioner: Preconditioner,
    jacobi: BlockJacobi,
    /// `r = S (b − A x)`.
    residual: Vec<DVec3>,
    /// `z = S P⁻¹ r`.
    preconditioned: Vec<DVec3>,
    /// `p`.
    direction: Vec<DVec3>,
    /// `q = S A p`.
    product: Vec<DVec3>,
    /// One partial sum per chunk.
    sums: Vec<f64>,
    /// One vector per coupling.
    pulls: Vec<DVec3>,
}

impl ConjugateGradients {
    /// With a preconditioner.
    pub fn new(preconditioner: Preconditioner) -> Self {
        Self { preconditioner, ..Self::default() }
    }

    /// The norm of residuals, `sqrt(vᵀ S D⁻¹ S v)`, of any vector of forces: what a tolerance may be a fraction of.
    pub fn norm(&mut self, system: &System, filter: &Filter, v: &[DVec3]) -> f64 {
        self.jacobi.update(system, filter);
        self.jacobi.norm(filter, v)
    }

    /// Solves `S A x = S b`, `(I − S) x = z` from the start `x`, which the result replaces.
    ///
    /// All slices have one element per row of `system`.
    pub fn solve(
        &mut self,
        system: &System,
        filter: &Filter,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &CgSettings,
    ) -> CgReport {
        self.prepare(system, filter);
        filter.impose(x);
        let square = self.start(filter, b, Some((system, x)));
        self.iterate(system, filter, x, settings, square)
    }

    /// Memory for `system` and what norms are measured with: before [`ConjugateGradients::solve_from_zero`],
    /// [`ConjugateGradients::continue_from`] and [`ConjugateGradients::size`].
    pub(crate) fn begin(&mut self, system: &System, filter: &Filter) {
        self.prepare(system, filter);
    }

    /// The norm of residuals of any vector of forces, for the system begun last.
    pub(crate) fn size(&mut self, filter: &Filter, v: &[DVec3]) -> f64 {
        let jacobi = &self.jacobi;
        v.par_chunks(CHUNK).zip(&mut self.sums).enumerate().for_each(|(chunk, (v, sum))| {
            let square = |(i, v): (usize, &DVec3)| {
                let v = filter.project(chunk * CHUNK + i, *v);
                v.dot(jacobi.apply(chunk * CHUNK + i, v))
            };
            *sum = v.iter().enumerate().map(square).sum();
        });
        root(self.sums.iter().sum())
    }

    /// Solves from a start of zero, for the system begun last.
    pub(crate) fn solve_from_zero(
        &mut self,
        system: &System,
        filter: &Filter,
        b: &[DVec3],
        x: &mut [DVec3],
        settings: &CgSettings,
    ) -> CgReport {
        x.fill(DVec3::ZERO);
        let square = self.start(filter, b, None);
        self.iterate(system, filter, x, settings, square)
    }

    /// Solves from the best point `x + α p`, where nothing is prescribed, or from zero if that is better, for the system begun last.
    ///
    /// `relative`: the residual gets at least that much smaller than that of the start.
    ///
    /// A start with `½ xᵀ A x − bᵀ x > 0` is worse than none: a guess that lets cloth fall into stiff contacts would end the solve before
    /// it began. So every result descends, as from a start of zero.
    pub(crate) fn continue_from(
        &mut self,
        system: &System,
        filter: &Filter,
        b: &[DVec3],
        (x, p): (&mut [DVec3], &[DVec3]),
        settings: &CgSettings,
        relative: f64,
    ) -> CgReport {
        let mut square = self.start(filter, b, Some((system, x)));
        self.direction.copy_from_slice(p);
        let curvature =
            system.filtered_product(filter, &self.direction, &mut self.product, &mut self.sums, &mut self.pulls);
        let along: f64 = p.iter().zip(&self.residual).map(|(p, r)| p.dot(*r)).sum();
        if curvature > 0.0 && (along / curvature).is_finite() {
            square = self.advance(filter, x, along / curvature);
        }
        let tolerance = settings.tolerance.min(relative * root(square));
        let settings = &CgSettings { tolerance, ..*settings };
        // With the residual r = b − A x the energy is −½ x·(b + r).
        let gain: f64 = (0..b.len()).map(|i| x[i].dot(filter.project(i, b[i]) + self.residual[i])).sum();
        if gain.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            x.fill(DVec3::ZERO);
            square = self.start(filter, b, None);
        }
        self.iterate(system, filter, x, settings, square)
    }

    /// What the last solve left over, `S (b − A x)`.
    pub(crate) fn residual(&self) -> &[DVec3] {
        &self.residual
    }

    /// Memory for the rows of `system`, and the inverses of its diagonal blocks.
    fn prepare(&mut self, system: &System, filter: &Filter) {
        let n = system.rows();
        for list in [&mut self.residual, &mut self.preconditioned, &mut self.direction, &mut self.product] {
            list.resize(n, DVec3::ZERO);
        }
        self.sums.resize(n.div_ceil(CHUNK), 0.0);
        self.jacobi.update(system, filter);
    }

    /// From the residual at hand, whose square is `square`.
    fn iterate(
        &mut self,
        system: &System,
        filter: &Filter,
        x: &mut [DVec3],
        settings: &CgSettings,
        mut square: f64,
    ) -> CgReport {
        let mut report = CgReport { first_residual: root(square), ..CgReport::default() };
        let mut slope = self.precondition(filter, square);
        self.direction.copy_from_slice(&self.preconditioned);
        loop {
            report.residual = root(square);
            // Once at least, or what is nearly in balance would never come to rest.
            report.converged = report.residual <= settings.tolerance && (report.iterations > 0 || square <= 0.0);
            if report.converged || report.iterations >= settings.most_iterations {
                return report;
            }
            let curvature =
                system.filtered_product(filter, &self.direction, &mut self.product, &mut self.sums, &mut self.pulls);
            let step = slope / curvature;
            // Written so that a number that is not a number fails.
            if !(curvature > 0.0 && slope > 0.0 && step.is_finite()) {
                report.breakdown = true;
                return report;
            }
            square = self.advance(filter, x, step);
            report.iterations += 1;
            let next = self.precondition(filter, square);
            let keep = next / slope;
            slope = next;
            self.direction.par_chunks_mut(CHUNK).zip(self.preconditioned.par_chunks(CHUNK)).for_each(|(p, z)| {
                for (p, z) in p.iter_mut().zip(z) {
                    *p = *z + *p * keep;
                }
            });
        }
    }

    /// Where the lists are.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> ([*const DVec3; 4], *const f64) {
        let lists = [&self.residual, &self.preconditioned, &self.direction, &self.product];
        (lists.map(Vec::as_ptr), self.sums.as_ptr())
    }

    /// `r = S (b − A x)`, without `A` and `x` for a start of zero, and `z = D⁻¹ r`; returns `r · z`.
    fn start(&mut self, filter: &Filter, b: &[DVec3], from: Option<(&System, &[DVec3])>) -> f64 {
        if let Some((system, x)) = from {
            system.couplings.pull(x, &mut self.pulls);
        }
        let (jacobi, pulls) = (&self.jacobi, &self.pulls);
        let lists = self.residual.par_chunks_mut(CHUNK).zip(self.preconditioned.par_chunks_mut(CHUNK));
        lists.zip(&mut self.sums).enumerate().for_each(|(chunk, ((r, z), sum))| {
            *sum = 0.0;
            for (i, (r, z)) in r.iter_mut().zip(z).enumerate() {
                let row = chunk * CHUNK + i;
                let product = from.map_or(DVec3::ZERO, |(system, x)| system.row_product(row, x, pulls));
                *r = filter.project(row, b[row] - product);
                *z = jacobi.apply(row, *r);
                *sum += r.dot(*z);
            }
        });
        self.sums.iter().sum()
    }

    /// `x += α p`, `r −= α q`, `z = D⁻¹ r`; returns `r · z`.
    fn advance(&mut self, filter: &Filter, x: &mut [DVec3], step: f64) -> f64 {
        let (jacobi, direction, product) = (&self.jacobi, &self.direction, &self.product);
        let lists = self.residual.par_chunks_mut(CHUNK).zip(self.preconditioned.par_chunks_mut(CHUNK));
        let lists = lists.zip(x.par_chunks_mut(CHUNK)).zip(&mut self.sums);
        lists.enumerate().for_each(|(chunk, (((r, z), x), sum))| {
            *sum = 0.0;
            for (i, ((r, z), x)) in r.iter_mut().zip(z).zip(x).enumerate() {
                let row = chunk * CHUNK + i;
                *x += direction[row] * step;
                *r -= product[row] * step;
                // Exactly in the subspace for the inverse taken there, up to rounding that the projection removes.
                *z = filter.project(row, jacobi.apply(row, *r));
                *sum += r.dot(*z);
            }
        });
        self.sums.iter().sum()
    }

    /// Makes `z = S P⁻¹ r` of the `z = D⁻¹ r` at hand, whose `r · z` is `square`; returns the new `r · z`.
    fn precondition(&mut self, filter: &Filter, square: f64) -> f64 {
        match &mut self.preconditioner {
            Preconditioner::BlockJacobi => square,
            Preconditioner::Multilevel(multilevel) => {
                if !multilevel.correct(filter, &self.residual, &mut self.preconditioned, &mut self.sums) {
                    return square;
                }
                let slope = self.sums.iter().sum();
                // What patches add is positive, or their matrices were beyond rounding: then without them.
                if slope >= square {
                    return slope;
                }
                for (row, (r, z)) in self.residual.iter().zip(&mut self.preconditioned).enumerate() {
                    *z = filter.project(row, self.jacobi.apply(row, *r));
                }
                square
            }
        }
    }
}

/// The root; zero for what rounding made negative, but not for what is not a number.
fn root(square: f64) -> f64 {
    if square < 0.0 { 0.0 } else { square.sqrt() }
}
