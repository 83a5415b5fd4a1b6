//! DXF text as pairs of a group code and a value, and these as entities.

use std::borrow::Cow;

/// Most entities read from one file.
pub(super) const MOST_ENTITIES: usize = 1_000_000;

/// A drawn thing.
#[derive(Clone, Debug, Default)]
pub(super) struct Entity {
    /// POINT, TEXT, LINE, POLYLINE, INSERT …
    pub(super) kind: String,
    /// Layer; its number, or `None` if it has a name.
    pub(super) layer: Option<u32>,
    /// Corners with bulges. A point has one, a line two.
    pub(super) points: Vec<[f64; 3]>,
    /// Whether the last corner is joined to the first.
    pub(super) closed: bool,
    /// Text, or the name of an inserted block.
    pub(super) text: String,
}

impl Entity {
    /// Its lines of text; none if it is no text.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let is_text = matches!(self.kind.as_str(), "TEXT" | "MTEXT" | "ATTRIB" | "ATTDEF");
        let text = if is_text { self.text.as_str() } else { "" };
        text.split("\\P").map(str::trim).filter(|line| !line.is_empty())
    }
}

/// A named group of entities.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) entities: Vec<Entity>,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct Drawing {
    pub(super) blocks: Vec<Block>,
    pub(super) entities: Vec<Entity>,
    /// Unit of the header: 1 inch, 4 millimetre, 5 centimetre, 6 metre.
    pub(super) header_unit: Option<u32>,
    /// The `pattern.toml` that comments carry; empty if they carry none.
    pub(super) carried: String,
}

/// Comments that carry a line of `pattern.toml` begin so.
pub(super) const CARRIED: &str = "toile:";
/// Group code of comments.
pub(super) const COMMENT: i32 = 999;

/// Old files are in a code page; Latin-1 keeps their letters apart at least.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// What the reader is in.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Other,
    Header,
    Blocks,
    Entities,
}

struct Reader {
    /// The variable of the header that is being read.
    variable: String,
    drawing: Drawing,
    section: Section,
    block: Option<Block>,
    current: Option<Entity>,
    /// The polyline that vertices belong to.
    polyline: Option<Entity>,
    /// Whether the next code 2 names a section.
    section_name: bool,
    count: usize,
}

/// Reads a drawing, or says at which line it is none.
pub(super) fn parse(bytes: &[u8]) -> Result<Drawing, (usize, String)> {
    if bytes.starts_with(b"AutoCAD Binary DXF") {
        return Err((1, "binary DXF is not read; export it as text".to_owned()));
    }
    let text = decode(bytes);
    let mut reader = Reader {
        variable: String::new(),
        drawing: Drawing::default(),
        section: Section::Other,
        block: None,
        current: None,
        polyline: None,
        section_name: false,
        count: 0,
    };
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let line = line.trim();
        // Blank lines at the end, and the end-of-file mark of old systems.
        if line.is_empty() || line == "\u{1a}" {
            continue;
        }
        let code: i32 = line.parse().map_err(|_| (number + 1, "a group code is expected here".to_owned()))?;
        let Some((_, value)) = lines.next() else { break };
        reader.take(code, value.trim()).map_err(|message| (number + 1, message))?;
    }
    reader.finish_entity();
    reader.finish_block();
    Ok(reader.drawing)
}

impl Reader {
    fn take(&mut self, code: i32, value: &str) -> Result<(), String> {
        if code == 0 {
            return self.begin(value);
        }
        if code == COMMENT {
            if let Some(line) = value.strip_prefix(CARRIED) {
                self.drawing.carried.push_str(line);
                self.drawing.carried.push('\n');
            }
            return Ok(());
        }
        if self.section_name && code == 2 {
            self.section_name = false;
            self.section = match value {
                "HEADER" => Section::Header,
                "BLOCKS" => Section::Blocks,
                "ENTITIES" => Section::Entities,
                _ => Section::Other,
            };
            return Ok(());
        }
        if self.section == Section::Header {
            match code {
                9 => value.clone_into(&mut self.variable),
                70 if self.variable == "$INSUNITS" => self.drawing.header_unit = value.parse().ok(),
                _ => {}
            }
            return Ok(());
        }
        if self.section == Section::Other {
            return Ok(());
        }
        let Some(entity) = self.current.as_mut().or(self.polyline.as_mut()) else {
            if let (Some(block), 2) = (&mut self.block, code) {
                block.name = unescaped(value);
            }
            return Ok(());
        };
        entity.take(code, value)
    }

    fn begin(&mut self, value: &str) -> Result<(), String> {
        self.count += 1;
        if self.count > MOST_ENTITIES {
            return Err(format!("more than {MOST_ENTITIES} entities"));
        }
        self.finish_vertex();
        let new = || Entity { kind: value.to_owned(), ..Entity::default() };
        if value == "VERTEX" && self.polyline.is_some() {
            self.current = Some(new());
            return Ok(());
        }
        self.finish_entity();
        match value {
            "SECTION" | "ENDSEC" | "EOF" => {
                self.finish_block();
                self.section = Section::Other;
                self.section_name = value == "SECTION";
            }
            "BLOCK" => {
                self.finish_block();
                self.block = Some(Block::default());
            }
            "ENDBLK" => self.finish_block(),
            "POLYLINE" => self.polyline = Some(new()),
            "SEQEND" => {}
            _ => self.current = Some(new()),
        }
        Ok(())
    }

    /// Adds a finished vertex to its polyline.
    fn finish_vertex(&mut self) {
        if let (Some(polyline), Some(vertex)) =
            (&mut self.polyline, self.current.take_if(|entity| entity.kind == "VERTEX"))
        {
            polyline.points.extend(vertex.points.first());
        }
    }

    fn finish_entity(&mut self) {
        self.finish_vertex();
        for entity in [self.polyline.take(), self.current.take()].into_iter().flatten() {
            match &mut self.block {
                Some(block) => block.entities.push(entity),
                None if self.section == Section::Entities => self.drawing.entities.push(entity),
                None => {}
            }
        }
    }

    fn finish_block(&mut self) {
        self.finish_entity();
        if let Some(block) = self.block.take() {
            self.drawing.blocks.push(block);
        }
    }
}

/// Text with its letters: DXF writes those that its code page lacks as `\U+` and four hexadecimal digits.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\U+") {
        out.push_str(before);
        let letter = after.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        if let Some(letter) = letter {
            out.push(letter);
            rest = &after[4..];
        } else {
            out.push_str("\\U+");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// A number, with a point or, as some systems write it, a comma before its decimals.
fn number(value: &str) -> Option<f64> {
    let parsed = value.parse::<f64>().or_else(|_| value.replacen(',', ".", 1).parse());
    parsed.ok().filter(|x| x.is_finite())
}

impl Entity {
    fn take(&mut self, code: i32, value: &str) -> Result<(), String> {
        let number = || number(value).ok_or_else(|| format!("`{value}` is no number"));
        match code {
            1 => self.text.push_str(&unescaped(value)),
            // Long texts begin in codes 3 and end in code 1.
            3 if self.kind == "MTEXT" => self.text.push_str(&unescaped(value)),
            2 if self.kind == "INSERT" => self.text = unescaped(value),
            8 => self.layer = value.parse().ok(),
            // A polyline's own point is a placeholder; its corners are vertices.
            10 | 20 if self.kind == "POLYLINE" => {}
            10 | 11 => {
                let x = number()?;
                // Codes 11 and 21 are the second end of a line, and of no interest elsewhere.
                if code == 10 || self.kind == "LINE" {
                    self.points.push([x, 0.0, 0.0]);
                }
            }
            20 | 21 => {
                let y = number()?;
                let place = if code == 20 || self.kind == "LINE" { self.points.last_mut() } else { None };
                if let Some(point) = place {
                    point[1] = y;
                }
            }
            42 if matches!(self.kind.as_str(), "VERTEX" | "LWPOLYLINE") => {
                let bulge = number()?;
                if let Some(point) = self.points.last_mut() {
                    point[2] = bulge;
                }
            }
            70 if matches!(self.kind.as_str(), "POLYLINE" | "LWPOLYLINE") => {
                self.closed = value.parse::<i64>().is_ok_and(|flags| flags & 1 == 1);
            }
            _ => {}
        }
        Ok(())
    }
}
