//! Reads moduli from XML, as laboratories and older simulators exchange them (Kimmerle 2005, section 6.2: Young moduli of
//! warp and weft, shear and bending moduli, Poisson coefficient and mass density).
//!
//! There is no standard for the names; [`ELEMENTS`] lists the ones understood. Elements may stand anywhere below the root,
//! their names are compared without regard to case, `-` and `_`, and unknown ones are ignored. Every element holds one
//! number, in the first unit of its list unless the attribute `unit` names another. Moduli of the bulk material, in `Pa` or
//! `MPa`, are multiplied by the thickness, which must then be there.
//!
//! ```xml
//! <fabric name="twill">
//!   <young-modulus-warp>9000</young-modulus-warp> <young-modulus-weft>6000</young-modulus-weft>
//!   <shear-modulus>60</shear-modulus>             <bending-modulus>1.2e-5</bending-modulus>
//!   <poisson-coefficient>0.2</poisson-coefficient> <mass-density unit="g/m2">210</mass-density>
//! </fabric>
//! ```
//!
//! The parser is `roxmltree`: small, without unsafe code, says where things are, and refuses document type declarations,
//! so that there are no entities to expand. The number of nodes is bounded.

use std::ops::Range;

use roxmltree::{Document, Node, ParsingOptions};
use toile_cloth::fabric::{FabricError, Measured, kes};

use super::{Raw, offset};
use crate::scene::{check::quoted, error::Finding};

/// Nodes of a document at most: elements, texts, comments.
const MOST_NODES: u32 = 20_000;

/// A unit and its factor to SI.
type Unit = (&'static str, f64, Per);

/// What a unit refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Per {
    /// The width of cloth, as properties of fabrics do, or nothing.
    Width,
    /// The cross-section: to be multiplied by the thickness.
    Section,
}

/// An element that is understood.
#[derive(Debug)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// The properties of a fabric that it gives.
    pub gives: &'static [&'static str],
    pub(super) units: &'static [Unit],
}

const MODULUS: &[Unit] = &[
    ("N/m", 1.0, Per::Width),
    ("gf/cm", 0.980_665, Per::Width),
    ("Pa", 1.0, Per::Section),
    ("MPa", 1e6, Per::Section),
];
const BENDING: &[Unit] = &[
    ("N·m", 1.0, Per::Width),
    ("N.m", 1.0, Per::Width),
    ("Nm", 1.0, Per::Width),
    ("µN·m", 1e-6, Per::Width),
    ("gf.cm2/cm", kes::BEND, Per::Width),
];
const DENSITY: &[Unit] =
    &[("kg/m²", 1.0, Per::Width), ("kg/m2", 1.0, Per::Width), ("g/m²", 1e-3, Per::Width), ("g/m2", 1e-3, Per::Width)];
const LENGTH: &[Unit] = &[("m", 1.0, Per::Width), ("mm", 1e-3, Per::Width)];
const PLAIN: &[Unit] = &[("", 1.0, Per::Width)];

/// All elements that are understood, besides `name`, `description` and `source`. The thickness comes first: others need it.
pub const ELEMENTS: &[Element] = &[
    Element { name: "thickness", gives: &["thickness"], units: LENGTH },
    Element { name: "mass-density", gives: &["areal_density"], units: DENSITY },
    Element { name: "young-modulus-warp", gives: &["stretch_warp"], units: MODULUS },
    Element { name: "young-modulus-weft", gives: &["stretch_weft"], units: MODULUS },
    Element { name: "shear-modulus", gives: &["shear"], units: MODULUS },
    Element { name: "poisson-coefficient", gives: &["poisson"], units: PLAIN },
    Element { name: "bending-modulus", gives: &["bend_warp", "bend_weft"], units: BENDING },
    Element { name: "bending-modulus-warp", gives: &["bend_warp"], units: BENDING },
    Element { name: "bending-modulus-weft", gives: &["bend_weft"], units: BENDING },
    Element { name: "friction", gives: &["friction"], units: PLAIN },
];

/// A name without case, `-` and `_`.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

pub(super) fn read(text: &str) -> Result<Raw, Vec<Finding>> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| vec![syntax(text, &error)])?;
    let mut reader = Reader { document: &document, raw: Raw::default() };
    let root = document.root_element();
    for (slot, name) in [(0, "name"), (1, "description"), (2, "source")] {
        let word = reader.word(&root, name);
        *(match slot {
            0 => &mut reader.raw.name,
            1 => &mut reader.raw.description,
            _ => &mut reader.raw.source,
        }) = word;
    }
    let mut findings = Vec::new();
    for element in ELEMENTS {
        if let Err(finding) = reader.element(element) {
            findings.push(finding);
        }
    }
    if findings.is_empty() {
        findings = reader.raw.measured.missing().into_iter().map(|error| lacking(&root, &error)).collect();
    }
    if findings.is_empty() { Ok(reader.raw) } else { Err(findings) }
}

struct Reader<'d, 'i> {
    document: &'d Document<'i>,
    raw: Raw,
}

impl<'d> Reader<'d, '_> {
    fn elements(&self, name: &str) -> impl Iterator<Item = Node<'d, 'd>> + use<'d, '_> {
        let wanted = plain(name);
        self.document.descendants().filter(move |node| node.is_element() && plain(node.tag_name().name()) == wanted)
    }

    /// An attribute of the root, or else the text of an element.
    fn word(&self, root: &Node<'d, 'd>, name: &str) -> String {
        let attribute = root.attribute(name);
        let text = || self.elements(name).next().and_then(|node| node.text());
        attribute.or_else(text).unwrap_or_default().trim().to_owned()
    }

    fn element(&mut self, element: &Element) -> Result<(), Finding> {
        let mut nodes = self.elements(element.name);
        let Some(node) = nodes.next() else { return Ok(()) };
        if let Some(second) = nodes.next() {
            let help = "keep the one that is meant";
            return Err(problem(second.range(), format!("a second <{}>", element.name), help));
        }
        drop(nodes);
        let value = self.number(element, &node)?;
        for name in element.gives {
            if self.raw.measured.get(name).is_some() {
                let message = format!("<{}> gives `{name}`, which another element gives too", element.name);
                return Err(problem(node.range(), message, "keep one of the two"));
            }
            if let Some(slot) = slot(&mut self.raw.measured, name) {
                *slot = Some(value);
            }
            self.raw.places.push((name, node.range()));
        }
        Ok(())
    }

    /// The number of an element in SI units.
    fn number(&self, element: &Element, node: &Node<'_, '_>) -> Result<f64, Finding> {
        let text = node.text().unwrap_or_default().trim();
        let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) else {
            let message = format!("<{}> must hold one number, not {}", element.name, quoted(text));
            return Err(problem(node.range(), message, "write it with a point, as in 1.2e-5"));
        };
        let [first, ..] = element.units else { return Ok(number) };
        let asked = node.attribute("unit").unwrap_or(first.0);
        let Some((_, factor, per)) = element.units.iter().find(|unit| unit.0 == asked) else {
            let known: Vec<&str> = element.units.iter().map(|unit| unit.0).collect();
            let message = format!("{} is no unit of <{}>", quoted(asked), element.name);
            let help =
                if element.units.len() == 1 { "it has none".into() } else { format!("known: {}", known.join(", ")) };
            return Err(problem(node.range(), message, help));
        };
        match (per, self.raw.measured.thickness) {
            (Per::Width, _) => Ok(number * factor),
            (Per::Section, Some(thickness)) => Ok(number * factor * thickness),
            (Per::Section, None) => {
                let message = format!("<{}> in {asked} is of no use without the thickness", element.name);
                Err(problem(
                    node.range(),
                    message,
                    "add <thickness unit=\"mm\">…</thickness>, or give the modulus in N/m",
                ))
            }
        }
    }
}

fn slot<'m>(measured: &'m mut Measured, name: &str) -> Option<&'m mut Option<f64>> {
    Some(match name {
        "thickness" => &mut measured.thickness,
        "areal_density" => &mut measured.areal_density,
        "stretch_warp" => &mut measured.stretch_warp,
        "stretch_weft" => &mut measured.stretch_weft,
        "shear" => &mut measured.shear,
        "poisson" => &mut measured.poisson,
        "bend_warp" => &mut measured.bend_warp,
        "bend_weft" => &mut measured.bend_weft,
        "friction" => &mut measured.friction,
        _ => return None,
    })
}

/// A property that no element gives, at the root; the help names the elements that would.
fn lacking(root: &Node<'_, '_>, error: &FabricError) -> Finding {
    let start = root.range().start;
    let elements = ELEMENTS.iter().filter(|element| element.gives.contains(&error.field));
    let names: Vec<String> = elements.map(|element| format!("<{}>", element.name)).collect();
    let tag = start..start + 1 + root.tag_name().name().len();
    problem(tag, error.to_string(), format!("add {}", names.join(" or ")))
}

fn problem(span: Range<usize>, message: String, help: impl Into<String>) -> Finding {
    Finding { span, message, label: "here".to_owned(), help: help.into() }
}

fn syntax(text: &str, error: &roxmltree::Error) -> Finding {
    let mut at = offset(text, error.pos().row as usize, error.pos().col as usize);
    let (message, help) = match error {
        roxmltree::Error::DtdDetected => {
            // The parser does not say where.
            at = text.find("<!DOCTYPE").unwrap_or(at);
            ("document type declarations are not read".to_owned(), "delete the line `<!DOCTYPE …>`")
        }
        roxmltree::Error::NodesLimitReached => {
            (format!("more than {MOST_NODES} nodes"), "a fabric is a few numbers; is this the right file?")
        }
        _ => {
            let reason: String = error.to_string().chars().take(200).collect();
            let place = format!(" at {}", error.pos());
            let reason = reason.lines().next().unwrap_or_default().trim_end_matches(&place);
            (format!("invalid XML: {reason}"), "see `toile fabric reference` for the elements")
        }
    };
    problem(at..at, message, help)
}
