//! [`ElementSet`]: elements of one kind, and who gathers what from them.
//!
//! For every particle the set knows the elements around it and where their Hessian blocks stand in the particle's row of
//! the global matrix. A row is filled by its owner alone, in a fixed order.

use rayon::prelude::*;
use toile_mesh::DVec3;

use super::{Curvature, Element};
use crate::linear::{Block, Csr};

/// Elements per parallel task: fixed, so that the work is cut the same way for any number of threads.
const CHUNK: usize = 512;

/// Elements of one kind.
#[derive(Clone, Debug)]
pub struct ElementSet<E: Element> {
    elements: Vec<E>,
    locals: Vec<E::Local>,
    /// Where each particle's places start; one more than particles.
    starts: Vec<u32>,
    places: Vec<Place>,
    /// Positions of blocks relative to the start of their row, by place and node.
    slots: Vec<u32>,
    partial: Vec<f64>,
    /// Whether someone could have changed the elements.
    touched: bool,
}

/// A particle as node of an element.
#[derive(Clone, Copy, Debug)]
struct Place {
    element: u32,
    node: u32,
    slot: u32,
}

impl<E: Element> ElementSet<E> {
    /// A set on `particles` particles.
    pub fn new(elements: Vec<E>, particles: usize) -> Self {
        let mut starts = vec![0_u32; particles + 1];
        for node in elements.iter().flat_map(Element::nodes) {
            starts[*node as usize + 1] += 1;
        }
        for i in 0..particles {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut places = vec![Place { element: 0, node: 0, slot: 0 }; starts[particles] as usize];
        for (e, element) in elements.iter().enumerate() {
            for (a, node) in element.nodes().iter().enumerate() {
                let at = &mut next[*node as usize];
                places[*at as usize] = Place { element: e as u32, node: a as u32, slot: 0 };
                *at += 1;
            }
        }
        Self { elements, locals: Vec::new(), starts, places, slots: Vec::new(), partial: Vec::new(), touched: true }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    /// The elements, to set what they remember.
    pub fn elements_mut(&mut self) -> &mut [E] {
        self.touched = true;
        &mut self.elements
    }

    /// Whether [`ElementSet::elements_mut`] was called since this was asked last.
    pub(crate) fn take_touched(&mut self) -> bool {
        std::mem::replace(&mut self.touched, false)
    }

    /// Tells every element where a step begins.
    pub(crate) fn begin_step(&mut self, begin: impl Fn(&mut E) + Sync) {
        self.elements.par_chunks_mut(CHUNK).for_each(|chunk| chunk.iter_mut().for_each(&begin));
    }

    /// Entries of the matrix that the elements need, as `[row, column]`.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.elements.iter().flat_map(|e| e.nodes().iter().flat_map(|a| e.nodes().iter().map(|b| [*a, *b])))
    }

    /// Looks up where the blocks stand in `matrix`, which must have all of [`ElementSet::pairs`].
    pub(crate) fn bind(&mut self, matrix: &Csr<E::Block>) {
        self.slots.clear();
        for row in 0..self.starts.len() - 1 {
            let start = matrix.row(row).start;
            for place in &mut self.places[self.starts[row] as usize..self.starts[row + 1] as usize] {
                place.slot = self.slots.len() as u32;
                for node in self.elements[place.element as usize].nodes() {
                    let at =
                        matrix.position(row, *node as usize).expect("the pattern was made from the elements' pairs");
                    self.slots.push((at - start) as u32);
                }
            }
        }
    }

    /// Energy at `x` [J]; partial sums are added in order.
    pub fn energy(&mut self, x: &[DVec3]) -> f64 {
        let sums = self.elements.par_chunks(CHUNK).map(|chunk| chunk.iter().map(|e| e.energy(x)).sum());
        sums.collect_into_vec(&mut self.partial);
        self.partial.iter().sum()
    }

    /// Prepares the derivatives at `x`.
    pub(crate) fn evaluate(&mut self, x: &[DVec3], curvature: Curvature) {
        let locals = self.elements.par_iter().with_min_len(CHUNK).map(|e| e.local(x, curvature));
        locals.collect_into_vec(&mut self.locals);
    }

    /// Prepares the derivatives at `x`; returns the energy [J], the same bits as [`ElementSet::energy`].
    pub(crate) fn evaluate_with_energy(&mut self, x: &[DVec3], curvature: Curvature) -> f64 {
        if self.locals.len() != self.elements.len() {
            self.evaluate(x, curvature);
        }
        self.partial.resize(self.elements.len().div_ceil(CHUNK), 0.0);
        let chunks = self.elements.par_chunks(CHUNK).zip(self.locals.par_chunks_mut(CHUNK));
        chunks.zip(&mut self.partial).for_each(|((elements, locals), sum)| {
            let with_energy = |(element, place): (&E, &mut E::Local)| {
                let (energy, local) = element.local_with_energy(x, curvature);
                *place = local;
                energy
            };
            *sum = elements.iter().zip(locals).map(with_energy).sum();
        });
        self.partial.iter().sum()
    }

    /// The derivatives that were prepared last, one per element.
    pub(crate) fn locals(&self) -> &[E::Local] {
        &self.locals
    }

    /// Makes the derivatives of each element of those in `from`.
    pub(crate) fn prepare_from(&mut self, from: &[E::Local], prepare: impl Fn(&E, &E::Local) -> E::Local + Sync) {
        let chunks = self.elements.par_chunks(CHUNK).zip(from.par_chunks(CHUNK)).zip(self.locals.par_chunks_mut(CHUNK));
        chunks.for_each(|((elements, from), locals)| {
            for ((element, from), local) in elements.iter().zip(from).zip(locals) {
                *local = prepare(element, from);
            }
        });
    }

    /// Gradient by the position of particle `row`.
    #[inline]
    pub(crate) fn gradient(&self, row: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for place in &self.places[self.starts[row] as usize..self.starts[row + 1] as usize] {
            let e = place.element as usize;
            sum += self.elements[e].gradient(&self.locals[e], place.node as usize);
        }
        sum
    }

    /// Gradient of particle `row`, and the Hessian added to its row of the matrix.
    #[inline]
    pub(crate) fn gather(&self, row: usize, values: &mut [E::Block]) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for place in &self.places[self.starts[row] as usize..self.starts[row + 1] as usize] {
            let e = place.element as usize;
            let (element, local, a) = (&self.elements[e], &self.locals[e], place.node as usize);
            sum += element.gradient(local, a);
            let nodes = element.nodes().len();
            let slots = &self.slots[place.slot as usize..place.slot as usize + nodes];
            element.add_row(local, a, slots, values);
        }
        sum
    }
}

/// Calls `row` for every row with its parts of two matrices and a vector, in parallel and without allocation.
pub(crate) fn for_rows<A: Block, B: Block>(
    (starts_a, a): (&[u32], &mut [A]),
    (starts_b, b): (&[u32], &mut [B]),
    first: usize,
    g: &mut [DVec3],
    row: &(impl Fn(usize, &mut [A], &mut [B], &mut DVec3) + Sync),
) {
    // `starts` hold one more than the rows of `g`, counted from the whole matrix.
    let n = g.len();
    if n > CHUNK {
        let half = n / 2;
        let (left_a, right_a) = a.split_at_mut((starts_a[half] - starts_a[0]) as usize);
        let (left_b, right_b) = b.split_at_mut((starts_b[half] - starts_b[0]) as usize);
        let (left_g, right_g) = g.split_at_mut(half);
        rayon::join(
            || for_rows((&starts_a[..=half], left_a), (&starts_b[..=half], left_b), first, left_g, row),
            || for_rows((&starts_a[half..], right_a), (&starts_b[half..], right_b), first + half, right_g, row),
        );
        return;
    }
    let part = |starts: &[u32], i: usize| (starts[i] - starts[0]) as usize..(starts[i + 1] - starts[0]) as usize;
    for (i, g) in g.iter_mut().enumerate() {
        row(first + i, &mut a[part(starts_a, i)], &mut b[part(starts_b, i)], g);
    }
}
