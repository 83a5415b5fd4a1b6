//! `report.html`: what a run was and did, for people.

use toile::Phase;
use toile_scene::{LoggedFrame, Run};
use toile_view::page::{Media, Page, Verdict};
use toile_view::plot::{BarChart, Chart, Series, Style};

use crate::overlap::{self, Overlap};
use crate::summary::{Contacts, Judgement, Stretch, integration, percent, seconds};

/// Pictures to embed.
#[derive(Default)]
pub(crate) struct Pictures {
    pub(crate) preview: Option<Vec<u8>>,
    pub(crate) animation: Option<(Media, Vec<u8>)>,
}

/// The page as HTML.
pub(crate) fn html(run: &Run, pictures: &Pictures, overlaps: &[Overlap], threads: usize) -> String {
    let scene = run.scene();
    let judgement = Judgement::of(run.log());
    let mut page = Page::new(format!("Toile: {}", scene.name));
    page.subtitle(&scene.description);
    let verdict = match (judgement.frames_judged, judgement.is_clean()) {
        (0, _) => Verdict::Doubtful,
        (_, true) => Verdict::Good,
        (_, false) => Verdict::Bad,
    };
    page.verdict(verdict, &format!("Judge: {}", judgement.sentence()));
    let name = &scene.name;
    if let Some(preview) = &pictures.preview {
        page.picture(Media::Png, preview, &format!("last frame of {name}"), "The last frame.");
    }
    if let Some((media, bytes)) = &pictures.animation {
        page.picture(*media, bytes, &format!("animation of {name}"), "All frames.");
    }
    page.section("Numbers").table(&["quantity", "value"], &numbers(run, &judgement, threads));
    let overlaps: Vec<[String; 1]> = overlap::lines(overlaps).into_iter().map(|line| [line]).collect();
    if !overlaps.is_empty() {
        page.section("Bodies").table(&["where a body overlaps itself"], &overlaps);
    }
    page.section("Course");
    for chart in charts(run.log()) {
        page.chart(&chart.to_svg(), "");
    }
    let bars = Phase::ALL.map(|p| (p.name().to_owned(), run.log().iter().map(|f| f.report.times.get(p)).sum()));
    let bars = BarChart { title: "Time per phase".into(), unit: "s".into(), bars: bars.to_vec() };
    page.chart(&bars.to_svg(), "");
    page.section("Scene").folded("scene.toml as run, every value written out", &scene.to_toml());
    page.to_html()
}

fn numbers(run: &Run, judgement: &Judgement, threads: usize) -> Vec<[String; 2]> {
    let (world, log) = (run.world(), run.log());
    let compute = seconds(log);
    let stretch = Stretch::of(log);
    let row = |name: &str, value: String| [name.to_owned(), value];
    let mut rows = vec![
        row("particles / triangles", format!("{} / {}", world.model().particle_count(), world.triangles().len())),
        row("frames", format!("{} at {} per second", log.len(), run.scene().time.frame_rate)),
        row("steps", log.iter().map(|f| f.report.substeps).sum::<u32>().to_string()),
        row("simulated time", format!("{:.3} s", world.time())),
        row(
            "computing time",
            format!("{compute:.2} s on {threads} threads ({:.1} × real time)", world.time() / compute),
        ),
        row("frames judged", judgement.frames_judged.to_string()),
        row("intersections, all frames", judgement.intersections_total.to_string()),
        row("largest stretch, any frame", format!("{:.1} %, in frame {}", percent(stretch.worst), stretch.worst_frame)),
        row("largest stretch, last frame", format!("{:.1} %", percent(stretch.last))),
        row("fastest particle, last frame", format!("{:.3} m/s", log.last().map_or(0.0, |f| f.report.top_speed))),
        row("state hash", format!("{:016x}", world.hash())),
        row("version", format!("toile {}", env!("CARGO_PKG_VERSION"))),
    ];
    if let Some(sum) = integration(log) {
        rows.push(row(
            "integration",
            format!(
                "{} steps, {} of them halved, {} taken before they had converged",
                sum.parts, sum.failed, sum.unconverged
            ),
        ));
        rows.push(row(
            "iterations per step",
            format!(
                "{:.1} of Newton's method, {:.0} of the linear solver",
                f64::from(sum.newton_iterations) / f64::from(sum.parts.max(1)),
                f64::from(sum.linear_iterations) / f64::from(sum.parts.max(1))
            ),
        ));
        rows.push(row("forces left over, worst step", format!("{:.2} m/s²", sum.residual)));
        rows.push(row("largest thread strain, any frame", format!("{:.1} %", 100.0 * sum.largest_thread_strain)));
        rows.push(row("fabrics", fabrics(run).join(", ")));
    }
    rows.extend(contact_rows(run));
    rows
}

/// What each cloth is made of; garments that name no fabric are made of what suits them.
fn fabrics(run: &Run) -> Vec<&str> {
    let mut fabrics: Vec<&str> = run.scene().cloth.iter().map(|cloth| cloth.fabric.as_str()).collect();
    for garment in run.dressed().iter().flat_map(|dressed| &dressed.garments) {
        fabrics[garment.cloth] = garment.fabric();
    }
    fabrics
}

/// What the response to contacts and the guard did.
fn contact_rows(run: &Run) -> Vec<[String; 2]> {
    let row = |name: &str, value: String| [name.to_owned(), value];
    let contacts = Contacts::of(run.log());
    let response = serde_json::json!(run.scene().contact.response);
    let mut rows = vec![
        row("response to contacts", response.as_str().unwrap_or_default().to_owned()),
        row(
            "most contacts in a frame",
            format!("{} particles on obstacles, {} touching pairs", contacts.on_obstacles, contacts.touching),
        ),
        row("searches for pairs", contacts.searches.to_string()),
        row(
            "guard",
            format!("{} vertices taken back, {} steps done again in halves", contacts.taken_back, contacts.halved),
        ),
    ];
    if let Some(zones) = contacts.zones {
        rows.push(row(
            "impact zones",
            format!(
                "{} in {} rounds, {} clusters of cloth and {} of obstacles; {} segmented, {} merged; {} cyclic, \
                 {} linear programmes; {} pairs of faces left to impulses",
                zones.zones,
                zones.rounds,
                zones.clusters[0],
                zones.clusters[1],
                zones.segmented[0],
                zones.merged,
                zones.cyclic,
                zones.programmes,
                zones.left
            ),
        ));
    }
    rows.extend(contacts.over_constrained().map(|words| row("no room for the cloth", words)));
    rows
}

fn charts(log: &[LoggedFrame]) -> Vec<Chart> {
    let series = |label: &str, f: &dyn Fn(&LoggedFrame) -> f64| Series {
        label: label.into(),
        points: log.iter().map(|l| [l.report.time, f(l)]).collect(),
    };
    let chart = |title: &str, y: &str, series: Vec<Series>| Chart {
        title: title.into(),
        x_label: "time [s]".into(),
        y_label: y.into(),
        series,
        ..Chart::default()
    };
    let ground = log.iter().map(|l| l.report.gravity_energy).fold(f64::INFINITY, f64::min);
    let phases = Phase::ALL.map(|p| series(p.name(), &|l| 1e3 * l.report.times.get(p))).to_vec();
    vec![
        chart(
            "Energy",
            "energy [J]",
            vec![
                series("kinetic", &|l| l.report.kinetic_energy),
                series("potential, above its lowest", &|l| l.report.gravity_energy - ground),
            ],
        ),
        chart("Largest stretch", "stretch [%]", vec![series("longest edge", &|l| percent(l.report.largest_stretch))]),
        chart(
            "Contacts",
            "number",
            vec![
                series("particles on obstacles", &|l| l.report.obstacle_contacts as f64),
                series("candidates", &|l| l.report.near_pairs as f64),
                series("touching pairs", &|l| l.report.touching as f64),
                series("intersections", &|l| l.verdict.as_ref().map_or(f64::NAN, |v| v.total() as f64)),
            ],
        ),
        Chart { style: Style::Stacked, ..chart("Time per phase and frame", "time [ms]", phases) },
    ]
}
