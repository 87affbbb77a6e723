//! Which files of a folder have changed since it was last looked at.

use std::collections::{BTreeMap, BTreeSet};

/// Size in bytes and time of the last change, by path.
pub type Stamps = BTreeMap<String, (f64, f64)>;

/// Paths that are new or have another size or time than before. A file that is gone changes nothing: what was
/// read of it stays.
pub fn changed(before: &Stamps, now: &Stamps) -> BTreeSet<String> {
    now.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_grown_files_are_read_again() {
        let stamps = |files: &[(&str, f64, f64)]| -> Stamps {
            files.iter().map(|(path, size, time)| ((*path).to_owned(), (*size, *time))).collect()
        };
        let before = stamps(&[("a", 10.0, 1.0), ("b", 10.0, 1.0), ("gone", 1.0, 1.0), ("same", 5.0, 2.0)]);
        let now = stamps(&[("a", 12.0, 2.0), ("b", 10.0, 3.0), ("new", 0.0, 3.0), ("same", 5.0, 2.0)]);
        let expected = ["a", "b", "new"].map(str::to_owned);
        assert_eq!(changed(&before, &now), BTreeSet::from(expected));
        assert!(changed(&now, &now).is_empty());
    }
}
