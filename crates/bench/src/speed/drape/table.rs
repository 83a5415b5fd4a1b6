//! The rows of the table, and what they say together.

use serde_json::{Value, json};
use toile::Phase;

use super::scenes::{ClothKind, DrapeScene};
use crate::speed::round;

/// Most time of 256² vertices relative to 64²: 16 times as many, and a quarter of the length per edge.
const MOST_GROWTH: f64 = 26.0;
/// Head and width of each column before the phases.
const COLUMNS: [(&str, usize); 13] = [
    ("scene", 5),
    ("size", 6),
    ("model", 10),
    ("CPU s/s", 8),
    ("× aim", 6),
    ("stretch end: mean %", 19),
    ("max %", 6),
    ("worst %", 7),
    ("thread %", 8),
    ("cloth+obstacle+inside", 21),
    ("taken back", 10),
    ("searches", 8),
    ("end mm/s", 8),
];

pub(super) fn head() -> String {
    line(&COLUMNS.map(|(head, _)| head.to_owned())) + "  time by phase %"
}

fn line(cells: &[String; COLUMNS.len()]) -> String {
    let padded = cells.iter().zip(COLUMNS).map(|(cell, (_, width))| format!("{cell:>width$}"));
    padded.collect::<Vec<_>>().join("  ")
}

pub(super) fn row(row: &Value) -> String {
    let scaled =
        |key: &str, factor: f64| row[key].as_f64().map_or("–".to_owned(), |x| (round(x * factor)).to_string());
    let percent = |key: &str| row[key].as_f64().map_or("–".to_owned(), |x| format!("{:.2}", 100.0 * x));
    let text = |key: &str| row[key].as_str().unwrap_or("–").to_owned();
    let found = ["cloth_intersections", "obstacle_intersections", "inside_obstacles"];
    let found = if row["judged_frames"] == 0 { "–".to_owned() } else { found.map(|k| row[k].to_string()).join("+") };
    let cells = line(&[
        text("scene"),
        text("fineness"),
        text("model"),
        scaled("cpu_seconds_per_second", 1.0),
        scaled("over_aim", 1.0),
        percent("mean_stretch_at_end"),
        percent("largest_stretch_at_end"),
        percent("largest_stretch"),
        percent("largest_thread_strain"),
        found,
        row["taken_back"].to_string(),
        scaled("searches_per_frame", 1.0),
        scaled("top_speed_at_end", 1e3),
    ]);
    let share = |p: &Phase| (p.name(), 100.0 * row["share_per_phase"][p.name()].as_f64().unwrap_or(0.0));
    let shares = Phase::ALL.iter().map(share).filter(|(_, percent)| *percent >= 0.5);
    let shares: Vec<String> = shares.map(|(name, percent)| format!("{name} {percent:.0}")).collect();
    let stopped = row["stopped"].as_str().map_or_else(String::new, |why| format!("  stopped: {why}"));
    format!("{cells}  {}{stopped}", shares.join(" "))
}

/// Growth of time with size, worst ratio to an aim, and whether everything stayed clean.
pub(super) fn ratios(lines: &[Value]) -> Value {
    let time = |model: ClothKind, size: u32| {
        let wanted = |l: &&Value| {
            l["scene"] == DrapeScene::S1.name()
                && l["size"] == size
                && l["model"] == model.name()
                && l["stopped"].is_null()
        };
        lines.iter().find(wanted).and_then(|l| l["cpu_seconds_per_second"].as_f64())
    };
    let growth = |model| time(model, 256).zip(time(model, 64)).map(|(large, small)| large / small);
    let both = [ClothKind::Constraint, ClothKind::Fem];
    let over_aim = lines.iter().filter_map(|l| l["over_aim"].as_f64()).fold(f64::NAN, f64::max);
    let judged = lines.iter().any(|l| l["judged_frames"] != 0);
    let clean = lines.iter().all(|l| l["first_bad_frame"].is_null() && l["stopped"].is_null());
    json!({
        "bench": "drape", "part": "ratios", "goal_growth_at_most": MOST_GROWTH,
        "time_256_over_64": both.map(|m| (m.name().to_owned(), json!(growth(m).map(round)))).into_iter().collect::<serde_json::Map<_, _>>(),
        "growth_met": both.iter().filter_map(|m| growth(*m)).map(|g| g <= MOST_GROWTH).reduce(|a, b| a && b),
        "worst_over_aim": (!over_aim.is_nan()).then(|| round(over_aim)),
        "clean": judged.then_some(clean),
    })
}

/// The ratios in words.
pub(super) fn last_words(ratios: &Value) -> String {
    let word = |value: &Value| if value.is_null() { "not measured".to_owned() } else { value.to_string() };
    let growth = &ratios["time_256_over_64"];
    format!(
        "\ntime of 256² / 64²: constraint {}, fem {} (goal: at most {MOST_GROWTH})\nworst ratio to an aim: {}\n\
         no intersections in judged frames: {}",
        word(&growth["constraint"]),
        word(&growth["fem"]),
        word(&ratios["worst_over_aim"]),
        word(&ratios["clean"]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(size: u32, cpu: f64, over_aim: f64, first_bad: Option<u32>) -> Value {
        json!({
            "scene": "s1", "fineness": format!("{size}²"), "size": size, "model": "constraint",
            "cpu_seconds_per_second": cpu, "over_aim": over_aim, "first_bad_frame": first_bad, "judged_frames": 4,
        })
    }

    #[test]
    fn growth_and_aims_are_judged() {
        let fast = [measured(64, 0.5, 0.8, None), measured(256, 12.0, 0.75, None)];
        let good = ratios(&fast);
        assert_eq!(good["time_256_over_64"]["constraint"], 24.0);
        assert_eq!((&good["growth_met"], &good["worst_over_aim"]), (&json!(true), &json!(0.8)));
        assert_eq!(good["clean"], true);
        let slow = [measured(64, 0.5, 0.8, None), measured(256, 14.0, 0.9, Some(3))];
        let bad = ratios(&slow);
        assert_eq!((&bad["growth_met"], &bad["clean"]), (&json!(false), &json!(false)));
        let alone = ratios(&fast[..1]);
        assert_eq!((&alone["growth_met"], &alone["time_256_over_64"]["constraint"]), (&Value::Null, &Value::Null));
        assert!(last_words(&alone).contains("constraint not measured, fem not measured"));
    }

    #[test]
    fn rows_stand_under_their_heads() {
        let text = row(&measured(64, 0.5, 0.8, None));
        let place = |text: &str, word: &str| text.find(word).map(|at| text[..at + word.len()].chars().count());
        assert_eq!(place(&head(), "CPU s/s"), place(&text, " 0.5"));
        assert_eq!(place(&head(), "× aim"), place(&text, " 0.8"));
    }
}
