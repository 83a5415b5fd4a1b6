//! The PLY header: which elements follow, how many, with which properties.

use crate::{
    ParseError, Place,
    mesh_file::element_count,
    text::{Continuation, Line, Lines, quote},
};

/// Most elements and properties that a header may declare; real files have about ten.
const MAX_DECLARATIONS: usize = 1024;

/// A number type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Size in a binary file [bytes].
    pub(super) fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    One(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Property<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub(super) name: &'a [u8],
    pub(super) count: u32,
    pub(super) properties: Vec<Property<'a>>,
    /// The line that declares it.
    pub(super) place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element<'a>>,
    /// Where the values start [bytes].
    pub(super) body_at: usize,
    /// Line number there.
    pub(super) body_line: u64,
}

pub(super) fn parse_header(bytes: &[u8]) -> Result<Header<'_>, ParseError> {
    let mut lines = Lines::new(bytes, Continuation::None);
    if lines.next().is_none_or(|line| line.bytes.trim_ascii_end() != b"ply") {
        return Err(ParseError::new(Place::Line(1), "the first line is not \"ply\"", "this is not a PLY file"));
    }
    let (mut encoding, mut elements, mut declarations) = (None, Vec::new(), 0);
    while let Some(line) = lines.next() {
        let keyword = line.words().next();
        match keyword {
            None | Some(b"comment" | b"obj_info") => {}
            Some(b"format") => encoding = Some(parse_format(line)?),
            Some(b"element") => elements.push(parse_element(line, &elements)?),
            Some(b"property") => add_property(line, elements.last_mut())?,
            Some(b"end_header") => {
                let encoding = encoding.ok_or_else(|| {
                    let reason = "the header has no format line";
                    ParseError::new(line.place(), reason, "add one after \"ply\", as in \"format ascii 1.0\"")
                })?;
                let (body_at, body_line) = body_start(bytes, &lines, encoding);
                return Ok(Header { encoding, elements, body_at, body_line });
            }
            Some(word) => {
                let reason = format!("header line starts with {}", quote(word));
                let remedy = "expected format, element, property, comment, obj_info or end_header";
                return Err(ParseError::new(line.place(), reason, remedy));
            }
        }
        declarations += usize::from(matches!(keyword, Some(b"element" | b"property")));
        if declarations > MAX_DECLARATIONS {
            let reason = format!("the header declares more than {MAX_DECLARATIONS} elements and properties");
            return Err(ParseError::new(line.place(), reason, "export without extra attributes"));
        }
    }
    let place = Place::Line(lines.next_number());
    Err(ParseError::new(place, "the file ends inside the header", "close the header with \"end_header\""))
}

/// Where the values start. A binary body may begin with the byte LF: in a file whose lines end with a lone CR that LF
/// must not be taken for half of a line end, so the end of the first line decides.
fn body_start(bytes: &[u8], lines: &Lines<'_>, encoding: Encoding) -> (usize, u64) {
    let at = bytes.len() - lines.rest().len();
    let lone_cr = bytes.starts_with(b"ply\r") && !bytes.starts_with(b"ply\r\n");
    let swallowed = lone_cr && bytes[..at].ends_with(b"\r\n") && encoding != Encoding::Ascii;
    (at - usize::from(swallowed), lines.next_number())
}

fn parse_format(line: Line<'_>) -> Result<Encoding, ParseError> {
    let mut words = line.words().skip(1);
    let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let encoding = match name {
        b"ascii" => Encoding::Ascii,
        b"binary_little_endian" => Encoding::LittleEndian,
        b"binary_big_endian" => Encoding::BigEndian,
        _ => {
            let remedy = "known are ascii, binary_little_endian and binary_big_endian";
            return Err(ParseError::new(line.place(), format!("unknown PLY format {}", quote(name)), remedy));
        }
    };
    if version == b"1.0" {
        Ok(encoding)
    } else {
        let reason = format!("PLY version {}", quote(version));
        Err(ParseError::new(line.place(), reason, "only version 1.0 is known; export it as that"))
    }
}

fn parse_element<'a>(line: Line<'a>, before: &[Element<'a>]) -> Result<Element<'a>, ParseError> {
    let mut words = line.words().skip(1);
    let name = words.next().unwrap_or_default();
    let word = words.next().unwrap_or_default();
    let count: u64 = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()).ok_or_else(|| {
        let reason = format!("element {} has the count {}", quote(name), quote(word));
        ParseError::new(line.place(), reason, "write a whole number, as in \"element vertex 8\"")
    })?;
    if before.iter().any(|e| e.name == name) {
        let reason = format!("element {} is declared twice", quote(name));
        return Err(ParseError::new(line.place(), reason, "declare every element once"));
    }
    let count = element_count(count, "elements", line.place())?;
    Ok(Element { name, count, properties: Vec::new(), place: line.place() })
}

fn add_property<'a>(line: Line<'a>, element: Option<&mut Element<'a>>) -> Result<(), ParseError> {
    let place = line.place();
    let element = element.ok_or_else(|| {
        ParseError::new(place, "property before any element", "declare an element first, as in \"element vertex 8\"")
    })?;
    let mut words = line.words().skip(1);
    let mut word = || words.next().unwrap_or_default();
    let scalar = |name: &[u8]| {
        Scalar::from_name(name).ok_or_else(|| {
            let remedy = "known are char, uchar, short, ushort, int, uint, float, double and int8 to float64";
            ParseError::new(place, format!("unknown property type {}", quote(name)), remedy)
        })
    };
    let kind = match word() {
        b"list" => Kind::List { count: scalar(word())?, item: scalar(word())? },
        name => Kind::One(scalar(name)?),
    };
    if let Kind::List { count, .. } = kind
        && !count.is_integer()
    {
        let reason = "list property whose length is not of an integer type";
        return Err(ParseError::new(place, reason, "use uchar or int for the length, as in \"list uchar int\""));
    }
    element.properties.push(Property { name: word(), kind });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_of_every_kind_lead_to_the_first_value() {
        for end in ["\n", "\r\n", "\r"] {
            let lines =
                ["ply", "format binary_big_endian 1.0", "comment c", "element a 3", "property list uchar int b"];
            let mut bytes = (lines.join(end) + end + "end_header" + end).into_bytes();
            let body_at = bytes.len();
            bytes.extend(b"\n\r\n");
            let header = parse_header(&bytes).unwrap();
            assert_eq!((header.body_at, header.encoding), (body_at, Encoding::BigEndian), "{end:?}");
            assert_eq!((header.elements[0].count, header.elements[0].properties.len()), (3, 1));
        }
    }

    #[test]
    fn types_have_two_names() {
        for (old, new) in [("char", "int8"), ("ushort", "uint16"), ("float", "float32"), ("double", "float64")] {
            assert_eq!(Scalar::from_name(old.as_bytes()), Scalar::from_name(new.as_bytes()));
        }
        assert_eq!(Scalar::from_name(b"string"), None);
    }

    #[test]
    fn a_header_of_endless_properties_is_refused() {
        let text = "ply\nformat ascii 1.0\nelement a 1\n".to_owned() + &"property int b\n".repeat(1100);
        assert!(parse_header(text.as_bytes()).unwrap_err().reason.contains("more than 1024"));
        let text = "ply\nformat ascii 1.0\n".to_owned() + &"comment\n".repeat(3000) + "end_header";
        assert!(parse_header(text.as_bytes()).is_ok(), "comments do not count");
    }
}
