//! What the words of a piece say: names, categories and annotations in common use, in seven languages.
//!
//! A text is cut into words at everything that is no letter, and where small letters meet capitals. Accents do not count. A short
//! word (`FR`, `BK`, `SLV`) must stand alone; a word of four letters or more may begin or end another (`BACKYOKE`), and one of six
//! letters or more may stand anywhere in it (`VORDERTEILMITTE`).

/// One idea that a word stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Idea {
    /// The front of anything.
    Front,
    /// The back of anything.
    Back,
    /// Between front and back.
    Side,
    Sleeve,
    Collar,
    Cuff,
    Waistband,
    Yoke,
    Skirt,
    Legs,
    /// A garment of the trunk.
    Top,
    Cape,
    Left,
    Right,
    /// Cut on the fold.
    Fold,
    /// Cut twice, the second one mirrored.
    Pair,
    /// Not worn as a panel of its own; with what it is.
    Aside(&'static str),
}

/// Words for darts.
const DART: &str = "DART DARTS ABNAEHER ABNAHER PINCE PINCES PINZA PINZAS PENCE PENS";

/// Words by their ideas. German, French, Spanish, Italian, Portuguese and Turkish follow English.
const WORDS: &[(Idea, &str)] = &[
    (
        Idea::Front,
        "FRONT FRNT FRT FR FT FNT CF VORDERTEIL VORDER VORNE VT DEVANT DEV DVT DELANTERO DELANTERA DELANT DAVANTI DAV FRENTE ÖN",
    ),
    (
        Idea::Back,
        "BACK BCK BK BAK CB RUECKENTEIL RUECKEN RUCKENTEIL RUCKEN HINTERTEIL HINTER HT DOS ESPALDA ESP TRASERO TRASERA DIETRO DIET COSTAS TRASEIRO ARKA",
    ),
    (Idea::Side, "SIDE SD SEITENTEIL SEITE COTE COSTADO COSTADILLO LATERAL LATERALE FIANCO FIANCHETTO ILHARGA YAN"),
    (Idea::Sleeve, "SLEEVE SLEEVES SLV SLEV SL SLEE AERMEL ARMEL MANCHE MANCHES MANGA MANICA KOL"),
    (
        Idea::Collar,
        "COLLAR COLLARS CLR COL NECKBAND NECKRIB NKBAND KRAGEN CUELLO COLLO COLLETTO GOLA COLARINHO YAKA ENCOLURE",
    ),
    (Idea::Cuff, "CUFF CUFFS CUF MANSCHETTE BUENDCHEN BUNDCHEN POIGNET PUNO POLSINO PUNHO MANSET"),
    (
        Idea::Waistband,
        "WAISTBAND WAISTBANDS WSTBND WBAND WB BUND CEINTURE PRETINA CINTURILLA CINTURINO CINTURA COS KEMER",
    ),
    (Idea::Yoke, "YOKE YOK YK SATTEL PASSE EMPIECEMENT CANESU SPRONE CARRE ROBA"),
    (Idea::Skirt, "SKIRT SKRT SKT ROCK JUPE FALDA GONNA SAIA ETEK"),
    (
        Idea::Legs,
        "PANT PANTS TROUSER TROUSERS LEG LEGS LEGGING LEGGINGS SHORTS JEAN JEANS CHINO HOSE HOSEN PANTALON PANTALONES PANTALONE PANTALONI CALCA CALCAS PANTOLON",
    ),
    (
        Idea::Top,
        "TANK TSHIRT TEE SHIRT BLOUSE TOP BODICE POLO JACKET HOODIE SWEATSHIRT VEST DRESS HEMD KLEID BLUSE JACKE CHEMISE ROBE CAMISA CAMISETA VESTIDO CAMICIA MAGLIA ABITO GOMLEK ELBISE",
    ),
    (Idea::Cape, "CAPE PONCHO CLOAK UMHANG CAPA MANTELLA PELERIN"),
    (
        Idea::Left,
        "LEFT LHS LH LT L LINKS LI GAUCHE GCHE IZQUIERDA IZQUIERDO IZQ SINISTRA SINISTRO SX ESQUERDA ESQUERDO ESQ SOL",
    ),
    (
        Idea::Right,
        "RIGHT RHS RH R RECHTS RE DROITE DROIT DRT DERECHA DERECHO DER DESTRA DESTRO DX DIREITA DIREITO DIR SAG",
    ),
    (Idea::Fold, "FOLD ONFOLD BRUCH STOFFBRUCH PLIURE DOBLEZ PIEGA DOBRA KATLI"),
    (Idea::Pair, "PAIR PAIRED PAIRS PAAR PAARWEISE PAIRE PAR COPPIA CIFT"),
    (Idea::Aside("facing"), "FACING FACINGS FCG FACNG BELEG PARMENTURE ENFORME VISTA PARAMONTURA REVEL PERVAZ LIMPEZA"),
    (Idea::Aside("lining"), "LINING LININGS LNG LINNING FUTTER DOUBLURE FORRO FODERA ASTAR"),
    (
        Idea::Aside("pocket"),
        "POCKET POCKETS PKT POCKETING POCKETBAG TASCHE TASCHENBEUTEL POCHE BOLSILLO TASCA BOLSO CEP",
    ),
    (
        Idea::Aside("interfacing"),
        "INTERFACING INTERFACE INTERLINING FUSIBLE FUSING FUSE EINLAGE VLIES ENTOILAGE THERMOCOLLANT ENTRETELA ADESIVO RINFORZO TELA",
    ),
    (Idea::Aside("label"), "LABEL LABELS ETIKETT ETIQUETTE ETIQUETA ETICHETTA ETIKET"),
    (Idea::Aside("placket"), "PLACKET PLKT PLACKETS KNOPFLEISTE PATTE TAPETA CANNONCINO CARCELA PAT"),
    (Idea::Aside("fly"), "FLY FLYSHIELD BRAGUETTE BRAGUETA PATTINA BRAGUILHA"),
    (
        Idea::Aside("trimming"),
        "FLAP LOOP LOOPS BELTLOOP ELASTIC TAPE BINDING PIPING TAB STRAPPING WELT TRIM CORD DRAWCORD DRAWSTRING GUMMI SCHLAUFE PASPEL PASSANT PASSANTE TRABILLA PRESILHA",
    ),
    (Idea::Aside("hood"), "HOOD KAPUZE CAPUCHE CAPUCHA CAPPUCCIO CAPUZ KAPUSON"),
    (Idea::Aside("template"), "TEMPLATE GUIDE MARKER SCHABLONE GABARIT PLANTILLA"),
];

/// Shortest word that may begin or end a longer one, and shortest one that may stand inside it, in letters.
const LONG: usize = 4;
const LONGER: usize = 6;

/// Capitals without accents. Ü, Ö and Ä become one letter, as most files write them.
fn plain(letter: char) -> char {
    match letter.to_uppercase().next().unwrap_or(letter) {
        'À' | 'Á' | 'Â' | 'Ã' | 'Ä' => 'A',
        'È' | 'É' | 'Ê' | 'Ë' => 'E',
        'Ì' | 'Í' | 'Î' | 'Ï' | 'İ' => 'I',
        'Ò' | 'Ó' | 'Ô' | 'Õ' => 'O',
        'Ù' | 'Ú' | 'Û' | 'Ü' => 'U',
        'Ç' => 'C',
        'Ñ' => 'N',
        'Ş' => 'S',
        'Ğ' => 'G',
        other => other,
    }
}

/// The words of a text, in plain capitals. An Ö stays, because Turkish `ÖN` is no English `ON`; inside longer words it is an O.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut fresh = true;
    let mut before_small = false;
    for letter in text.chars() {
        if !letter.is_alphabetic() {
            fresh = true;
            continue;
        }
        if fresh || (before_small && letter.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(plain(letter));
        }
        fresh = false;
        before_small = letter.is_lowercase();
    }
    for word in &mut words {
        if word != "ÖN" {
            *word = word.replace('Ö', "O");
        }
    }
    words
}

/// What a text says, each idea once, in the order of the table.
pub(crate) fn ideas(text: &str) -> Vec<Idea> {
    let words = split(text);
    let has = |entry: &str| {
        let letters = entry.chars().count();
        let inside = |word: &str| {
            (letters >= LONG && (word.starts_with(entry) || word.ends_with(entry)))
                || (letters >= LONGER && word.contains(entry))
        };
        words.iter().any(|word| word == entry || inside(word))
    };
    let said = |line: &str| line.split(' ').any(has);
    // A side dart is in a front or a back, not between them.
    let is_dart = DART.split(' ').any(has);
    let found = WORDS.iter().filter(|(_, line)| said(line)).map(|(idea, _)| *idea);
    found.filter(|idea| !(is_dart && *idea == Idea::Side)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_common_use_are_understood() {
        let one = |text: &str, wanted: &[Idea]| {
            let found = ideas(text);
            assert!(wanted.iter().all(|idea| found.contains(idea)), "{text}: {found:?}");
        };
        for (text, idea) in [
            ("TANK_SR_BK", Idea::Back),
            ("GMX1006-FRT", Idea::Front),
            ("Vorderteil Mitte", Idea::Front),
            ("Rückenteil", Idea::Back),
            ("Ärmel", Idea::Sleeve),
            ("devant", Idea::Front),
            ("DOS", Idea::Back),
            ("manche", Idea::Sleeve),
            ("Delantero", Idea::Front),
            ("espalda", Idea::Back),
            ("davanti", Idea::Front),
            ("dietro", Idea::Back),
            ("frente", Idea::Front),
            ("costas", Idea::Back),
            ("ön beden", Idea::Front),
            ("arka beden", Idea::Back),
            ("kol", Idea::Sleeve),
            ("yaka", Idea::Collar),
            ("frontPanel", Idea::Front),
            ("WB", Idea::Waistband),
            ("pocketing", Idea::Aside("pocket")),
            ("FRONT FACING", Idea::Aside("facing")),
        ] {
            one(text, &[idea]);
        }
        one("BACKYOKE", &[Idea::Back, Idea::Yoke]);
        one("SLV L", &[Idea::Sleeve, Idea::Left]);
        assert!(!ideas("cut on fold").contains(&Idea::Front));
        assert!(ideas("PIECE 7").is_empty());
    }
}
