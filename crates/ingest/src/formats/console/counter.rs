//! What makes numbers a counter of steps: whole, and rising.

/// True for whole numbers that rise, with few falls: a log may hold a restart.
pub(super) fn is_rising(values: &[f64]) -> bool {
    let is_whole = values.iter().all(|value| *value >= 0.0 && value.fract() == 0.0);
    let (rising, falling) = changes(values);
    is_whole && falling * 4 <= rising && (rising > 0 || values.len() == 1)
}

/// How often a value is larger than the one before it, and how often it is smaller.
pub(super) fn changes(values: &[f64]) -> (usize, usize) {
    let pairs = values.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    pairs.fold((0, 0), |(rising, falling), (before, after)| {
        (rising + usize::from(after > before), falling + usize::from(after < before))
    })
}

/// True where a line may hold a counter such as `step 3`: spares the others a closer look.
pub(super) fn has_step_counter(line: &str) -> bool {
    ["tep ", "tep:", "teration "].iter().any(|word| line.contains(word))
}
