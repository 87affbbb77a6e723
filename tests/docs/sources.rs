//! docs/sources.md names files and tests that are there.

use std::path::Path;

#[test]
fn the_files_and_tests_that_hold_an_item_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/sources.md")).unwrap();
    let mut checked = 0;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let held = line.rsplit(" | ").next().unwrap();
        // A file in code marks, then its tests in brackets.
        for (place, part) in held.split('`').enumerate().filter(|(place, _)| place % 2 == 1) {
            if !["tests/", "src/", "crates/"].iter().any(|folder| part.starts_with(folder)) {
                continue;
            }
            let file = root.join(part);
            assert!(file.exists(), "{part} is not there: {line}");
            checked += 1;
            let behind = held.split('`').skip(place + 1).collect::<Vec<_>>().join("`");
            let Some(tests) = behind.strip_prefix(" (").and_then(|rest| rest.split(')').next()) else { continue };
            let source = std::fs::read_to_string(&file).unwrap();
            for test in tests.split('`').skip(1).step_by(2) {
                assert!(source.contains(&format!("fn {test}")), "{part} has no test {test}");
            }
        }
    }
    assert!(checked > 200, "{checked}");
}
