//! Lengths as people type them: `10mm`, `1.5cm`, `0.01m`, `0.5in`, `3/8in`, `1 3/8"`; a plain number is in metres.

/// Units with their length [m]; `mm` and `cm` come before `m`.
const UNITS: [(&str, f64); 6] =
    [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("inch", 0.0254), ("in", 0.0254), ("\"", 0.0254)];

/// How to write a length.
pub(crate) const HOW: &str = "write a length as 2mm, 0.2cm, 3/8in or, in metres, 0.002";

/// The length that a text states [m], of any sign.
pub(crate) fn parse_signed(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let found = UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?.trim_end(), *scale)));
    let (number, scale) = found.unwrap_or((text, 1.0));
    let value = value(number).filter(|value| value.is_finite());
    value.map(|value| value * scale).ok_or_else(|| HOW.to_owned())
}

/// A decimal number, a fraction, or a whole number and a fraction.
fn value(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse::<f64>() {
        return Some(number);
    }
    let (whole, fraction) = match text.rsplit_once(' ') {
        Some((whole, fraction)) => (f64::from(whole.trim().parse::<u32>().ok()?), fraction),
        None => (0.0, text),
    };
    let (over, under) = fraction.split_once('/')?;
    let (over, under): (u32, u32) = (over.trim().parse().ok()?, under.trim().parse().ok()?);
    (under > 0).then(|| whole + f64::from(over) / f64::from(under))
}

/// The length that a text states [m], from 0 to a largest one.
pub(crate) fn parse_up_to(text: &str, longest: f64) -> Result<f64, String> {
    let length = parse_signed(text)?;
    if (0.0..=longest).contains(&length) {
        Ok(length)
    } else if length > longest && text.trim().ends_with(|last: char| last.is_ascii_digit()) {
        Err(format!("{length} m is too long; a length without a unit is in metres: write {text}mm or {text}cm"))
    } else {
        Err(format!("a length must be 0 to {longest} m"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units_and_fractions() {
        for (text, wanted) in [
            ("10mm", 0.01),
            ("1.5 cm", 0.015),
            ("0.01", 0.01),
            ("2m", 2.0),
            ("0.5in", 0.0127),
            ("3/8in", 0.009_525),
            ("1 3/8\"", 0.034_925),
            ("5/8 inch", 0.015_875),
            ("-3mm", -0.003),
        ] {
            let found = parse_signed(text).unwrap();
            assert!((found - wanted).abs() < 1e-15, "{text}: {found}");
        }
        for text in ["", "mm", "2 km", "nan", "inf", "1/0in", "3/-8in", "1 2 3in", "2mm3", "/8in"] {
            assert!(parse_signed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_length_without_its_unit_is_told_of() {
        assert!(parse_up_to("10", 0.2).unwrap_err().contains("10mm"));
        assert!(parse_up_to("-1mm", 0.2).is_err() && parse_up_to("30cm", 0.2).is_err());
        assert_eq!(parse_up_to("0", 0.2), Ok(0.0));
    }
}
