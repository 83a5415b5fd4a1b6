//! Colours as people write them: `"#b03a48"`, or short `"#b48"`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::schema::{Described, Type};

/// An sRGB colour with 8 bits per channel, red, green, blue.
///
/// ```
/// use toile_scene::Color;
/// let red: Color = "#b03a48".parse()?;
/// assert_eq!(red, Color([0xb0, 0x3a, 0x48]));
/// assert_eq!("#fa0".parse::<Color>()?.to_string(), "#ffaa00");
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Color(pub [u8; 3]);

impl Described for Color {
    const TYPE: Type = Type::Color;
}

impl FromStr for Color {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits: Option<Vec<u8>> = text
            .strip_prefix('#')
            .filter(|digits| digits.len() == 3 || digits.len() == 6)
            .and_then(|digits| digits.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect());
        match digits.as_deref() {
            Some(&[r, g, b]) => Ok(Self([r * 17, g * 17, b * 17])),
            Some(&[r1, r0, g1, g0, b1, b0]) => Ok(Self([r1 * 16 + r0, g1 * 16 + g0, b1 * 16 + b0])),
            _ => Err("a colour is `#` and three or six hexadecimal digits".to_owned()),
        }
    }
}

impl TryFrom<String> for Color {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Color> for String {
    fn from(color: Color) -> Self {
        color.to_string()
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_survives_writing_and_reading() {
        for i in 0..=255 {
            let color = Color([i, 255 - i, i / 2]);
            assert_eq!(color.to_string().parse(), Ok(color));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "#", "b03a48", "#b03a4", "#b03a481", "#gggggg", "#é1234", "#+1+1+1", "red"] {
            assert!(text.parse::<Color>().is_err(), "{text}");
        }
    }
}
