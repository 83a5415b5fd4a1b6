//! What the texts of a piece say: `Piece Name: FRONT`, `Quantity: 1,1`, and so on.

use super::groups::Entity;

/// What the texts of a piece say.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    pub(super) piece: String,
    pub(super) size: String,
    pub(super) quantity: String,
    pub(super) fabric: String,
    pub(super) category: String,
    /// Annotations and all texts without a key, one after the other.
    pub(super) annotation: String,
}

/// The value after `key:`, whatever its case.
pub(super) fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (found, value) = text.split_once(':')?;
    found.trim().eq_ignore_ascii_case(key).then(|| value.trim())
}

impl Labels {
    pub(super) fn read(entities: &[Entity]) -> Self {
        let mut labels = Self::default();
        for text in entities.iter().flat_map(Entity::texts) {
            let keys: [(&[&str], &mut String); 5] = [
                (&["piece name", "piece", "name"], &mut labels.piece),
                (&["size"], &mut labels.size),
                (&["quantity", "qty", "paired"], &mut labels.quantity),
                (&["material", "fabric"], &mut labels.fabric),
                (&["category"], &mut labels.category),
            ];
            for (names, label) in keys {
                if let Some(value) = names.iter().find_map(|key| value_of(text, key)).filter(|_| label.is_empty()) {
                    value.clone_into(label);
                }
            }
            let free = value_of(text, "annotation")
                .or_else(|| (!text.contains(':') && !text.starts_with('#')).then_some(text));
            if let Some(words) = free {
                labels.annotation.push_str(words);
                labels.annotation.push(' ');
            }
        }
        labels
    }

    /// Takes what is missing from the labels of the same piece in another size: nests describe the sample size only.
    pub(super) fn fill(&mut self, other: &Self) {
        for (own, theirs) in [
            (&mut self.quantity, &other.quantity),
            (&mut self.fabric, &other.fabric),
            (&mut self.category, &other.category),
            (&mut self.annotation, &other.annotation),
        ] {
            if own.is_empty() {
                own.clone_from(theirs);
            }
        }
    }
}
