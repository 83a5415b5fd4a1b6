//! `report.html`: a garment on a body, for people.

use toile::settings::Model;
use toile_tailor::fit::{Fit, Recommendation, Verdict as Fitting};
use toile_view::page::{Media, Page, Verdict};

use super::{Tried, words};

/// What is embedded; pictures are empty where nothing was drawn.
pub(super) struct Pictures<'a> {
    pub(super) views: &'a [u8],
    pub(super) turntable: &'a [u8],
    /// Titles and pictures.
    pub(super) maps: &'a [(&'static str, Vec<u8>)],
    /// The pattern (SVG).
    pub(super) pattern: &'a str,
}

/// The page of one garment.
pub(super) fn html(tried: &Tried, pictures: &Pictures<'_>) -> String {
    let name = tried.garment().name();
    let body = &tried.scene.body[0];
    let body = if body.file.is_empty() { &body.mannequin } else { &body.file };
    let mut page = Page::new(format!("Toile: {name} on {body}"));
    page.subtitle(&words::heading(tried));
    let (verdict, text) = simulation(tried);
    page.verdict(verdict, &text);
    let (verdict, text) = fitting(&tried.fit);
    page.verdict(verdict, &text);
    if !pictures.views.is_empty() {
        page.section("Views").picture(Media::Png, pictures.views, &format!("front, side and back of {name}"), "");
        page.picture(Media::Gif, pictures.turntable, &format!("{name} from all sides"), "");
    }
    page.section("Fit").table(&words::COLUMNS, &tried.fit.zones.iter().map(words::row).collect::<Vec<_>>());
    page.paragraph(EXPLAINED);
    let measures: Vec<[String; 2]> = words::measures(&tried.fit).into_iter().map(|(what, text)| [what, text]).collect();
    page.table(&["measure", "value"], &measures);
    if !pictures.maps.is_empty() {
        page.section("Maps");
    }
    if tried.scene.solver.model != Model::Fem {
        page.paragraph("Draped as particles: stresses and pressures are not those of cloth in balance.");
    }
    for (title, png) in pictures.maps {
        page.picture(Media::Png, png, title, title);
    }
    let facts: Vec<[String; 2]> = words::facts(tried).into_iter().map(|(what, text)| [what.to_owned(), text]).collect();
    page.section("How it came about").table(&["stage", "what happened"], &facts);
    page.section("Pattern").drawing(pictures.pattern, &format!("pattern of {name}"), "");
    page.to_html()
}

const EXPLAINED: &str = "Body: girth with a taut tape, whatever is worn. Garment: girth of the cloth as it was cut, in the same plane or where \
    the garment can be measured near it, seams and darts closed, from edge to edge where it is open. Ease: garment less body. Meant: the ease on \
    the body that the pattern was drafted for, or what is usual for such a garment in such a fabric. Stretch and pressure: means along the \
    girth as it is worn, then the largest values and where they are, as the wearer sees left and right, with the height above the \
    floor. The verdict compares ease with what is meant, and tension with what is felt.";

fn simulation(tried: &Tried) -> (Verdict, String) {
    let report = tried.report();
    if !tried.is_good() {
        let slipped = if report.slipped.is_empty() { "nothing".to_owned() } else { report.slipped.join(", ") };
        let text = format!("{} intersections, slipped off: {slipped}", report.verdict.total());
        return (Verdict::Bad, text);
    }
    let rest = if report.settled { "at rest" } else { "not yet at rest" };
    let verdict = if report.settled { Verdict::Good } else { Verdict::Doubtful };
    (verdict, format!("Judge: no intersections; {rest}"))
}

/// What is said of all zones together.
fn fitting(fit: &Fit) -> (Verdict, String) {
    let of = |wanted: &[Fitting]| {
        let zones = fit.zones.iter().filter(|zone| wanted.contains(&zone.verdict));
        zones.map(|zone| format!("{} at {}", zone.verdict.word(), zone.name())).collect::<Vec<_>>().join(", ")
    };
    let bad = of(&[Fitting::TooTight, Fitting::TooLoose]);
    let doubtful = of(&[Fitting::Tight, Fitting::Loose]);
    match (bad.is_empty(), doubtful.is_empty()) {
        (false, _) => (Verdict::Bad, format!("Fit: {bad}")),
        (true, false) => (Verdict::Doubtful, format!("Fit: {doubtful}")),
        (true, true) => (Verdict::Good, "Fit: neither tight nor loose".to_owned()),
    }
}

/// The page of several fabrics.
pub(super) fn fabrics(title: &str, picture: &[u8], rows: &[Vec<String>]) -> String {
    let mut page = Page::new(format!("Toile: {title}"));
    if !picture.is_empty() {
        page.section("Views").picture(Media::Png, picture, "the garment in all fabrics", "At one scale.");
    }
    if let Some((header, rows)) = rows.split_first() {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        page.section("How it falls").table(&header, rows);
    }
    page.paragraph("Each fabric has a folder of its own with a report, pictures and maps.");
    page.to_html()
}

/// The page of several sizes.
pub(super) fn comparison(title: &str, best: Option<&Recommendation>, picture: &[u8], rows: &[Vec<String>]) -> String {
    let mut page = Page::new(format!("Toile: {title}"));
    match best {
        Some(best) => {
            let verdict = if best.fits { Verdict::Good } else { Verdict::Doubtful };
            page.verdict(verdict, &format!("Take size {}: {}", best.size, best.reason));
        }
        None => {
            page.verdict(Verdict::Bad, "No size could be put on");
        }
    }
    if !picture.is_empty() {
        page.section("Strain").picture(Media::Png, picture, "strain of all sizes, from the front", "At one scale.");
    }
    if let Some((header, rows)) = rows.split_first() {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        page.section("Zones").table(&header, rows);
    }
    page.paragraph("Each size has a folder of its own with a report, pictures and maps.");
    page.to_html()
}
