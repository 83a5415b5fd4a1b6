//! Materials of a file: a name and a colour, each written once.

/// Materials in the order in which they were asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Materials {
    /// What was asked for, the name it got, and its colour: linear red, green, blue.
    known: Vec<(String, String, [f32; 3])>,
}

impl Materials {
    /// The number of a material. The same name with another colour gets a number behind it.
    pub(crate) fn number(&mut self, name: &str, color: [f32; 3]) -> usize {
        if let Some(found) = self.known.iter().position(|(asked, _, other)| asked == name && *other == color) {
            return found;
        }
        let taken: Vec<String> = self.known.iter().map(|(_, unique, _)| unique.clone()).collect();
        self.known.push((name.to_owned(), unique(name, &taken), color));
        self.known.len() - 1
    }

    /// Names and colours.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, [f32; 3])> {
        self.known.iter().map(|(_, name, color)| (name.as_str(), *color))
    }

    /// The name of a material.
    pub(crate) fn name(&self, number: usize) -> &str {
        &self.known[number].1
    }
}

/// The name, or with the first number behind it that nobody has.
pub(crate) fn unique(name: &str, taken: &[String]) -> String {
    let numbered = std::iter::once(name.to_owned()).chain((2..).map(|n: u32| format!("{name}_{n}")));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_material_is_written_once_and_names_stay_apart() {
        let mut materials = Materials::default();
        let colors = [[0.1; 3], [0.2; 3], [0.1; 3]];
        assert_eq!(colors.map(|color| materials.number("denim", color)), [0, 1, 0]);
        assert_eq!(materials.number("skin", [0.1; 3]), 2);
        let names: Vec<&str> = materials.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["denim", "denim_2", "skin"]);
    }
}
