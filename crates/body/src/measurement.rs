//! [`Measurement`]: what a tailor asks for, by its name in ISO 8559-1, and how it is taken here.
//!
//! Girths are taken with a taut tape: the shortest closed curve around the section of the body by a plane, which is the
//! boundary of the section's convex hull. Lengths are distances between landmarks or taut tapes over them.

use std::ops::{Index, IndexMut};

/// Number of measurements.
pub(crate) const COUNT: usize = 18;

/// What kind of quantity a measurement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Length of a closed tape [m].
    Girth,
    /// Length of an open tape, or a height [m].
    Length,
    /// An angle [rad]; degrees in files.
    Angle,
}

macro_rules! measurements {
    ($($(#[$doc:meta])* $name:ident $key:literal $iso:literal $kind:ident $lo:literal..$hi:literal [$($other:literal),*];)*) => {
        /// A measurement of a body.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Measurement {
            $($(#[$doc])* $name,)*
        }

        impl Measurement {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; COUNT] = [$(Self::$name,)*];

            /// Its key in a `body.toml`.
            pub const fn key(self) -> &'static str {
                match self { $(Self::$name => $key,)* }
            }

            /// Its name in ISO 8559-1.
            pub const fn iso_name(self) -> &'static str {
                match self { $(Self::$name => $iso,)* }
            }

            /// Other words for it.
            pub const fn synonyms(self) -> &'static [&'static str] {
                match self { $(Self::$name => &[$($other),*],)* }
            }

            /// What kind of quantity it is.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$name => Kind::$kind,)* }
            }

            /// Smallest and largest value accepted [m, or rad for an angle].
            pub const fn range(self) -> [f64; 2] {
                match self { $(Self::$name => [$lo, $hi],)* }
            }
        }
    };
}

measurements! {
    /// Floor to the crown of the head, vertically.
    Height "height" "stature (height)" Length 0.85..2.30 ["stature"];
    /// Floor to the crotch, vertically.
    Inseam "inseam" "inside leg height" Length 0.32..1.20 ["inside_leg", "inside_leg_height", "inner_leg"];
    /// From the back neck point to the back of the waist line, a taut tape over the spine.
    BackLength "back_length" "back waist length" Length 0.19..0.65 ["back_waist_length", "nape_to_waist", "centre_back"];
    /// From the shoulder point over the elbow to the wrist, on the outside of the arm.
    ArmLength "arm_length" "arm length" Length 0.25..0.90 ["sleeve_length", "sleeve"];
    /// From shoulder point to shoulder point, straight.
    ShoulderWidth "shoulder_width" "shoulder width" Length 0.19..0.62 ["shoulders", "shoulder", "across_shoulders"];
    /// Fall of the shoulder line from the side neck point to the shoulder point, against the horizontal.
    ShoulderSlope "shoulder_slope_deg" "shoulder slope" Angle 0.087..0.611 ["shoulder_slope"];
    /// Around the head above the brows, horizontally.
    Head "head" "head girth" Girth 0.42..0.70 ["head_girth", "hat"];
    /// Around the neck above the back neck point, square to its axis.
    Neck "neck" "neck girth" Girth 0.20..0.65 ["neck_girth", "collar"];
    /// Around the trunk at the bust points (at the nipples of a man), horizontally.
    Bust "bust" "bust girth / chest girth" Girth 0.44..1.80 ["chest", "bust_girth", "chest_girth"];
    /// Around the trunk right below the breasts, horizontally.
    Underbust "underbust" "under-bust girth" Girth 0.42..1.70 ["under_bust", "underbust_girth", "band"];
    /// Around the waist, horizontally, at the level where [`Measurement::BackLength`] ends.
    Waist "waist" "waist girth" Girth 0.40..1.90 ["waist_girth"];
    /// Around the seat at its greatest prominence, horizontally.
    Hip "hip" "hip girth" Girth 0.44..1.90 ["hips", "seat", "hip_girth"];
    /// Around one thigh below the crotch, horizontally.
    Thigh "thigh" "thigh girth" Girth 0.22..1.10 ["thighs", "upper_leg", "thigh_girth"];
    /// Around the middle of the kneecap, horizontally.
    Knee "knee" "knee girth" Girth 0.17..0.75 ["knees", "knee_girth"];
    /// Around the calf where it is thickest, horizontally.
    Calf "calf" "calf girth" Girth 0.15..0.75 ["calves", "calf_girth"];
    /// Around the leg above the ankle bones, where it is thinnest, horizontally.
    Ankle "ankle" "minimum leg girth" Girth 0.11..0.45 ["ankles", "ankle_girth", "minimum_leg"];
    /// Around the upper arm half way between shoulder and elbow, square to its axis.
    UpperArm "upper_arm" "upper arm girth" Girth 0.12..0.70 ["biceps", "bicep", "arm_girth", "upper_arm_girth"];
    /// Around the wrist, square to the axis of the forearm.
    Wrist "wrist" "wrist girth" Girth 0.09..0.32 ["wrists", "wrist_girth"];
}

impl Measurement {
    /// The measurement that a person calls so: by its key, its name in ISO 8559-1 or another common word. Capitals, spaces and dashes
    /// do not count.
    ///
    /// ```
    /// use toile_body::Measurement;
    /// assert_eq!(Measurement::from_word("Chest"), Some(Measurement::Bust));
    /// assert_eq!(Measurement::from_word("inside leg height"), Some(Measurement::Inseam));
    /// assert_eq!(Measurement::from_word("girth"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Self> {
        let plain = |word: &str| word.trim().to_lowercase().replace([' ', '-'], "_");
        let wanted = plain(word);
        Self::ALL.into_iter().find(|m| {
            let iso = m.iso_name().split(" / ").map(plain);
            m.key() == wanted || m.synonyms().contains(&wanted.as_str()) || iso.into_iter().any(|name| name == wanted)
        })
    }

    /// Every key with its other words, for messages: `bust (chest)`.
    pub fn known() -> String {
        let name = |m: Self| match m.synonyms().first() {
            Some(other) => format!("{} ({other})", m.key()),
            None => m.key().to_owned(),
        };
        Self::ALL.map(name).join(", ")
    }
}

/// One value of some type for each measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Table<T>(pub [T; COUNT]);

/// Some of the measurements of a body [m; rad]: what a person knows of it.
pub type Given = Table<Option<f64>>;

/// All measurements of a body [m; rad].
pub type Measurements = Table<f64>;

impl<T: Copy> Table<T> {
    /// The table with `f(m)` for each measurement `m`.
    pub fn from_fn(f: impl Fn(Measurement) -> T) -> Self {
        Self(Measurement::ALL.map(f))
    }

    /// Measurements with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Measurement, T)> + '_ {
        Measurement::ALL.into_iter().map(|m| (m, self[m]))
    }
}

impl Given {
    /// Nothing known.
    pub const NONE: Self = Self([None; COUNT]);

    /// With one more measurement [m; rad].
    ///
    /// ```
    /// use toile_body::{Given, Measurement};
    /// let given = Given::NONE.with(Measurement::Height, 1.70).with(Measurement::Waist, 0.72);
    /// assert_eq!(given[Measurement::Waist], Some(0.72));
    /// ```
    #[must_use]
    pub fn with(mut self, measurement: Measurement, value: f64) -> Self {
        self[measurement] = Some(value);
        self
    }
}

impl<T> Index<Measurement> for Table<T> {
    type Output = T;

    fn index(&self, m: Measurement) -> &T {
        &self.0[m as usize]
    }
}

impl<T> IndexMut<Measurement> for Table<T> {
    fn index_mut(&mut self, m: Measurement) -> &mut T {
        &mut self.0[m as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keys_and_ranges_are_consistent() {
        for (i, m) in Measurement::ALL.into_iter().enumerate() {
            assert_eq!(m as usize, i);
            assert!(m.range()[0] < m.range()[1]);
            assert!(Measurement::ALL.iter().all(|other| *other == m || other.key() != m.key()));
            assert_eq!(m.kind() == Kind::Angle, m.key().ends_with("_deg"));
        }
    }

    #[test]
    fn every_word_means_one_measurement() {
        for m in Measurement::ALL {
            for word in std::iter::once(&m.key()).chain(m.synonyms()) {
                let meant: Vec<_> =
                    Measurement::ALL.into_iter().filter(|o| o.key() == *word || o.synonyms().contains(word)).collect();
                assert_eq!(meant, [m], "{word}");
                assert_eq!(Measurement::from_word(&word.to_uppercase().replace('_', "-")), Some(m), "{word}");
            }
        }
        let words = ["chest", "hips", "seat", "biceps", "inside leg", "Thigh girth"];
        let meant = words.map(|word| Measurement::from_word(word).map(Measurement::key));
        assert_eq!(meant, ["bust", "hip", "hip", "upper_arm", "inseam", "thigh"].map(Some));
    }
}
