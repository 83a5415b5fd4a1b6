//! The values after a PLY header, one at a time: [`Ascii`] or [`Binary`]. Every value fits exactly in an `f64`.

use super::header::{Element, Kind, Scalar};
use crate::{
    ParseError, Place,
    text::{Continuation, Lines, finite_number},
};

/// A walk over the rows of the elements, value by value. A clone walks on its own: the counting pass uses that.
pub(super) trait Body: Clone {
    /// Where the next value is.
    fn place(&self) -> Place;
    /// Bytes that are left.
    fn remaining(&self) -> u64;
    /// Fewest bytes that one row of the element takes.
    fn row_bytes(element: &Element<'_>) -> u64;
    /// Goes to the first value of the next row.
    fn start_row(&mut self) -> Result<(), ParseError>;
    /// The next value of the row; finite in text, maybe not in binary.
    fn value(&mut self, scalar: Scalar) -> Result<f64, ParseError>;
    /// Passes over `count` values of the row.
    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), ParseError>;
    /// Checks that the row has no more values than declared.
    fn end_row(&mut self) -> Result<(), ParseError>;
    /// Bytes that are left apart from blanks.
    fn leftover(&self) -> usize;
}

/// Values as text, one line per row.
#[derive(Clone)]
pub(super) struct Ascii<'a> {
    lines: Lines<'a>,
    /// Lines of the header.
    lines_before: u64,
    row: &'a [u8],
    row_line: u64,
}

impl<'a> Ascii<'a> {
    pub(super) fn new(bytes: &'a [u8], first_line: u64) -> Self {
        let lines = Lines::new(bytes, Continuation::None);
        Self { lines, lines_before: first_line - 1, row: &[], row_line: first_line }
    }

    fn word(&mut self) -> Result<&'a [u8], ParseError> {
        let row = self.row.trim_ascii_start();
        let end = row.iter().position(u8::is_ascii_whitespace).unwrap_or(row.len());
        if end == 0 {
            let reason = "the row has fewer values than the header and its list lengths ask for";
            return Err(ParseError::new(self.place(), reason, "write all values of a row on one line"));
        }
        self.row = &row[end..];
        Ok(&row[..end])
    }
}

impl Body for Ascii<'_> {
    fn place(&self) -> Place {
        Place::Line(self.row_line)
    }

    fn remaining(&self) -> u64 {
        self.lines.rest().len() as u64
    }

    /// A digit and a blank for every value.
    fn row_bytes(element: &Element<'_>) -> u64 {
        2 * element.properties.len() as u64
    }

    fn start_row(&mut self) -> Result<(), ParseError> {
        loop {
            let Some(line) = self.lines.next() else {
                self.row_line = self.lines_before + self.lines.next_number();
                let reason = "the file ends before the last row";
                return Err(ParseError::new(
                    self.place(),
                    reason,
                    "correct the counts in the header, or copy it again",
                ));
            };
            if !line.bytes.trim_ascii().is_empty() {
                self.row = line.bytes;
                self.row_line = self.lines_before + line.number;
                return Ok(());
            }
        }
    }

    fn value(&mut self, _: Scalar) -> Result<f64, ParseError> {
        let word = self.word()?;
        finite_number(word, "value", self.place())
    }

    fn skip(&mut self, _: Scalar, count: u64) -> Result<(), ParseError> {
        for _ in 0..count {
            self.word()?;
        }
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), ParseError> {
        if self.row.trim_ascii().is_empty() {
            return Ok(());
        }
        let reason = "the row has more values than the header and its list lengths ask for";
        Err(ParseError::new(self.place(), reason, "declare every value of the row as a property"))
    }

    fn leftover(&self) -> usize {
        self.lines.rest().trim_ascii().len()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Values in binary, without gaps.
#[derive(Clone)]
pub(super) struct Binary<'a> {
    bytes: &'a [u8],
    /// Next value, from the start of the file.
    at: usize,
    order: ByteOrder,
}

impl<'a> Binary<'a> {
    pub(super) fn new(file: &'a [u8], at: usize, order: ByteOrder) -> Self {
        Self { bytes: file, at, order }
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], ParseError> {
        if count > self.remaining() {
            let reason = format!("{count} bytes of values are due, {} are left", self.remaining());
            return Err(ParseError::new(self.place(), reason, "correct the counts, or copy the file again"));
        }
        // `count` is at most the length of a slice here.
        let taken = &self.bytes[self.at..self.at + count as usize];
        self.at += taken.len();
        Ok(taken)
    }
}

impl Body for Binary<'_> {
    fn place(&self) -> Place {
        Place::Byte(self.at as u64)
    }

    fn remaining(&self) -> u64 {
        (self.bytes.len() - self.at) as u64
    }

    fn row_bytes(element: &Element<'_>) -> u64 {
        let size = |kind| match kind {
            Kind::One(scalar) | Kind::List { count: scalar, .. } => scalar.size(),
        };
        element.properties.iter().map(|p| size(p.kind)).sum()
    }

    fn start_row(&mut self) -> Result<(), ParseError> {
        Ok(())
    }

    fn value(&mut self, scalar: Scalar) -> Result<f64, ParseError> {
        let taken = self.take(scalar.size())?;
        let mut raw = [0; 8];
        let raw_value = &mut raw[..taken.len()];
        raw_value.copy_from_slice(taken);
        if self.order == ByteOrder::Big {
            raw_value.reverse();
        }
        let [a, b, c, d, ..] = raw;
        Ok(match scalar {
            Scalar::I8 => i8::from_le_bytes([a]).into(),
            Scalar::U8 => a.into(),
            Scalar::I16 => i16::from_le_bytes([a, b]).into(),
            Scalar::U16 => u16::from_le_bytes([a, b]).into(),
            Scalar::I32 => i32::from_le_bytes([a, b, c, d]).into(),
            Scalar::U32 => u32::from_le_bytes([a, b, c, d]).into(),
            Scalar::F32 => f32::from_le_bytes([a, b, c, d]).into(),
            Scalar::F64 => f64::from_le_bytes(raw),
        })
    }

    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), ParseError> {
        self.take(count.saturating_mul(scalar.size())).map(drop)
    }

    fn end_row(&mut self) -> Result<(), ParseError> {
        Ok(())
    }

    fn leftover(&self) -> usize {
        self.bytes[self.at..].trim_ascii().len()
    }
}

#[cfg(test)]
mod tests {
    use Scalar::{F32, F64, I8, I16, I32, U8, U16, U32};

    use super::*;

    #[test]
    fn both_byte_orders_give_every_type_exactly() {
        let mut little = Vec::new();
        little.extend((-5_i8).to_le_bytes());
        little.extend(250_u8.to_le_bytes());
        little.extend((-500_i16).to_le_bytes());
        little.extend(65_000_u16.to_le_bytes());
        little.extend((-70_000_i32).to_le_bytes());
        little.extend(u32::MAX.to_le_bytes());
        little.extend(0.1_f32.to_le_bytes());
        little.extend(0.1_f64.to_le_bytes());
        let kinds = [I8, U8, I16, U16, I32, U32, F32, F64];
        let expected = [-5.0, 250.0, -500.0, 65_000.0, -70_000.0, 4_294_967_295.0, f64::from(0.1_f32), 0.1];
        let mut big = Vec::new();
        let mut at = 0;
        for kind in kinds {
            let end = at + kind.size() as usize;
            big.extend(little[at..end].iter().rev());
            at = end;
        }
        for (bytes, order) in [(&little, ByteOrder::Little), (&big, ByteOrder::Big)] {
            let mut body = Binary::new(bytes, 0, order);
            let values: Vec<f64> = kinds.iter().map(|&k| body.value(k).unwrap()).collect();
            assert_eq!(values, expected);
            assert!(body.value(I8).is_err());
        }
    }

    #[test]
    fn text_rows_are_lines_and_errors_count_the_header() {
        let mut body = Ascii::new(b"\n1 2\n3\n", 10);
        body.start_row().unwrap();
        assert_eq!((body.place(), body.value(U8).unwrap()), (Place::Line(11), 1.0));
        assert!(body.end_row().unwrap_err().reason.contains("more values"));
        body.start_row().unwrap();
        body.skip(U8, 1).unwrap();
        assert_eq!(body.value(U8).unwrap_err().place, Place::Line(12));
        assert_eq!(body.start_row().unwrap_err().place, Place::Line(13));
    }
}
