//! Drape coefficients that laboratories found for classes of fabrics.

/// A range of drape coefficients [%] (30 cm on 18 cm) with its origin.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DrapeBand {
    /// What it is of.
    pub class: &'static str,
    /// Smallest and largest coefficient [%].
    pub range: [f64; 2],
    /// Where it is from.
    pub source: &'static str,
}

/// The band that a fabric of the library belongs to, if one is published for its class.
///
/// ```
/// let band = toile_scene::lab::drape::published_band("cotton-poplin").expect("a class with a band");
/// assert_eq!(band.range, [60.0, 76.0]);
/// ```
pub fn published_band(name: &str) -> Option<DrapeBand> {
    let (class, range, source) = match name {
        "silk-habotai" | "silk-charmeuse" => {
            ("light woven silk", [20.0, 40.0], "Matsudaira, Yang 2003; Hu et al. 2020")
        }
        "polyester-banner" => ("light synthetic woven", [20.0, 40.0], "limp class of ISO 9073-9"),
        "cotton-poplin" => ("plain woven cotton", [60.0, 76.0], "Gan, Ly, Steven 1991: measured 68.4"),
        "wool-suiting" => ("worsted wool", [40.0, 70.0], "drape studies of worsted suitings"),
        "denim" => ("heavy cotton twill", [70.0, 90.0], "heavy class of Cusick tests"),
        "leather" => ("garment leather", [47.0, 70.0], "Memon et al. 2021"),
        _ => return None,
    };
    Some(DrapeBand { class, range, source })
}
