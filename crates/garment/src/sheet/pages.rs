//! [`to_pdf`]: a pattern on paper.
//!
//! On A4 and Letter the sheet is cut into tiles, each as large as the page without its margin of 10 mm. The first page shows which
//! page is where, with the test square, the list of pieces and the allowances. Every tile has a frame to trim along, its
//! number, and at each joint half a diamond that names both pages. Tiles that no piece touches are left out. The lines
//! go on 4 mm beyond the frame, so that no white gap shows where pages meet.
//!
//! Of all numbers of columns the one that needs fewest pages is taken.

use kurbo::{Affine, Point, Vec2};

use super::drawing::{
    A0_WIDTH, Anchor, Group, HEAD, MARGIN, SQUARE, Style, allowance_words, closed, sheet, test_square,
};
use super::layout::{Layout, Room, lay_out, longest, widest};
use super::pdf::{Canvas, Document, LONGEST};
use super::{Paper, Piece, SheetError, SheetOptions, pieces};
use crate::check::is_inside;
use crate::pattern::Pattern;

/// Margin of pages that are glued together [mm].
const PAGE_MARGIN: f64 = 10.0;
/// How far lines go on beyond the frame [mm].
const BLEED: f64 = 4.0;
/// Height of A0 [mm].
const A0_HEIGHT: f64 = 1189.0;
/// Most columns of pages that are tried.
const MOST_COLUMNS: usize = 14;
/// Patterns of more pieces are laid out once only.
const MANY_PIECES: usize = 60;

/// The pattern as a PDF file.
pub fn to_pdf(pattern: &Pattern, options: &SheetOptions) -> Result<Vec<u8>, SheetError> {
    let pieces = pieces(pattern, options)?;
    match options.paper {
        Paper::A4 => Ok(tiled(pattern, options, &pieces, [210.0, 297.0])),
        Paper::Letter => Ok(tiled(pattern, options, &pieces, [215.9, 279.4])),
        Paper::Sheet => large(pattern, options, &pieces),
    }
}

fn large(pattern: &Pattern, options: &SheetOptions, pieces: &[Piece]) -> Result<Vec<u8>, SheetError> {
    let most = LONGEST - 2.0 * MARGIN - HEAD;
    let too_long = longest(pieces).filter(|(_, length)| *length > most);
    let wide = widest(pieces);
    if let Some((number, length)) = too_long {
        let panel = pieces[number].name.clone();
        return Err(SheetError::TooLong { panel, length: 1e-3 * length, most: 1e-3 * most });
    }
    if wide > LONGEST - 2.0 * MARGIN {
        let panel = pieces.first().map_or(String::new(), |piece| piece.name.clone());
        return Err(SheetError::TooLong { panel, length: 1e-3 * wide, most: 1e-3 * LONGEST });
    }
    let room = Room { width: wide.max(A0_WIDTH - 2.0 * MARGIN), height: most };
    let layout = lay_out(pieces, room);
    let mut document = Document::new();
    for (number, height) in layout.heights.iter().enumerate() {
        let fits = room.width <= A0_WIDTH - 2.0 * MARGIN && height + HEAD + 2.0 * MARGIN <= A0_HEIGHT;
        let size = fits.then_some([A0_WIDTH, A0_HEIGHT]);
        let drawing = sheet(pattern, options, pieces, &layout, number, size);
        let mut canvas = Canvas::default();
        canvas.draw(&drawing.groups);
        document.add_page([drawing.width, drawing.height], &canvas, &[]);
    }
    Ok(document.finish(&pattern.name))
}

/// How a sheet is cut into pages.
struct Tiling {
    /// Width and height of a tile [mm].
    tile: [f64; 2],
    columns: usize,
    rows: usize,
    /// Number of each page, row by row, from 2; `None` where no piece is.
    numbers: Vec<Option<usize>>,
}

impl Tiling {
    fn new(outlines: &[Vec<Point>], tile: [f64; 2]) -> Self {
        let far = |of: fn(&Point) -> f64| outlines.iter().flatten().map(of).fold(1.0, f64::max);
        let columns = (far(|p| p.x) / tile[0]).ceil().max(1.0) as usize;
        let rows = (far(|p| p.y) / tile[1]).ceil().max(1.0) as usize;
        let mut tiling = Self { tile, columns, rows, numbers: Vec::new() };
        let mut next = 2;
        for row in 0..rows {
            for column in 0..columns {
                let used = outlines.iter().any(|outline| touches(outline, tiling.bounds(row, column)));
                tiling.numbers.push(used.then_some(next));
                next += usize::from(used);
            }
        }
        tiling
    }

    /// Left, upper, right and lower end of a tile [mm].
    fn bounds(&self, row: usize, column: usize) -> [f64; 4] {
        let [w, h] = self.tile;
        let (x, y) = (column as f64 * w, row as f64 * h);
        [x, y, x + w, y + h]
    }

    fn number(&self, row: usize, column: usize) -> Option<usize> {
        let inside = row < self.rows && column < self.columns;
        if inside { self.numbers[row * self.columns + column] } else { None }
    }

    fn count(&self) -> usize {
        self.numbers.iter().flatten().count()
    }
}

/// Whether a polygon, thickened by the width of its line, and a box have a point in common.
fn touches(outline: &[Point], [x0, y0, x1, y1]: [f64; 4]) -> bool {
    let line = 0.5 * Style::Cut.width();
    let [x0, y0, x1, y1] = [x0 - line, y0 - line, x1 + line, y1 + line];
    if is_inside(Point::new(0.5 * (x0 + x1), 0.5 * (y0 + y1)), outline) {
        return true;
    }
    let count = outline.len();
    (0..count).any(|i| {
        let (p, q) = (outline[i], outline[(i + 1) % count]);
        // What is left of the side within the box (Liang and Barsky 1984).
        let d = q - p;
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (speed, room) in [(-d.x, p.x - x0), (d.x, x1 - p.x), (-d.y, p.y - y0), (d.y, y1 - p.y)] {
            if speed == 0.0 {
                if room < 0.0 {
                    return false;
                }
            } else if speed < 0.0 {
                from = from.max(room / speed);
            } else {
                to = to.min(room / speed);
            }
        }
        from <= to
    })
}

/// The layout that needs fewest pages, and its tiling. Nothing is above the pieces: the title has a page of its own.
fn fewest_pages(pieces: &[Piece], tile: [f64; 2]) -> (Layout, Tiling) {
    let least = ((widest(pieces) / tile[0]).ceil() as usize).max(1);
    let most = if pieces.len() > MANY_PIECES { least.max(5) } else { least.max(MOST_COLUMNS) };
    let first = if pieces.len() > MANY_PIECES { most } else { least };
    let mut best: Option<(Layout, Tiling)> = None;
    for columns in first..=most {
        let layout = lay_out(pieces, Room { width: columns as f64 * tile[0], height: f64::INFINITY });
        let tiling = Tiling::new(&outlines(pieces, &layout), tile);
        if best.as_ref().is_none_or(|(_, other)| tiling.count() < other.count()) {
            best = Some((layout, tiling));
        }
    }
    best.unwrap_or_else(|| {
        let layout = lay_out(pieces, Room { width: tile[0], height: f64::INFINITY });
        let tiling = Tiling::new(&[], tile);
        (layout, tiling)
    })
}

fn outlines(pieces: &[Piece], layout: &Layout) -> Vec<Vec<Point>> {
    pieces.iter().zip(&layout.places).map(|(piece, place)| piece.outline_on(place.map)).collect()
}

fn tiled(pattern: &Pattern, options: &SheetOptions, pieces: &[Piece], page: [f64; 2]) -> Vec<u8> {
    let tile = page.map(|side| side - 2.0 * PAGE_MARGIN);
    let (layout, tiling) = fewest_pages(pieces, tile);
    let mut drawing = sheet(pattern, options, pieces, &layout, 0, None);
    // Tiles begin at the upper left piece: the title and its margin are on the first page instead.
    drawing.groups.remove(0);
    let origin = Vec2::new(MARGIN, MARGIN + HEAD);
    let mut document = Document::new();
    let mut canvas = Canvas::default();
    canvas.draw(&[overview(pattern, options, pieces, &layout, &tiling, page)]);
    document.add_page(page, &canvas, &[]);
    let mut content = Canvas::default();
    content.draw(&drawing.groups);
    let form = document.add_form([drawing.width, drawing.height], &content);
    let pages = tiling.count() + 1;
    for row in 0..tiling.rows {
        for column in 0..tiling.columns {
            let Some(number) = tiling.number(row, column) else { continue };
            let [x, y, ..] = tiling.bounds(row, column);
            let corner = Point::new(PAGE_MARGIN - x, PAGE_MARGIN - y) - origin;
            let start = PAGE_MARGIN - BLEED;
            let mut canvas = Canvas::default();
            canvas.show(form, corner, [start, start, tile[0] + 2.0 * BLEED, tile[1] + 2.0 * BLEED]);
            let title = page_title(pattern, options, number, pages);
            canvas.draw(&[frame(&tiling, row, column, &title)]);
            document.add_page(page, &canvas, &[form]);
        }
    }
    document.finish(&pattern.name)
}

fn page_title(pattern: &Pattern, options: &SheetOptions, number: usize, pages: usize) -> String {
    let mut words = Vec::new();
    if !pattern.name.is_empty() {
        words.push(pattern.name.clone());
    }
    if !options.size.is_empty() {
        words.push(format!("size {}", options.size));
    }
    words.push(format!("page {number} of {pages}"));
    words.join(", ")
}

/// Frame, number and joints of a page.
fn frame(tiling: &Tiling, row: usize, column: usize, title: &str) -> Group {
    let mut group = Group::new("page");
    let [w, h] = tiling.tile;
    let at = |x: f64, y: f64| Point::new(PAGE_MARGIN + x, PAGE_MARGIN + y);
    group.path(Style::Frame, closed(&[at(0.0, 0.0), at(w, 0.0), at(w, h), at(0.0, h)]));
    let place = format!("{title}, row {}, column {}", row + 1, column + 1);
    group.text(at(2.0, h - 2.0), 3.0, Anchor::Start, &place);
    let own = tiling.number(row, column);
    let joints = [
        (tiling.number(row, column + 1), at(w, 0.5 * h), Vec2::new(-1.0, 0.0), true),
        (column.checked_sub(1).and_then(|left| tiling.number(row, left)), at(0.0, 0.5 * h), Vec2::new(1.0, 0.0), false),
        (tiling.number(row + 1, column), at(0.5 * w, h), Vec2::new(0.0, -1.0), true),
        (
            row.checked_sub(1).and_then(|above| tiling.number(above, column)),
            at(0.5 * w, 0.0),
            Vec2::new(0.0, 1.0),
            false,
        ),
    ];
    for (other, middle, inwards, own_first) in joints {
        let (Some(own), Some(other)) = (own, other) else { continue };
        let across = Vec2::new(-inwards.y, inwards.x);
        let tip = middle + 6.0 * inwards;
        group.path(Style::Mark, closed(&[middle + 6.0 * across, tip, middle - 6.0 * across]));
        let (first, second) = if own_first { (own, other) } else { (other, own) };
        let words = format!("{first}/{second}");
        group.text(middle + 10.0 * inwards + Vec2::new(0.0, 1.0), 3.0, Anchor::Middle, &words);
    }
    group
}

/// The first page: which page is where.
fn overview(
    pattern: &Pattern,
    options: &SheetOptions,
    pieces: &[Piece],
    layout: &Layout,
    tiling: &Tiling,
    page: [f64; 2],
) -> Group {
    let mut group = Group::new("overview");
    let [width, height] = page;
    let left = PAGE_MARGIN + 5.0;
    let square = Point::new(left, PAGE_MARGIN + 5.0);
    test_square(&mut group, square);
    let right = square + Vec2::new(SQUARE + 8.0, 0.0);
    let name = if pattern.name.is_empty() { "pattern" } else { &pattern.name };
    group.bold(right + Vec2::new(0.0, 9.0), 9.0, Anchor::Start, name);
    let mut lines = Vec::new();
    if !options.size.is_empty() {
        lines.push(format!("size {}", options.size));
    }
    let pages = tiling.count() + 1;
    lines.push(format!("{pages} pages; {} columns and {} rows of pages", tiling.columns, tiling.rows));
    lines.push("Print at 100 %, \"actual size\". The square must measure 50 mm.".to_owned());
    lines.push("Trim pages along their frames and join equal numbers.".to_owned());
    lines.extend(wrapped(&allowance_words(options), 60));
    for (k, line) in lines.iter().enumerate() {
        group.text(right + Vec2::new(0.0, 17.0 + 6.0 * k as f64), 3.8, Anchor::Start, line);
    }
    let list = pieces.iter().map(|piece| format!("{}: {}", piece.name, piece.cut_words));
    let most = 24;
    let mut rows: Vec<String> = list.take(most).collect();
    if pieces.len() > most {
        rows.push(format!("and {} more", pieces.len() - most));
    }
    let list_height = 5.5 * rows.len().div_ceil(2) as f64 + 8.0;
    let top = square.y + SQUARE + 12.0;
    let bottom = height - PAGE_MARGIN - list_height - 5.0;
    let full = [tiling.columns as f64 * tiling.tile[0], tiling.rows as f64 * tiling.tile[1]];
    let scale = ((width - 2.0 * left) / full[0]).min((bottom - top) / full[1]).max(1e-3);
    let map = Affine::translate(Vec2::new(left, top)) * Affine::scale(scale);
    draw_map(&mut group, pieces, layout, tiling, map, scale);
    for (k, row) in rows.iter().enumerate() {
        let column = k / rows.len().div_ceil(2);
        let line = k % rows.len().div_ceil(2);
        let x = left + column as f64 * 0.5 * (width - 2.0 * left);
        group.text(Point::new(x, bottom + 10.0 + 5.5 * line as f64), 3.8, Anchor::Start, row);
    }
    group
}

/// Pages with their numbers, and the pieces on them, small.
fn draw_map(group: &mut Group, pieces: &[Piece], layout: &Layout, tiling: &Tiling, map: Affine, scale: f64) {
    for row in 0..tiling.rows {
        for column in 0..tiling.columns {
            let Some(number) = tiling.number(row, column) else { continue };
            let [x0, y0, x1, y1] = tiling.bounds(row, column);
            let corners = [Point::new(x0, y0), Point::new(x1, y0), Point::new(x1, y1), Point::new(x0, y1)];
            group.path(Style::Frame, closed(&corners.map(|corner| map * corner)));
            let size = (0.25 * scale * tiling.tile[0]).min(6.0);
            let at = map * Point::new(0.5 * (x0 + x1), 0.5 * (y0 + y1)) + Vec2::new(0.0, 0.35 * size);
            group.text(at, size, Anchor::Middle, &number.to_string());
        }
    }
    for (piece, place) in pieces.iter().zip(&layout.places) {
        let outline = super::offset::simplified(&piece.outline_on(place.map), 0.5);
        let small: Vec<Point> = outline.iter().map(|point| map * *point).collect();
        group.path(Style::Grain, closed(&small));
    }
}

/// A text in lines of at most so many letters.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + word.chars().count() >= most {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}

/// The drawing of a tiled sheet, for tests.
#[cfg(test)]
fn covered(pieces: &[Piece], tile: [f64; 2]) -> (Vec<Point>, Tiling) {
    let (layout, tiling) = fewest_pages(pieces, tile);
    (outlines(pieces, &layout).concat(), tiling)
}

#[cfg(test)]
mod tests;
