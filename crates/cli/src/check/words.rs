//! What `toile check` says, as text and as JSON.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use toile_mesh::check::{Element, Finding, Place, Severity};
use toile_mesh::judge::{IntersectionKind, Verdict};

use super::{CheckedMesh, Outcome};

/// Intersecting pairs listed in the text; the JSON has them all.
const LISTED_PAIRS: usize = 20;

impl Outcome {
    /// For people.
    pub(super) fn text(&self, wanted: Option<&Path>) -> String {
        let mut text = self.mesh.text();
        if let Some(against) = &self.against {
            text.push_str(&against.text());
        }
        let renumbered = std::iter::once(&self.mesh).chain(&self.against).any(CheckedMesh::is_renumbered);
        let found = [&self.own, &self.mutual].into_iter().flatten().any(|v| v.count() > 0);
        if renumbered && found {
            text.push_str("Triangle numbers below are those of the repaired mesh.\n");
        }
        match &self.own {
            Some(verdict) => text.push_str(&verdict_text("self-intersections", verdict)),
            None => text.push_str("self-intersections: not judged, the mesh cannot be used\n"),
        }
        match (&self.mutual, &self.against) {
            (Some(verdict), _) => text.push_str(&verdict_text("intersections with the other mesh", verdict)),
            (None, Some(_)) => text.push_str("intersections with the other mesh: not judged, one cannot be used\n"),
            (None, None) => {}
        }
        if let Some(path) = wanted {
            let outcome = if self.written.is_some() { "" } else { " not written, there is no repair" };
            let _ = writeln!(text, "repaired mesh: {}{outcome}", path.display());
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "good": self.is_good(),
            "mesh": self.mesh.json(),
            "against": self.against.as_ref().map(CheckedMesh::json),
            "self_intersections": self.own.as_ref().map(verdict_json),
            "mutual_intersections": self.mutual.as_ref().map(verdict_json),
            "repaired_file": self.written.as_ref().map(|p| p.display().to_string()),
        })
    }
}

impl CheckedMesh {
    fn text(&self) -> String {
        let [vertices, triangles] = [counted(self.vertices, "vertex"), counted(self.triangles, "triangle")];
        let mut text = format!("{}: {vertices}, {triangles}; ", self.path.display());
        match (&self.usable, self.report.worst()) {
            (None, _) => text.push_str("cannot be used\n"),
            (Some(_), None) => text.push_str("no defects\n"),
            (Some(mesh), Some(Severity::Repair)) => {
                let vertices = counted(mesh.vertex_count(), "vertex");
                let _ = writeln!(text, "usable after repair as {vertices}, {}", counted(mesh.face_count(), "triangle"));
            }
            (Some(_), Some(_)) => text.push_str("usable, with warnings\n"),
        }
        if !self.report.is_clean() {
            text.push_str("  (vertices and triangles are numbered from 0, as in the file)\n");
        }
        for finding in &self.report.findings {
            text.push_str(&finding_text(finding));
        }
        text
    }

    fn json(&self) -> Value {
        let count = |vertices: usize, triangles: usize| json!({ "vertices": vertices, "triangles": triangles });
        json!({
            "file": self.path.display().to_string(),
            "vertices": self.vertices,
            "triangles": self.triangles,
            "usable": self.usable.is_some(),
            "renumbered": self.is_renumbered(),
            "after_repair": self.usable.as_ref().map(|m| count(m.vertex_count(), m.face_count())),
            "findings": self.report.findings.iter().map(finding_json).collect::<Vec<_>>(),
        })
    }
}

/// `1 vertex`, `2 vertices`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    match (count, what) {
        (1, _) => format!("1 {what}"),
        (_, "vertex") => format!("{count} vertices"),
        _ => format!("{count} {what}s"),
    }
}

fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Warn => "warning",
        Severity::Repair => "repair",
        Severity::Reject => "reject",
    }
}

fn finding_text(finding: &Finding) -> String {
    let defect = finding.defect;
    let word = severity_word(defect.severity());
    let mut text = format!("  {word}: {}; {}\n", defect.description(), defect.remedy());
    for place in &finding.places {
        let _ = writeln!(text, "    {place}");
    }
    if finding.count > finding.places.len() {
        let _ = writeln!(text, "    and {} more", finding.count - finding.places.len());
    }
    text
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "defect": snake_case(&format!("{:?}", finding.defect)),
        "severity": severity_word(finding.defect.severity()),
        "count": finding.count,
        "description": finding.defect.description(),
        "remedy": finding.defect.remedy(),
        "places": finding.places.iter().map(place_json).collect::<Vec<_>>(),
    })
}

fn place_json(place: &Place) -> Value {
    let mut value = element_json(place.element);
    // For the whole mesh the vector is its extent.
    let key = if place.element == Element::Mesh { "extent" } else { "position" };
    value[key] = json!(place.position.to_array());
    if let Some(other) = place.other {
        value["other"] = element_json(other);
    }
    value
}

fn element_json(element: Element) -> Value {
    match element {
        Element::Mesh => json!({ "element": "mesh" }),
        Element::Vertex(v) => json!({ "element": "vertex", "number": v.0 }),
        Element::Face(f) => json!({ "element": "triangle", "number": f.0 }),
        Element::Edge(ends) => json!({ "element": "edge", "ends": ends.map(|v| v.0) }),
    }
}

fn verdict_text(title: &str, verdict: &Verdict) -> String {
    let mut text = match verdict.count() {
        0 if verdict.unjudged > 0 => format!("{title}: none found\n"),
        0 => format!("{title}: none\n"),
        n => format!("{title}: {} of triangles\n", counted(n, "pair")),
    };
    for pair in verdict.pairs.iter().take(LISTED_PAIRS) {
        let _ = writeln!(text, "  triangles {} and {}: {}", pair.a, pair.b, kind_words(pair.kind));
    }
    if verdict.count() > LISTED_PAIRS {
        let _ = writeln!(text, "  and {} more", verdict.count() - LISTED_PAIRS);
    }
    if verdict.unjudged > 0 {
        let _ = writeln!(text, "  {} not judged: coordinates too large", counted(verdict.unjudged, "triangle"));
    }
    text
}

fn verdict_json(verdict: &Verdict) -> Value {
    let pair = |p: &toile_mesh::judge::Intersection| json!({ "a": p.a.0, "b": p.b.0, "kind": snake_case(&format!("{:?}", p.kind)) });
    json!({
        "count": verdict.count(),
        "unjudged": verdict.unjudged,
        "pairs": verdict.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}

fn kind_words(kind: IntersectionKind) -> &'static str {
    match kind {
        IntersectionKind::Separate => "cross or touch",
        IntersectionKind::SharedVertex => "share a vertex and meet elsewhere too",
        IntersectionKind::SharedEdge => "share an edge and are folded onto each other",
        IntersectionKind::SharedFace => "have the same vertices",
    }
}

/// `SharedVertex` as `shared_vertex`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for (i, c) in name.char_indices() {
        if c.is_uppercase() && i > 0 {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_keys() {
        assert_eq!(snake_case("NonManifoldEdge"), "non_manifold_edge");
        assert_eq!(snake_case("Empty"), "empty");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(counted(1, "vertex"), "1 vertex");
        assert_eq!(counted(0, "vertex"), "0 vertices");
        assert_eq!(counted(2, "pair"), "2 pairs");
    }
}
