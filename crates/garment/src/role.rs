//! What a panel covers: [`Part`] and [`Side`], from which it is placed around the body.

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal $(| $old:literal)?,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its word in files.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// The one of a word, in its present or older spelling.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($text $(| $old)? => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// The part of the garment a panel is.
    Part {
        /// Front of the trunk.
        Front = "front",
        /// Back of the trunk.
        Back = "back",
        /// A sleeve, all around the arm.
        Sleeve = "sleeve",
        /// Front of a skirt.
        SkirtFront = "skirt-front" | "skirt_front",
        /// Back of a skirt.
        SkirtBack = "skirt-back" | "skirt_back",
        /// Front of a leg.
        LegFront = "leg-front" | "leg_front",
        /// Back of a leg.
        LegBack = "leg-back" | "leg_back",
        /// Around the neck.
        Collar = "collar",
        /// Around the wrist.
        Cuff = "cuff",
        /// Around the waist.
        Waistband = "waistband",
        /// Over head and shoulders, around the body.
        Cape = "cape",
        /// Lies flat, as a tablecloth does.
        Flat = "flat",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// The side of the wearer.
    Side {
        /// The wearer's left.
        Left = "left",
        /// The wearer's right.
        Right = "right",
        /// Both, or neither.
        Both = "both",
    }
}

impl Side {
    /// The other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
            Self::Both => Self::Both,
        }
    }
}
