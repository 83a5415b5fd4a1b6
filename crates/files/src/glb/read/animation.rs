//! The first animation of a GLB file.

use serde_json::Value;

use super::container::{Container, fail};
use crate::ParseError;
use crate::rigged::{Between, Channel, Node, Path};

/// The channels of the first animation.
pub(super) fn channels(file: &Container<'_>, nodes: &[Node]) -> Result<Vec<Channel>, ParseError> {
    let animation = &file.json["animations"][0];
    let mut channels = Vec::new();
    for described in animation["channels"].as_array().into_iter().flatten() {
        let target = &described["target"];
        let path = match target["path"].as_str() {
            Some("translation") => Path::Translation,
            Some("rotation") => Path::Rotation,
            Some("scale") => Path::Scale,
            Some("weights") => Path::Weights,
            _ => continue,
        };
        let node = target["node"].as_u64().and_then(|n| usize::try_from(n).ok());
        let Some(node) = node.filter(|n| *n < nodes.len()) else { continue };
        let sampler = described["sampler"].as_u64().and_then(|i| animation["samplers"].get(usize::try_from(i).ok()?));
        let Some(sampler) = sampler else {
            return fail("an animation lacks a sampler", "the file is damaged: export it again");
        };
        channels.push(channel(file, sampler, node, path, nodes[node].weights.len())?);
    }
    Ok(channels)
}

fn channel(
    file: &Container<'_>,
    sampler: &Value,
    node: usize,
    path: Path,
    targets: usize,
) -> Result<Channel, ParseError> {
    let between = match sampler["interpolation"].as_str() {
        Some("STEP") => Between::Step,
        Some("CUBICSPLINE") => Between::Cubic,
        _ => Between::Linear,
    };
    let (width, components) = match path {
        Path::Translation | Path::Scale => (3, 3),
        Path::Rotation => (4, 4),
        Path::Weights => (targets, 1),
    };
    let times = file.numbers(&sampler["input"], 1)?;
    let values = file.numbers(&sampler["output"], components)?;
    let per_key = if between == Between::Cubic { 3 * width } else { width };
    let fits = times.len().checked_mul(per_key) == Some(values.len());
    if times.is_empty() || !fits || times.windows(2).any(|pair| pair[0] >= pair[1]) {
        return fail("the keys of an animation do not fit together", "the file is damaged: export it again");
    }
    Ok(Channel { node, path, between, times, values, width })
}
