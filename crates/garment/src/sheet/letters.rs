//! Letters of the printed text: widths of Helvetica, and the code of Windows-1252 that PDF fonts take.

/// Widths of the letters from space to tilde, in thousandths of the size (Adobe font metrics of Helvetica).
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];

/// Width of a letter that is not in the table.
const OTHER: u16 = 600;

/// Width of a text, in units of its size; bold text is a little wider.
pub(super) fn width(text: &str, bold: bool) -> f64 {
    let of = |letter: char| {
        let place = (letter as usize).checked_sub(32);
        f64::from(place.and_then(|place| WIDTHS.get(place)).copied().unwrap_or(OTHER))
    };
    let plain: f64 = text.chars().map(of).sum::<f64>() / 1000.0;
    if bold { 1.06 * plain } else { plain }
}

/// A text in Windows-1252, with `?` for what it lacks.
pub(super) fn encoded(text: &str) -> Vec<u8> {
    let code = |letter: char| match letter {
        ' '..='~' | '\u{a0}'..='\u{ff}' => letter as u8,
        '–' => 0x96,
        '—' => 0x97,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '…' => 0x85,
        '•' => 0x95,
        '€' => 0x80,
        'œ' => 0x9c,
        'Œ' => 0x8c,
        'š' => 0x9a,
        'Š' => 0x8a,
        'ž' => 0x9e,
        'Ž' => 0x8e,
        control if control.is_control() => b' ',
        _ => b'?',
    };
    text.chars().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_their_widths_and_codes() {
        assert!((width("Hi", false) - 0.944).abs() < 1e-12);
        assert!(width("Hi", true) > width("Hi", false));
        assert_eq!(encoded("é–Ж\n"), [0xe9, 0x96, b'?', b' ']);
    }
}
