//! The rules themselves, tried on small packages.

use std::collections::BTreeSet;

use super::package::Package;
use super::sources::Source;
use super::table::Table;
use super::{over_limit, violations, wrong_circles};

const TABLE: &str = "\
//! | module | holds | may use |
//! |---|---|---|
//! | [`run`] | runs | – |
//! | `stats` | functions | - |
//! | `wandb`, `axiom` | clients | run |
//! | `diagnose` | checks | run, `stats` (robust ones) |
//! | `engine` | sessions | all above |
//! | `engine::worker` | its shell; wasm only | engine, run |
//! | `app` | views; wasm only | engine::messages, run |
//! | `main` | the page; wasm only | app |
//!
//! The end.";

/// What the rules say of a package of one file beside empty ones.
fn found_in(path: &str, text: &str) -> Vec<String> {
    let table = Table::read(TABLE).unwrap();
    let paths =
        ["run/mod", "stats/mod", "wandb", "axiom", "diagnose/mod", "engine/mod", "engine/worker", "app", "main"];
    let mut sources: Vec<Source> = paths.iter().map(|path| Source::new(format!("src/{path}.rs"), "")).collect();
    sources.push(Source::new(path, text));
    let crates = BTreeSet::from(["web_sys".to_owned(), "leptos".to_owned()]);
    violations(&table, &Package::of(&sources), &crates)
}

#[test]
fn the_table_is_read() {
    let table = Table::read(TABLE).unwrap();
    let row = |name: &str| {
        let row = table.row(&name.split("::").map(str::to_owned).collect::<Vec<_>>()).unwrap();
        (row.may_use.iter().map(|path| path.join("::")).collect::<Vec<_>>().join(" "), row.wasm_only)
    };
    assert_eq!(row("run::axis"), (String::new(), false));
    assert_eq!(row("axiom"), ("run".to_owned(), false));
    assert_eq!(row("diagnose"), ("run stats".to_owned(), false));
    assert_eq!(row("engine"), ("run stats wandb axiom diagnose".to_owned(), false));
    assert_eq!(row("engine::worker::files"), ("engine run".to_owned(), true));
}

#[test]
fn a_table_that_cannot_be_read_is_refused() {
    let with = |row: &str| Table::read(&format!("{TABLE}\n").replace("//!\n", &format!("{row}\n//!\n"))).err();
    assert_eq!(with("//! | `plot` | lines | run |"), None);
    for (row, why) in [
        ("//! | `plot` | lines | report |", "report is no module of a row above"),
        ("//! | `plot` | lines | run, plot |", "plot is no module of a row above"),
        ("//! | `plot` | lines | the run |", "the run is no module of a row above"),
        ("//! | `plot` | lines |", "not three cells"),
        ("//! | `plot` | lines, and a canvas (wasm only) | run |", "needs a row of its own"),
    ] {
        assert!(with(row).is_some_and(|error| error.contains(why)), "{row}");
    }
    assert!(Table::read("//! no table").is_err());
}

#[test]
fn wrong_arrows_are_found() {
    for (path, text, expected) in [
        ("src/run/axis.rs", "use crate::stats::trend;", "run uses stats::trend"),
        ("src/diagnose/kl.rs", "use crate::{run::Run, wandb};", "diagnose uses wandb"),
        ("src/stats/trend.rs", "fn f() -> usize { crate::run::count() }", "stats uses run::count"),
        ("src/stats/trend.rs", "#[cfg(test)] mod tests; use crate::run::Run;", "stats uses run::Run"),
        ("src/stats/trend.rs", "use super::super::run::Run;", "stats uses run::Run"),
        ("src/stats/trend.rs", "mod a { use super::super::super::engine::Engine; }", "stats uses engine::Engine"),
        ("src/axiom/rows.rs", "use crate::wandb::rows;", "axiom uses wandb::rows"),
        ("src/app/store.rs", "use crate::engine::messages::Reply; use crate::engine::Run;", "app uses engine::Run"),
        ("src/app/view.rs", "fn f() { view! { <p>{crate::diagnose::name()}</p> } }", "app uses diagnose::name"),
        ("src/engine/session.rs", "use super::worker::Files;", "engine uses engine::worker"),
        ("src/stats/trend.rs", "use crate::*;", "stats uses *"),
        ("src/engine/session.rs", "fn f(x: &web_sys::Window) {}", "engine names web_sys"),
        ("src/main.rs", "fn main() { rundown::engine::start() }", "main uses engine::start"),
        ("src/oddments.rs", "", "its module is not in the table of src/lib.rs"),
    ] {
        let found = found_in(path, text);
        assert!(found.len() == 1 && found[0].starts_with(path) && found[0].contains(expected), "{text}: {found:?}");
    }
    let table = Table::read(TABLE).unwrap();
    let found = violations(&table, &Package::of(&[Source::new("src/run.rs", "")]), &BTreeSet::new());
    assert_eq!(found.len(), table.rows.len() - 1, "{found:?}");
}

#[test]
fn right_arrows_are_left_alone() {
    for (path, text) in [
        ("src/run/axis.rs", "use super::Column; use super::super::run::Config; use self::axis::Axis;"),
        ("src/stats/trend.rs", "//! [`crate::run`] and web_sys\nconst NAME: &str = \"crate::run\"; // crate::run"),
        ("src/stats/trend.rs", "#[cfg(test)] mod tests { use super::*; use crate::wandb::read; }"),
        ("src/stats/trend.rs", "#[cfg(test)] pub(crate) use crate::{wandb, run}; #[cfg(test)] mod tests;"),
        ("src/engine/session.rs", "use crate::{diagnose::{Finding, checks::ALL}, run::*, stats::{self, trend}};"),
        ("src/engine/worker/files.rs", "use crate::engine::session::Session; use web_sys::File; use super::Shell;"),
        ("src/app/client.rs", "use crate::engine::messages::{Reply, Request}; use web_sys::Window;"),
        ("src/lib.rs", "pub mod run; pub use run::Run;"),
    ] {
        assert_eq!(found_in(path, text), Vec::<String>::new(), "{text}");
    }
}

/// The circles of a package.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<Source> = files.iter().map(|(path, text)| Source::new(format!("src/{path}"), *text)).collect();
    let circles = Package::of(&sources).circles();
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
    let files = Package::of(&sources).files.len();
    assert_eq!(files, 2);
}
