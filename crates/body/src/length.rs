//! Lengths as people type them: `60cm`, `10mm`, `0.6m`, `23.5in`, `3/8in`, `1 3/8"`, `5ft6in`; a plain number is in metres.
//!
//! This is the only place where such a text becomes a number: flags, files of measurements, size charts and scenes call it.

/// Units with their length [m]; longer words come before those that they end in.
const UNITS: [(&str, f64); 10] = [
    ("millimetres", 1e-3),
    ("mm", 1e-3),
    ("cm", 1e-2),
    ("inches", INCH),
    ("inch", INCH),
    ("in", INCH),
    ("\"", INCH),
    ("″", INCH),
    ("”", INCH),
    ("m", 1.0),
];

/// Marks of feet, which inches may follow.
const FEET: [&str; 6] = ["feet", "foot", "ft", "'", "′", "’"];

/// An inch [m].
const INCH: f64 = 0.0254;

/// How to write a length.
pub const HOW: &str = "write a length as 60cm, 2mm, 23.5in, 3/8in, 5ft6in or, in metres, 0.6";

/// The length that a text states [m], of any sign.
///
/// ```
/// use toile_body::length;
/// assert_eq!(length::parse_signed("60cm"), Ok(0.6));
/// assert_eq!(length::parse_signed("1/2in"), Ok(0.0127));
/// assert!(length::parse_signed("60 parsec").unwrap_err().contains("23.5in"));
/// ```
pub fn parse_signed(text: &str) -> Result<f64, String> {
    read(text).ok_or_else(|| format!("\"{}\" is no length: {HOW}", text.trim()))
}

/// The length that a text states [m], of any sign; `None` if it states none.
pub fn read(text: &str) -> Option<f64> {
    let text = text.trim();
    feet_and_inches(text).or_else(|| one_unit(text)).filter(|length| length.is_finite())
}

/// Whether a text says in which unit it is.
pub fn has_unit(text: &str) -> bool {
    let text = text.trim();
    UNITS.iter().any(|(unit, _)| text.ends_with(unit)) || FEET.iter().any(|mark| text.contains(mark))
}

/// Feet, with inches behind them or without: `5ft`, `5'6"`, `5 ft 6 1/2 in`.
fn feet_and_inches(text: &str) -> Option<f64> {
    let (feet, inches) = FEET.iter().find_map(|mark| text.split_once(mark))?;
    let feet = value(feet.trim())? * 12.0 * INCH;
    match inches.trim() {
        "" => Some(feet),
        inches => {
            let is_bare = value(inches).is_some();
            let inches = if is_bare { value(inches)? * INCH } else { one_unit(inches)? };
            (inches >= 0.0).then_some(feet + inches.copysign(feet))
        }
    }
}

/// A number and a unit, or a number of metres.
fn one_unit(text: &str) -> Option<f64> {
    let found = UNITS.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?.trim_end(), *scale)));
    let (number, scale) = found.unwrap_or((text, 1.0));
    Some(value(number)? * scale)
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
pub fn parse_up_to(text: &str, longest: f64) -> Result<f64, String> {
    parse_within(text, 0.0, longest)
}

/// The length that a text states [m], from a least to a largest one.
pub fn parse_within(text: &str, least: f64, longest: f64) -> Result<f64, String> {
    let length = parse_signed(text)?;
    if (least..=longest).contains(&length) {
        return Ok(length);
    }
    if length > longest && !has_unit(text) {
        let number = text.trim();
        return Err(format!(
            "{length} m is too long; a length without a unit is in metres: write {number}mm, {number}cm or {number}in"
        ));
    }
    Err(format!("a length from {} to {} is wanted here", told(least), told(longest)))
}

/// A length as one reads it best.
fn told(length: f64) -> String {
    let round = |value: f64| (value * 1e6).round() / 1e6;
    match length {
        0.0 => "0".to_owned(),
        l if l.abs() < 0.01 => format!("{}mm", round(1e3 * l)),
        l if l.abs() < 2.5 => format!("{}cm", round(1e2 * l)),
        l => format!("{} m", round(l)),
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
            ("1/2in", 0.0127),
            ("3/8in", 0.009_525),
            ("1 3/8\"", 0.034_925),
            ("35.5\"", 0.9017),
            ("36in", 0.9144),
            ("5/8 inch", 0.015_875),
            ("-3mm", -0.003),
            ("5ft", 1.524),
            ("5ft6in", 1.6764),
            ("5'6\"", 1.6764),
            ("5 ft 6 1/2 in", 1.6891),
            ("5' 6", 1.6764),
            ("-1ft 6in", -0.4572),
        ] {
            let found = parse_signed(text).unwrap();
            assert!((found - wanted).abs() < 1e-15, "{text}: {found}");
        }
        for text in ["", "mm", "2 km", "nan", "inf", "1/0in", "3/-8in", "1 2 3in", "2mm3", "/8in", "5ft-6in", "ft", "'"]
        {
            assert!(parse_signed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_length_without_its_unit_is_told_of() {
        assert!(parse_up_to("10", 0.2).unwrap_err().contains("10mm"));
        assert!(parse_up_to("-1mm", 0.2).is_err() && parse_up_to("30cm", 0.2).is_err());
        assert_eq!(parse_up_to("0", 0.2), Ok(0.0));
        assert_eq!(
            parse_within("1", 0.4, 0.9).unwrap_err(),
            "1 m is too long; a length without a unit is in metres: write 1mm, 1cm or 1in"
        );
        assert_eq!(parse_within("10cm", 0.4, 0.9).unwrap_err(), "a length from 40cm to 90cm is wanted here");
    }
}
