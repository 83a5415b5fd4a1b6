//! DXF files with the habits of different CAD systems, drawn by this code from drafted garments and by hand.

mod shapes;
mod write;

use toile_garment::draft::{Design, Size};

pub(crate) use shapes::drafted;
use shapes::{one_by_one, princess_top, ribbed_shirt, waisted_dress, with_trimmings, yoke_top};
use write::Boundary;
pub(crate) use write::{Habits, dxf};

/// A file with its name, and the number of borders that the garment has.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) borders: usize,
    /// A part of a note that must be said; empty for none.
    pub(crate) said: &'static str,
    /// Whether dressing takes long.
    pub(crate) is_slow: bool,
}

/// All files.
#[expect(clippy::too_many_lines, reason = "a table of files")]
pub(crate) fn cases() -> Vec<Case> {
    let m = |design| vec![("M", drafted(design, Size::M))];
    let of = |pattern| vec![("M", pattern)];
    let inch = 1.0 / 0.0254;
    let sizes = |design| {
        vec![("36", drafted(design, Size::S)), ("38", drafted(design, Size::M)), ("40", drafted(design, Size::L))]
    };
    let mut cases = Vec::new();
    let mut add = |name, text, borders, said, is_slow| cases.push(Case { name, text, borders, said, is_slow });
    let usual = Habits::default;
    add(
        "accumark_tank_nest_in_inches_sideways",
        dxf(
            "TANK",
            &sizes(Design::TankTop),
            &Habits { per_metre: inch, units: "ENGLISH", turn: -90.0, names: &["TANK_FR", "TANK_BK"], ..usual() },
        ),
        4,
        "",
        false,
    );
    add(
        "clo_tee_closed_250_whole_pieces",
        dxf(
            "",
            &m(Design::TShirt),
            &Habits {
                boundary: Boundary::Closed250,
                unfolded: true,
                names: &["Front", "Back", "Sleeve"],
                quantities: &["1", "1", "2"],
                ..usual()
            },
        ),
        4,
        "",
        true,
    );
    add(
        "r12_skirt_without_header_and_units",
        dxf("", &m(Design::ALineSkirt), &Habits { units: "", names: &["SKIRT FRT", "SKIRT BK", "WB"], ..usual() }),
        2,
        "states no unit",
        false,
    );
    add(
        "trousers_in_centimetres_that_say_metric",
        dxf(
            "CHINO",
            &m(Design::Trousers),
            &Habits { per_metre: 100.0, names: &["PANT FRONT", "PANT BACK"], quantities: &["2", "2"], ..usual() },
        ),
        3,
        "says METRIC",
        true,
    );
    add(
        "german_shirt",
        dxf(
            "Hemd",
            &m(Design::Shirt),
            &Habits { names: &["Vorderteil", "Rückenteil", "Ärmel", "Kragen", "Manschette"], ..usual() },
        ),
        3,
        "left open",
        true,
    );
    add(
        "french_tee_on_the_other_side_of_the_fold",
        dxf(
            "",
            &m(Design::TShirt),
            &Habits {
                names: &["devant", "dos", "manche"],
                quantities: &["1", "1", "PAIRE"],
                other_half: true,
                ..usual()
            },
        ),
        4,
        "",
        true,
    );
    add(
        "spanish_tank_with_commas",
        dxf("", &m(Design::TankTop), &Habits { names: &["delantero", "espalda"], comma: true, ..usual() }),
        4,
        "",
        false,
    );
    add(
        "italian_pencil_skirt",
        dxf(
            "",
            &m(Design::PencilSkirt),
            &Habits { names: &["gonna davanti", "gonna dietro", "cinturino"], turn: 90.0, ..usual() },
        ),
        2,
        "",
        true,
    );
    add(
        "portuguese_tee_with_validation_copies",
        dxf(
            "",
            &m(Design::TShirt),
            &Habits { names: &["frente", "costas", "manga"], copies: true, notch_angles: true, ..usual() },
        ),
        4,
        "",
        true,
    );
    add(
        "turkish_tee_head_down",
        dxf("", &m(Design::TShirt), &Habits { names: &["ön beden", "arka beden", "kol"], turn: 180.0, ..usual() }),
        4,
        "",
        true,
    );
    add(
        "tank_with_sew_lines",
        dxf("", &m(Design::TankTop), &Habits { names: &["FRT", "BCK"], sew_line: true, ..usual() }),
        4,
        "",
        false,
    );
    add(
        "tank_that_doubles_back",
        dxf("", &m(Design::TankTop), &Habits { names: &["FRT", "BCK"], doubled_back: true, ..usual() }),
        4,
        "doubles back",
        false,
    );
    add(
        "tank_with_facings_and_pockets",
        dxf("", &of(with_trimmings()), &Habits { names: &["FRONT", "BACK"], ..usual() }),
        4,
        "is a facing and was left out",
        false,
    );
    add(
        "tee_without_names",
        dxf(
            "",
            &m(Design::TShirt),
            &Habits { names: &["PIECE 1", "PIECE 2", "PIECE 3"], quantities: &["1", "1", "2"], ..usual() },
        ),
        4,
        "its shape is that of a sleeve",
        true,
    );
    add(
        "inches_by_header_short_names_and_a_fold_in_words",
        dxf(
            "",
            &m(Design::TShirt),
            &Habits {
                per_metre: inch,
                units: "",
                header: 1,
                fold_line: false,
                names: &["FRT", "BK", "SLV"],
                notch_angles: true,
                ..usual()
            },
        ),
        4,
        "",
        true,
    );
    add(
        "lines_in_centimetres_by_header",
        dxf(
            "",
            &m(Design::TankTop),
            &Habits {
                boundary: Boundary::Lines,
                per_metre: 100.0,
                units: "",
                header: 5,
                names: &["CF", "CB"],
                ..usual()
            },
        ),
        4,
        "",
        false,
    );
    add(
        "shirt_drawn_left_and_right",
        dxf(
            "",
            &of(one_by_one()),
            &Habits {
                names: &["FRONT L", "FRONT R", "BACK", "SLV L", "SLV R", "COLLAR"],
                quantities: &["1,0", "0,1", "1", "1,0", "0,1", "1"],
                ..usual()
            },
        ),
        3,
        "",
        true,
    );
    add(
        "dress_with_darts",
        dxf(
            "DRESS",
            &m(Design::ShiftDress),
            &Habits { boundary: Boundary::Light, names: &["FRONT", "BACK"], turn: -90.0, ..usual() },
        ),
        4,
        "",
        true,
    );
    add(
        "circle_skirt",
        dxf("", &m(Design::CircleSkirt), &Habits { names: &["SKIRT FRONT", "SKIRT BACK", "WAISTBAND"], ..usual() }),
        2,
        "",
        true,
    );
    add(
        "poncho_without_grain",
        dxf("", &m(Design::Poncho), &Habits { names: &["PONCHO"], grain: false, ..usual() }),
        2,
        "",
        false,
    );
    add("top_with_a_yoke", dxf("", &of(yoke_top()), &usual()), 4, "", false);
    add("top_with_princess_seams", dxf("", &of(princess_top()), &usual()), 4, "", false);
    add("dress_with_a_waist_seam", dxf("", &of(waisted_dress()), &usual()), 4, "", false);
    add(
        "tee_with_a_neck_rib",
        dxf("", &of(ribbed_shirt()), &Habits { names: &["FRONT", "BACK", "SLEEVE", "NECKBAND"], ..usual() }),
        4,
        "",
        true,
    );
    cases
}
