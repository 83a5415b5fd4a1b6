//! References that share no code with the solver: differential equations, solved here by shooting.

/// Height lost and width reached by the heavy elastica, relative to its length: a strip that is clamped level and bends under its own
/// weight, `θ'' = −Γ (1 − s) cos θ`, `θ(0) = 0`, `θ'(1) = 0`, with `Γ = σ g L³/B`.
///
/// `θ` is measured downwards. The curvature at the clamp is found by bisection: the more curved the start, the more curved the end.
pub(super) fn cantilever(gamma: f64) -> [f64; 2] {
    let (mut low, mut high) = (0.0, gamma);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if sag(gamma, middle).0 > 0.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    sag(gamma, 0.5 * (low + high)).1
}

/// Curvature at the free end and `[H/L, W/L]` of the strip with that curvature at the clamp, by the rule of Runge and Kutta.
fn sag(gamma: f64, curvature: f64) -> (f64, [f64; 2]) {
    const STEPS: u32 = 2_000;
    let h = 1.0 / f64::from(STEPS);
    // θ, θ', height lost, width.
    let mut y = [0.0, curvature, 0.0, 0.0];
    let rate = |s: f64, y: [f64; 4]| [y[1], -gamma * (1.0 - s) * y[0].cos(), y[0].sin(), y[0].cos()];
    for k in 0..STEPS {
        let s = f64::from(k) * h;
        let plus = |d: [f64; 4], t: f64| std::array::from_fn(|i| y[i] + t * d[i]);
        let a = rate(s, y);
        let b = rate(s + 0.5 * h, plus(a, 0.5 * h));
        let c = rate(s + 0.5 * h, plus(b, 0.5 * h));
        let d = rate(s + h, plus(c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    (y[1], [y[2], y[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cantilever_agrees_with_small_loads_and_published_ratios() {
        let [h, _] = cantilever(0.01);
        assert!((h - 0.01 / 8.0).abs() < 1e-6);
        for (gamma, ratio) in [(1.0, 0.12456), (8.0, 0.88433), (10.0, 1.0668), (100.0, 5.888)] {
            let [h, w] = cantilever(gamma);
            assert!((h / w / ratio - 1.0).abs() < 1e-3, "{gamma}: {}", h / w);
        }
    }
}
