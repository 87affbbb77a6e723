//! The rules themselves, tried on small crates.

use super::crate_graph::Crate;
use super::manifests::in_table;
use super::sources::Source;
use super::{over_limit, wrong_circles};

const TABLE: &str = "\
| crate | holds | may use |
|---|---|---|
| `run` | runs | – |
| `stats` | functions | – |
| `wandb` | a client | run |
| `diagnose` | checks | stats, run |
| `engine` | sessions | wandb, diagnose |

The end.";

#[test]
fn the_table_is_read() {
    let rows = in_table(TABLE).unwrap();
    let row = |name: &str| rows[name].join(" ");
    assert_eq!(["stats", "wandb", "diagnose"].map(row), ["", "run", "run stats"]);
    assert_eq!(row("engine"), "diagnose wandb");
}

#[test]
fn a_table_that_cannot_be_read_is_refused() {
    let with = |row: &str| in_table(&TABLE.replace("\n\n", &format!("\n{row}\n\n"))).err();
    assert_eq!(with("| `plot` | lines | run |"), None);
    for (row, why) in [
        ("| `plot` | lines | report |", "report is no crate of a row above"),
        ("| `plot` | lines | run, plot |", "plot is no crate of a row above"),
        ("| `plot` | lines |", "not three cells"),
    ] {
        assert!(with(row).is_some_and(|error| error.contains(why)), "{row}");
    }
    assert!(in_table("no table").is_err());
}

/// The circles of a crate.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(format!("src/{path}"), *text)).collect();
    let circles = Crate::of("src", &sources).circles();
    circles.into_iter().map(|(folder, members)| format!("{folder}: {}", members.join(" "))).collect()
}

#[test]
fn circles_are_found() {
    let direct = [("run/a.rs", "use super::b::B;"), ("run/b.rs", "fn f() { crate::run::a::f() }")];
    assert_eq!(circles(&direct), ["src/run: a b"]);
    let of_three = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c;"), ("c/d.rs", "use crate::a::A;")];
    assert_eq!(circles(&of_three), ["src: a b c"]);
    // Through what the folder's own file re-exports, also by a new name or all at once.
    for export in
        ["pub use b::B;", "pub use self::b::{B, C};", "use crate::run::b::B;", "pub use b::*;", "pub use b::X as B;"]
    {
        let files =
            [("run/mod.rs", export), ("run/a.rs", "use super::B;"), ("run/b.rs", "use super::a; pub struct B;")];
        assert_eq!(circles(&files), ["src/run: a b"], "{export}");
    }
    let all = [
        ("run/mod.rs", "pub use b::B;"),
        ("run/a.rs", "use super::*; fn f() -> B { B }"),
        ("run/b.rs", "use super::a; pub struct B;"),
    ];
    assert_eq!(circles(&all), ["src/run: a b"]);
    let far = [
        ("run/mod.rs", "pub use b::B;"),
        ("run/b/mod.rs", "pub use c::B;"),
        ("run/b/c.rs", "use crate::run::a; pub struct B;"),
        ("run/a/d.rs", "use crate::run::B;"),
    ];
    assert_eq!(circles(&far), ["src/run: a b"]);
}

#[test]
fn what_is_no_circle_is_left_alone() {
    let own = [("run/mod.rs", "use a::A; pub struct B;"), ("run/a.rs", "use super::B;"), ("run/c.rs", "use super::A;")];
    assert!(circles(&own).is_empty(), "what the folder's own file defines is no sibling's");
    let tests = [("run/a.rs", "use super::b;"), ("run/b.rs", "#[cfg(test)] mod tests { use super::super::a; }")];
    assert!(circles(&tests).is_empty());
    let down = [("run/a.rs", "use self::b::B;"), ("run/a/b.rs", "use super::super::c::C;"), ("run/c.rs", "")];
    assert!(circles(&down).is_empty());
}

#[test]
fn exceptions_may_only_shrink() {
    let circle = ("src/run".to_owned(), vec!["a".to_owned(), "b".to_owned()]);
    let of = |exceptions: &[(&str, &[&str], &str)]| wrong_circles(std::slice::from_ref(&circle), exceptions).len();
    assert_eq!(of(&[]), 1);
    assert_eq!(of(&[("src/run", &["a", "b", "c"], "")]), 0);
    assert_eq!(of(&[("src/run", &[], "")]), 0);
    assert_eq!(of(&[("src/run", &["a", "c"], "")]), 1, "b is not in it");
    assert_eq!(of(&[("src/run", &["a", "b"], ""), ("src/app", &[], "")]), 1, "the second is needed no more");
    let sizes = [("src/a.rs".to_owned(), 450)].into();
    let of = |exceptions: &[&str]| over_limit(&sizes, exceptions, "lines", 400).len();
    assert_eq!([of(&[]), of(&["src/a.rs"]), of(&["src/a.rs", "src/b.rs"])], [1, 0, 1]);
}

#[test]
fn files_for_tests_alone_are_known() {
    let sources = [
        Source::new("src/stats/mod.rs", "#[cfg(test)]\npub(crate) mod fixtures;\nmod trend;"),
        Source::new("src/stats/fixtures.rs", ""),
        Source::new("src/stats/trend.rs", ""),
    ];
    let files = Crate::of("src", &sources).files.len();
    assert_eq!(files, 2);
}
