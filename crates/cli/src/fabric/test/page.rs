//! `fabric-test.html`: what the laboratory found, for people.

use std::fmt::Write;

use miette::Result;
use toile_scene::lab::FabricTest;
use toile_scene::lab::drape::{Drape, SHADOW_CELL};
use toile_view::page::{Media, Page, Verdict};
use toile_view::plot::{Chart, Series};

use super::{Tested, drape_verdict, pictures, table};

/// The page of one fabric.
pub(super) fn single(tested: &Tested) -> Result<String> {
    let mut page = Page::new(format!("Fabric test: {}", tested.named.name));
    page.subtitle(&tested.named.description);
    verdicts(&mut page, std::slice::from_ref(tested));
    page.section("Read back").paragraph(
        "Every number typed into the fabric is measured again on simulated samples, as a textile laboratory would do it.",
    );
    page.table(&table::HEADER, &table::rows(tested));
    if let Some(drape) = &tested.test.drape {
        drape_section(&mut page, tested, drape)?;
    }
    for chart in charts(&tested.test) {
        page.chart(&chart.to_svg(), "");
    }
    cantilever_section(&mut page, &tested.test)?;
    page.section("Fabric").paragraph(&tested.named.source);
    page.folded("all numbers typed in", &tested.named.to_toml());
    Ok(page.to_html())
}

/// The page that compares many.
pub(super) fn comparison(tested: &[Tested]) -> Result<String> {
    let mut page = Page::new("Fabric test: the library");
    page.subtitle(&format!("{} fabrics, measured on simulated samples", tested.len()));
    verdicts(&mut page, tested);
    if let Some(png) = pictures::gallery(tested)? {
        let caption = "For each fabric the drape nearest to the mean of its runs, on a support of 18 cm; \
                       bands run along warp and weft, 1.5 cm wide.";
        page.section("Drape").picture(Media::Png, &png, "draped discs of all fabrics", caption);
        let header = ["fabric", "DC", "runs", "folds", "published band", "verdict", "radial strips"];
        page.table(&header, &tested.iter().filter_map(drape_row).collect::<Vec<_>>());
    }
    page.section("Read back").paragraph("The largest difference of each fabric, measured by its tolerance.");
    let row = |t: &Tested| {
        let count = t.test.readings().len();
        let good = t.test.readings().iter().filter(|(_, r, at_rest)| *at_rest && r.is_within()).count();
        [t.named.name.clone(), format!("{good} of {count}"), table::worst(t), format!("{:.1} s", t.seconds)]
    };
    page.table(
        &["fabric", "within tolerance", "largest difference", "took"],
        &tested.iter().map(row).collect::<Vec<_>>(),
    );
    Ok(page.to_html())
}

fn verdicts(page: &mut Page, tested: &[Tested]) {
    let readings: Vec<bool> =
        tested.iter().flat_map(|t| t.test.readings()).map(|(_, r, at_rest)| at_rest && r.is_within()).collect();
    if !readings.is_empty() {
        let good = readings.iter().filter(|good| **good).count();
        let verdict = if good == readings.len() { Verdict::Good } else { Verdict::Bad };
        page.verdict(verdict, &format!("{good} of {} readings within tolerance", readings.len()));
    }
    let drapes: Vec<(&'static str, bool)> =
        tested.iter().filter_map(|t| Some(drape_verdict(t.test.drape.as_ref()?, t.band()))).collect();
    if let [(word, good)] = drapes[..] {
        page.verdict(if good { Verdict::Good } else { Verdict::Doubtful }, &format!("drape: {word}"));
    } else if !drapes.is_empty() {
        let banded = drapes.iter().filter(|(word, _)| *word != "no band").count();
        let good = drapes.iter().filter(|(word, _)| *word == "in band").count();
        let verdict = if good == banded { Verdict::Good } else { Verdict::Doubtful };
        page.verdict(verdict, &format!("drape: {good} of {banded} in their published band"));
    }
}

fn drape_row(tested: &Tested) -> Option<[String; 7]> {
    let drape = tested.test.drape.as_ref()?;
    let band = tested.band();
    let [low, high] = drape.range();
    Some([
        tested.named.name.clone(),
        format!("{:.1} %", drape.coefficient()),
        format!("{low:.0} to {high:.0} %"),
        format!("{:.1}", drape.nodes()),
        band.map_or(String::new(), |b| format!("{:.0} to {:.0} %", b.range[0], b.range[1])),
        drape_verdict(drape, band).0.to_owned(),
        format!("{:.0} %", 100.0 * tested.named.fabric.drape_of_strips()),
    ])
}

fn drape_section(page: &mut Page, tested: &Tested, drape: &Drape) -> Result<()> {
    let [support, specimen] = [drape.options.support, drape.options.specimen].map(|d| 100.0 * d);
    page.section("Drape (Cusick)");
    let mut text = format!(
        "A disc of {specimen:.0} cm on a support of {support:.0} cm. Drape coefficient {:.1} %, mean of {} runs; shadow counted in \
         cells of {} mm. Independent radial strips would give {:.0} %.",
        drape.coefficient(),
        drape.runs.len(),
        1e3 * SHADOW_CELL,
        100.0 * tested.named.fabric.drape_of_strips()
    );
    if let Some(band) = tested.band() {
        let [low, high] = band.range;
        let _ = write!(text, " Published for {}: {low:.0} to {high:.0} % ({}).", band.class, band.source);
    }
    page.paragraph(&text);
    if let Some(png) = pictures::drape(drape)? {
        let caption = "From above and from the side; bands run along warp and weft, 1.5 cm wide.";
        page.picture(Media::Png, &png, "the draped disc", caption);
    }
    let header = ["run", "grain", "DC", "folds", "forces left over", "last change", "at rest", "intersections"];
    let row = |(k, r): (usize, &toile_scene::lab::drape::DrapeRun)| {
        [
            (k + 1).to_string(),
            format!("{:.0}°", r.grain.to_degrees()),
            format!("{:.1} %", r.coefficient),
            r.nodes.to_string(),
            format!("{:.1e} m/s²", r.residual),
            format!("{:.2}", r.last_change),
            if r.converged { "yes" } else { "no" }.to_owned(),
            r.intersections.to_string(),
        ]
    };
    page.table(&header, &drape.runs.iter().enumerate().map(row).collect::<Vec<_>>());
    if let Some(run) = pictures::typical(drape) {
        let mut points: Vec<[f64; 2]> = run.hem.iter().map(|[angle, r]| [*angle, 100.0 * r]).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let hem = [Series { label: "hem".into(), points }];
        page.chart(&chart("Hem", ["angle [°]", "distance from the axis [cm]"], hem.to_vec()).to_svg(), "");
    }
    let course = drape
        .runs
        .iter()
        .enumerate()
        .map(|(k, r)| Series { label: format!("run {}", k + 1), points: r.course.clone() });
    let course = chart("Drape coefficient while falling", ["time [s]", "DC [%]"], course.collect());
    page.chart(&course.to_svg(), "Afterwards the equilibrium is solved for.");
    page.section("Curves");
    Ok(())
}

fn chart(title: &str, [x, y]: [&str; 2], series: Vec<Series>) -> Chart {
    Chart { title: title.into(), x_label: x.into(), y_label: y.into(), series, ..Chart::default() }
}

fn charts(test: &FabricTest) -> Vec<Chart> {
    let mut charts = Vec::new();
    if !test.tensile.is_empty() {
        let series = test.tensile.iter().map(|t| Series { label: t.direction.name().into(), points: t.curve.clone() });
        charts.push(chart("Tension (KES-F)", ["extension [%]", "load [N/m]"], series.collect()));
    }
    if let Some(shear) = &test.shear {
        let series = vec![Series { label: "shear".into(), points: shear.curve.clone() }];
        charts.push(chart("Shear (KES-F), 9.8 N/m tension", ["angle [°]", "force [N/m]"], series));
    }
    if !test.bending.is_empty() {
        let milli = |p: &[f64; 2]| [p[0], 1e3 * p[1]];
        let series = test
            .bending
            .iter()
            .map(|t| Series { label: t.direction.name().into(), points: t.curve.iter().map(milli).collect() });
        charts.push(chart("Bending (KES-F)", ["curvature [1/m]", "moment per width [mN]"], series.collect()));
    }
    charts
}

fn cantilever_section(page: &mut Page, test: &FabricTest) -> Result<()> {
    let Some(first) = test.cantilever.first() else { return Ok(()) };
    page.section("Cantilever (ASTM D1388)").paragraph(
        "A strip slides over an edge until the line from there to its tip is 41.5° below the horizontal; \
         the overhang is then twice the bending length.",
    );
    page.picture(Media::Png, &pictures::strip(first)?, "the strip over the edge", "The strip along the warp.");
    let centi = |p: &[f64; 2]| p.map(|x| 100.0 * x);
    let mut series: Vec<Series> = test
        .cantilever
        .iter()
        .map(|t| Series { label: t.direction.name().into(), points: t.profile.iter().map(centi).collect() })
        .collect();
    let reach = series.iter().flat_map(|s| &s.points).map(|p| p[0]).fold(0.0, f64::max);
    let drop = reach * toile_cloth::fabric::cantilever::USUAL_CHORD_DEG.to_radians().tan();
    series.push(Series { label: "41.5°".into(), points: vec![[0.0, 0.0], [reach, -drop]] });
    page.chart(&chart("Profile", ["from the edge [cm]", "height [cm]"], series).to_svg(), "");
    Ok(())
}
