//! Polynomials of degree up to 3 with integer coefficients, their real roots in [0, 1], and exact signs at those roots.
//!
//! Roots are isolated by Descartes' rule on Bernstein coefficients over [k, k + 1] / 2^e, halving until a stretch holds
//! at most one (Collins, Akritas 1976; ends because repeated roots are divided out first). A root is kept as such a
//! stretch, or as the dyadic number k / 2^e when halving meets it. The sign of another polynomial p there is 0 if the
//! common divisor of p and the root's polynomial changes sign over the stretch; otherwise the stretch is narrowed until
//! the Bernstein coefficients of p agree.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::ops::{Add, Mul, Sub};

/// Coefficients, constant one first; the last one is not zero. The zero polynomial has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial(Vec<BigInt>);

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, a)| a * BigInt::from(i)).collect())
    }

    /// Value at k / 2^e, times 2^(e degree), by Horner's scheme.
    fn value(&self, k: &BigInt, e: u64) -> BigInt {
        let mut value = BigInt::zero();
        for (shift, a) in self.0.iter().rev().enumerate() {
            value = value * k + (a << (e * shift as u64));
        }
        value
    }

    /// Bernstein coefficients over [k, k + 1] / 2^e, up to a positive factor.
    fn bernstein(&self, k: &BigInt, e: u64) -> Vec<BigInt> {
        let n = self.degree();
        let mut a: Vec<BigInt> = self.0.iter().enumerate().map(|(i, a)| a << (e * (n - i) as u64)).collect();
        if !k.is_zero() {
            for i in 0..n {
                for j in (i..n).rev() {
                    let term = &a[j + 1] * k;
                    a[j] += term;
                }
            }
        }
        // b_j = sum over i of C(j, i) / C(n, i) a_i; the factors below are 6 / C(n, i).
        let unit = |i: usize| 6 / BINOMIAL[n][i];
        (0..=n).map(|j| (0..=j).map(|i| &a[i] * (BINOMIAL[j][i] * unit(i))).sum()).collect()
    }

    /// Quotient and remainder of `self` times a power of the divisor's leading coefficient.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let Some(lead) = divisor.0.last() else {
            return (Self(Vec::new()), self.clone());
        };
        let m = divisor.degree();
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); (self.0.len() + 1).saturating_sub(divisor.0.len()).max(1)];
        while rest.len() > m {
            let top = rest.pop().unwrap_or_default();
            let place = rest.len() - m;
            for a in rest.iter_mut().chain(&mut quotient) {
                *a *= lead;
            }
            for i in 0..m {
                let term = &divisor.0[i] * &top;
                rest[place + i] -= term;
            }
            quotient[place] += top;
        }
        (Self::new(quotient), Self::new(rest))
    }

    /// Greatest common divisor, up to a constant.
    fn common_divisor(&self, other: &Self) -> Self {
        let (mut p, mut q) =
            if self.0.len() >= other.0.len() { (self.clone(), other.clone()) } else { (other.clone(), self.clone()) };
        while !q.is_zero() {
            let rest = p.divide(&q).1;
            p = std::mem::replace(&mut q, rest);
        }
        p
    }

    /// A polynomial with the same roots, each simple.
    fn square_free(&self) -> Self {
        let shared = self.common_divisor(&self.derivative());
        if shared.degree() == 0 { self.clone() } else { self.divide(&shared).0 }
    }

    /// All roots in [0, 1], from small to large; none for a constant.
    pub(super) fn roots(&self) -> Vec<Root> {
        let mut found = Vec::new();
        if self.degree() == 0 {
            return found;
        }
        let simple = self.square_free();
        let mut waiting = vec![(BigInt::zero(), 0)];
        while let Some((k, e)) = waiting.pop() {
            let b = simple.bernstein(&k, e);
            let changes = sign_changes(&b);
            if changes > 1 {
                let twice = k << 1_u32;
                waiting.push((&twice + 1_u32, e + 1));
                waiting.push((twice, e + 1));
                continue;
            }
            if b[0].is_zero() {
                found.push(Root { polynomial: simple.clone(), k: k.clone(), e, dyadic: true });
            }
            if changes == 1 {
                found.push(Root { polynomial: simple.clone(), k, e, dyadic: false });
            }
        }
        if simple.value(&BigInt::one(), 0).is_zero() {
            found.push(Root { polynomial: simple, k: BigInt::one(), e: 0, dyadic: true });
        }
        found
    }
}

/// Binomial coefficients up to degree 3.
const BINOMIAL: [[u32; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];

fn sign(x: &BigInt) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

/// Changes of sign along a sequence, zeros left out.
fn sign_changes(values: &[BigInt]) -> usize {
    let mut changes = 0;
    let mut last = 0;
    for s in values.iter().map(sign).filter(|s| *s != 0) {
        changes += usize::from(s == -last);
        last = s;
    }
    changes
}

macro_rules! termwise {
    ($operation:ident, $method:ident) => {
        impl $operation for &Polynomial {
            type Output = Polynomial;
            fn $method(self, other: &Polynomial) -> Polynomial {
                let zero = BigInt::zero();
                let n = self.0.len().max(other.0.len());
                let term = |i: usize| self.0.get(i).unwrap_or(&zero).$method(other.0.get(i).unwrap_or(&zero));
                Polynomial::new((0..n).map(term).collect())
            }
        }
    };
}
termwise!(Add, add);
termwise!(Sub, sub);

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }
}

/// A real root in [0, 1]: the dyadic number k / 2^e, or the only root strictly inside [k, k + 1] / 2^e.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// Square-free polynomial that it is a root of.
    polynomial: Polynomial,
    k: BigInt,
    e: u64,
    dyadic: bool,
}

impl Root {
    /// The number k / 2^e as a time at which other polynomials can be evaluated.
    pub(super) fn zero() -> Self {
        Self { polynomial: Polynomial(Vec::new()), k: BigInt::zero(), e: 0, dyadic: true }
    }

    /// Narrows the stretch to at most 2^-bits: quadratic interval refinement (Abbott 2014). The stretch is cut into 2^j
    /// parts, and the part that the secant points at is tested; j doubles with every success and halves otherwise.
    pub(super) fn narrow(&mut self, bits: u64) {
        if self.dyadic || self.e >= bits {
            return;
        }
        // The polynomial may vanish at an end of the stretch, at a neighbouring root: the sign just inside counts.
        let before = self.polynomial.bernstein(&self.k, self.e).iter().map(sign).find(|s| *s != 0).unwrap_or(0);
        let mut j = 1;
        while !self.dyadic && self.e < bits {
            if j == 1 {
                self.halve(before);
                j = 2;
            } else if self.take_part(before, j) {
                j *= 2;
            } else {
                j /= 2;
            }
        }
    }

    /// Halves the stretch, given the sign of the polynomial between its lower end and the root.
    fn halve(&mut self, before: i32) {
        self.k <<= 1_u32;
        self.e += 1;
        let middle = &self.k + 1_u32;
        let there = sign(&self.polynomial.value(&middle, self.e));
        self.dyadic = there == 0;
        if there == before || there == 0 {
            self.k = middle;
        }
    }

    /// Goes to the part, of 2^j equal ones, that the secant points at, if the root is in it.
    fn take_part(&mut self, before: i32, j: u64) -> bool {
        let low_value = self.polynomial.value(&self.k, self.e);
        let drop = &low_value - self.polynomial.value(&(&self.k + 1_u32), self.e);
        if drop.is_zero() {
            return false;
        }
        let parts = BigInt::one() << j;
        let part: BigInt = (low_value << j) / drop;
        if part.is_negative() || part >= parts {
            return false;
        }
        let first = part.is_zero();
        let last = &part + 1_u32 == parts;
        let (low, e) = ((&self.k << j) + part, self.e + j);
        let high = &low + 1_u32;
        let low_sign = if first { before } else { sign(&self.polynomial.value(&low, e)) };
        let high_sign = if last { -before } else { sign(&self.polynomial.value(&high, e)) };
        self.dyadic = low_sign == 0 || high_sign == 0;
        if !self.dyadic && (low_sign != before || high_sign != -before) {
            return false;
        }
        self.k = if high_sign == 0 { high } else { low };
        self.e = e;
        true
    }

    /// Sign of a polynomial of degree up to 3 at this root.
    pub(super) fn sign_of(&mut self, p: &Polynomial) -> i32 {
        if p.is_zero() {
            return 0;
        }
        let mut shared_checked = false;
        loop {
            if self.dyadic {
                return sign(&p.value(&self.k, self.e));
            }
            // Positive combinations inside the stretch: coefficients that are zero do not matter.
            let b = p.bernstein(&self.k, self.e);
            if sign_changes(&b) == 0 {
                return b.iter().map(sign).find(|s| *s != 0).unwrap_or(0);
            }
            if !shared_checked {
                shared_checked = true;
                if self.shares_root_with(p) {
                    return 0;
                }
            }
            self.narrow(2 * self.e + 2);
        }
    }

    /// Whether a polynomial vanishes at this root, which must not be dyadic.
    fn shares_root_with(&self, p: &Polynomial) -> bool {
        // The divisor's roots are simple, and of all roots of the polynomial only this one is inside.
        let shared = self.polynomial.common_divisor(p);
        shared.degree() > 0 && sign_changes(&shared.bernstein(&self.k, self.e)) == 1
    }

    /// The largest multiple of 2^-53 that is not above the lower end.
    pub(super) fn lower_bound(&self) -> f64 {
        let scaled = if self.e <= 53 { &self.k << (53 - self.e) } else { &self.k >> (self.e - 53) };
        scaled.iter_u64_digits().next().unwrap_or(0) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|a| BigInt::from(*a)).collect())
    }

    fn root_values(coefficients: &[i64]) -> Vec<f64> {
        let narrowed = |mut root: Root| {
            root.narrow(50);
            root.lower_bound()
        };
        polynomial(coefficients).roots().into_iter().map(narrowed).collect()
    }

    #[test]
    fn roots_of_known_cubics_are_found_in_order_and_once() {
        // (2t − 1)(3t − 1)(5t − 4), a double and a triple root, ends of the interval, no root inside.
        let cases: [(&[i64], &[f64]); 8] = [
            (&[-4, 25, -49, 30], &[1.0 / 3.0, 0.5, 0.8]),
            (&[-4, 21, -36, 20], &[0.5, 0.8]),
            (&[-1, 9, -27, 27], &[1.0 / 3.0]),
            (&[0, 1, -1], &[0.0, 1.0]),
            (&[0, 2, -9, 9], &[0.0, 1.0 / 3.0, 2.0 / 3.0]),
            (&[0, 0, 0, 7], &[0.0]),
            (&[1, 0, 1], &[]),
            (&[5], &[]),
        ];
        for (coefficients, expected) in cases {
            let found = root_values(coefficients);
            assert_eq!(found.len(), expected.len(), "{coefficients:?} {found:?}");
            for (f, e) in found.iter().zip(expected) {
                assert!(*f <= *e && e - f < 1e-15, "{f} {e}");
            }
        }
    }

    #[test]
    fn close_roots_are_told_apart() {
        // (nt − 1)(nt − 2): 1 / n apart at 1 / n.
        let n = 1_i64 << 30;
        let found = root_values(&[2, -3 * n, n * n]);
        assert_eq!(found, [1.0 / n as f64, 2.0 / n as f64]);
    }

    #[test]
    fn signs_at_irrational_roots_are_exact() {
        // √½ is a root of 2t² − 1. 1 − 2t² vanishes there, as does (2t² − 1)(t − 2).
        let mut root = polynomial(&[-1, 0, 2]).roots().remove(0);
        assert_eq!(root.sign_of(&polynomial(&[1, 0, -2])), 0);
        assert_eq!(root.sign_of(&polynomial(&[2, -1, -4, 2])), 0);
        assert_eq!(root.sign_of(&polynomial(&[])), 0);
        // Continued fraction neighbours of √½ on either side: 985/1393 above, 2378/3363 below; and far closer ones.
        assert_eq!(root.sign_of(&polynomial(&[-985, 1393])), -1);
        assert_eq!(root.sign_of(&polynomial(&[-2378, 3363])), 1);
        let (mut p, mut q) = (BigInt::one(), BigInt::one());
        for step in 1..400 {
            (p, q) = (&p + &q, &p * 2 + &q);
            // p / q − √½ has the sign of 2 p² − q².
            let expected = -sign(&(&p * &p * 2 - &q * &q));
            assert_eq!(root.sign_of(&Polynomial::new(vec![-p.clone(), q.clone()])), expected, "step {step}");
        }
    }
}
