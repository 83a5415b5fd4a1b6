//! Shared mutable access to disjoint elements of one slice: what the `unsafe` of this crate rests on. The two loops that
//! use it are in [`crate::sweep`] and [`crate::chains`].
//!
//! Constraints of one colour touch no particle twice, so they may be projected at the same time. The borrow checker
//! cannot see that; [`Disjoint`] lets several threads hold the slice while each promises to touch only its own
//! elements. Who may touch what is decided by [`crate::coloring`], whose result is checked when it is built.
#![allow(unsafe_code)]

use std::marker::PhantomData;

/// A slice that several threads may write as long as no element is touched by two of them at the same time.
pub(crate) struct Disjoint<'a, T> {
    start: *mut T,
    len: usize,
    slice: PhantomData<&'a mut [T]>,
}

// SAFETY: `Disjoint` gives access to `T` by value or exclusive reference only, through `unsafe` functions whose
// callers promise that no element is used by two threads at once; so sending `T` between threads is all that happens.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), slice: PhantomData }
    }

    /// Element `i` for writing.
    ///
    /// # Safety
    /// While the returned reference lives, no other reference to element `i` may exist, on any thread.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn get(&self, i: usize) -> &mut T {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: in bounds by the assertion; exclusive by the caller's promise; alive by `'a`.
        unsafe { &mut *self.start.add(i) }
    }

    /// The elements of `range` for writing.
    ///
    /// # Safety
    /// While the returned slice lives, no other reference to any of its elements may exist, on any thread.
    #[inline]
    #[allow(clippy::mut_from_ref)]
    pub(crate) unsafe fn range(&self, range: std::ops::Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        // SAFETY: in bounds by the assertion; exclusive by the caller's promise; alive by `'a`.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn threads_write_their_own_elements() {
        let mut numbers = vec![0_usize; 10_000];
        let shared = Disjoint::new(&mut numbers);
        (0..10_000_usize).into_par_iter().for_each(|i| {
            // SAFETY: each index is used by one closure call only.
            unsafe { *shared.get(i) = i * i };
        });
        assert!(numbers.iter().enumerate().all(|(i, &n)| n == i * i));
    }

    #[test]
    #[should_panic(expected = "element 3 of 3")]
    fn out_of_bounds_is_refused() {
        let mut numbers = [0; 3];
        let shared = Disjoint::new(&mut numbers);
        // SAFETY: the call panics before a reference exists.
        unsafe { *shared.get(3) = 1 };
    }

    #[test]
    #[should_panic(expected = "2..5 of 3")]
    fn ranges_out_of_bounds_are_refused() {
        let mut numbers = [0; 3];
        let shared = Disjoint::new(&mut numbers);
        // SAFETY: the call panics before a reference exists.
        unsafe { shared.range(2..5).fill(1) };
    }
}
