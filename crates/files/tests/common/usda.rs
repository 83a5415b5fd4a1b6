//! A small reader of the USD text that Toile writes, which shares nothing with the writer: it looks for words and brackets.

/// A file as text.
pub(crate) struct Usda(pub(crate) String);

impl Usda {
    /// The text of one prim, from its `def` to the brace that closes it.
    pub(crate) fn prim(&self, kind: &str, name: &str) -> &str {
        let head = format!("def {kind} \"{name}\"");
        let start = self.0.find(&head).unwrap_or_else(|| panic!("no {head}"));
        let body = start + self.0[start..].find("\n    {").or_else(|| self.0[start..].find('{')).unwrap();
        let (mut depth, mut end) = (0, body);
        for (i, c) in self.0[body..].char_indices() {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if depth == 0 && c == '}' {
                end = body + i;
                break;
            }
        }
        &self.0[start..end]
    }
}

/// The values of a property of a prim, by their frames; one that has no frames stands at frame 0.
pub(crate) fn samples(prim: &str, property: &str) -> Vec<(usize, Vec<f64>)> {
    if let Some(at) = prim.find(&format!("{property}.timeSamples = {{")) {
        let text = &prim[at + property.len() + ".timeSamples = {".len()..];
        let text = &text[..text.find('}').unwrap()];
        let sample = |part: &str| {
            let (frame, values) = part.split_once(": ").unwrap();
            (frame.trim().parse().unwrap(), numbers(values))
        };
        // Samples begin with their frame at the beginning of a line.
        let mut parts: Vec<String> = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match (line.contains(": "), parts.last_mut()) {
                (false, Some(part)) => part.push_str(line),
                _ => parts.push(line.to_owned()),
            }
        }
        return parts.iter().map(|part| sample(part)).collect();
    }
    let at = prim.find(&format!("{property} = ")).unwrap_or_else(|| panic!("no {property}"));
    let text = &prim[at + property.len() + 3..];
    let end = if text.starts_with('[') { text.find(']') } else { text.find('\n') };
    vec![(0, numbers(&text[..end.unwrap()]))]
}

/// All numbers of a text.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e');
    text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect()
}
