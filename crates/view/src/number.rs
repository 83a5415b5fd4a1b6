//! Numbers for people: round tick values and short texts.

/// Round values (1, 2 or 5 times a power of ten apart) covering `lo..hi`, at most about `count + 1` of them.
///
/// ```
/// assert_eq!(toile_view::plot::ticks(0.0, 9.3, 5), [0.0, 2.0, 4.0, 6.0, 8.0]);
/// ```
pub fn ticks(lo: f64, hi: f64, count: usize) -> Vec<f64> {
    let span = hi - lo;
    if !(span > 0.0 && span.is_finite()) || count == 0 {
        return if lo.is_finite() { vec![lo] } else { Vec::new() };
    }
    let rough = span / count as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= rough * 0.999).unwrap_or(rough);
    let (first, last) = ((lo / step - 1e-9).ceil(), (hi / step + 1e-9).floor());
    if !(step > 0.0 && first.is_finite() && last - first < 1000.0) {
        return vec![lo, hi];
    }
    if last < first {
        return Vec::new();
    }
    // Adding zero turns −0 into 0.
    (0..=(last - first) as u32).map(|i| (first + f64::from(i)) * step + 0.0).collect()
}

/// A number in at most `digits` significant digits, without trailing zeros; powers of ten when very large or small.
pub(crate) fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "–".to_owned()
        } else if value > 0.0 {
            "∞".to_owned()
        } else {
            "-∞".to_owned()
        };
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let exponent: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (digits.min(17) as u8 as i32 - 1 - exponent).max(0) as usize;
        let rounded: f64 = scientific.parse().unwrap_or(value);
        trimmed(&format!("{rounded:.decimals$}")).to_owned()
    } else {
        let mantissa = scientific.split_once('e').map_or(scientific.as_str(), |(m, _)| m);
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short_and_exact_where_they_can_be() {
        let cases = [
            (0.0, "0"),
            (12.0, "12"),
            (0.125, "0.125"),
            (-3.456, "-3.46"),
            (99.96, "100"),
            (123_456.0, "123000"),
            (1.5e-7, "1.5e-7"),
            (2e9, "2e9"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value, 3), text, "{value}");
        }
    }

    proptest! {
        #[test]
        fn ticks_are_inside_even_and_few(lo in -1e6..1e6_f64, span in 1e-6..1e6_f64, count in 1..12_usize) {
            let t = ticks(lo, lo + span, count);
            prop_assert!(t.len() <= count + 2);
            let slack = 1e-6 * span;
            prop_assert!(t.iter().all(|t| *t >= lo - slack && *t <= lo + span + slack));
            if count >= 6 {
                prop_assert!(t.len() >= 2, "{t:?}");
            }
        }

        #[test]
        fn any_input_is_survived(lo in prop::num::f64::ANY, hi in prop::num::f64::ANY, count in 0..9_usize) {
            prop_assert!(ticks(lo, hi, count).len() < 1002);
            short(lo, count);
        }
    }
}
