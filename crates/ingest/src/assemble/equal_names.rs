//! Runs with the same name: the parts of their paths that differ tell them apart, the ids that their tracker gave them, or the
//! files that they are from.
//!
//! Scripts write each run into a folder of its own and call the file the same in all of them, so that a name of the file
//! that several folders share names nothing. In W&B several runs may have one name (`run_name` of a trainer's config): in a list
//! their ids stand behind it. Behind another name that several files give, as tables of runs do, stands the file.

use std::collections::{BTreeMap, BTreeSet};

use super::axiom_events::is_events;
use super::origin::{is_format, path_of};
use super::run_names::name_in;
use crate::path;
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactCollect as _;

/// Gives runs with the same name others. The first `shown` runs keep theirs, as they were shown.
#[inline(never)]
pub(super) fn disambiguate(runs: &mut [Run], shown: usize) {
    name_notebooks(runs, shown);
    add_ids(runs, shown);
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate().filter(|(_, run)| is_from_path(run)) {
        groups.entry(&run.name).or_default().push(place);
    }
    let mut renamed: Vec<(usize, String)> = Vec::new();
    for places in groups.into_values().filter(|places| places.len() > 1) {
        let members: Vec<PathParts<'_>> =
            places.iter().filter_map(|place| runs.get(*place)).map(|run| PathParts::of(&run.id)).collect();
        let is_other = |(place, _): &(usize, &Run)| !places.contains(place);
        let taken: BTreeSet<&str> =
            runs.iter().enumerate().filter(is_other).map(|(_, run)| run.name.as_str()).collect();
        let names = names(&members, &taken);
        renamed.extend(places.into_iter().zip(names).filter(|(place, _)| *place >= shown));
    }
    for (place, name) in renamed {
        if let Some(run) = runs.get_mut(place) {
            run.name = name;
        }
    }
    add_files(runs, shown);
}

/// Puts the file of a run behind a name that is given in several files, and folders where files have one name, too. Events join
/// the run of their name later.
fn add_files(runs: &mut [Run], shown: usize) {
    let file = |run: &Run| run.files.first().map(|file| file.path.clone());
    let mut files: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for run in runs.iter().filter(|run| !is_events(run)) {
        let of_name = files.entry(run.name.clone()).or_default();
        of_name.extend(file(run).map(|file| (file, String::new())));
    }
    files.values_mut().for_each(tell_apart);
    for run in runs.iter_mut().skip(shown).filter(|run| !has_tracker_id(run) && !is_events(run)) {
        let of_name = files.get(&run.name).filter(|files| files.len() > 1);
        let label = file(run).and_then(|file| of_name?.get(&file)).filter(|label| **label != run.name);
        if let Some(label) = label {
            run.name = format!("{} ({label})", run.name);
        }
    }
}

/// Gives each path the shortest words that tell it from the others: the name of its file with the folders that it takes, or these
/// alone where all files have one name.
fn tell_apart(paths: &mut BTreeMap<String, String>) {
    let members: Vec<PathParts<'_>> = paths.keys().map(|path| PathParts::of(path)).collect();
    let levels = telling_levels(&members, |parts, levels| parts.file_name(levels));
    let stems: BTreeSet<&str> = members.iter().map(|parts| path::stem(parts.file)).collect();
    let is_told_by_folders = stems.len() == 1 && !levels.is_empty();
    let word =
        |parts: &PathParts<'_>| if is_told_by_folders { parts.folders(&levels) } else { parts.file_name(&levels) };
    let words: Vec<String> = members.iter().map(word).collect();
    paths.values_mut().zip(words).for_each(|(word, told)| *word = told);
}

/// Puts the id of a tracker behind a name that several runs have.
fn add_ids(runs: &mut [Run], shown: usize) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for run in runs.iter().filter(|run| has_tracker_id(run)) {
        *counts.entry(run.name.clone()).or_default() += 1;
    }
    for run in runs.iter_mut().skip(shown).filter(|run| has_tracker_id(run)) {
        if counts.get(&run.name).is_some_and(|count| *count > 1) {
            run.name = format!("{} ({})", run.name, run.id);
        }
    }
}

/// True for a run that has a name, and an id as trackers give them: letters, digits and dashes, and no path of a file.
fn has_tracker_id(run: &Run) -> bool {
    let is_id =
        !run.id.is_empty() && run.id.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    is_id && !run.name.is_empty() && !run.name.contains(&run.id)
}

/// Where not all runs are of one notebook, those of its cells are named by both: `train_grpo, cell 12`.
fn name_notebooks(runs: &mut [Run], shown: usize) {
    let notebook = |run: &Run| is_format(run, FileFormat::Notebook).then(|| path_of(run).to_owned());
    let notebooks: BTreeSet<Option<String>> = runs.iter().map(notebook).compact_collect();
    if notebooks.len() < 2 {
        return;
    }
    for run in runs.iter_mut().skip(shown) {
        if let Some(path) = notebook(run)
            && !run.name.starts_with(name_in(&path).0)
        {
            run.name = format!("{}, {}", name_in(&path).0, run.name);
        }
    }
}

/// True for a run whose id is the path of a file of it, and whose name is from there: that of several files, which hold
/// a kind of metrics each, is their folder's.
fn is_from_path(run: &Run) -> bool {
    let has_name = || name_in(&run.id).0 == run.name || path::file_name(path::folder(&run.id)) == run.name;
    run.files.iter().any(|file| file.path == run.id) && has_name()
}

/// A path from the part that names its run upwards.
struct PathParts<'p> {
    file: &'p str,
    name: &'p str,
    /// The folder that the name is from; none where the file itself has it.
    named_folder: Option<&'p str>,
    /// The folders above, innermost first.
    above: Vec<&'p str>,
}

impl<'p> PathParts<'p> {
    fn of(path: &'p str) -> Self {
        let (name, place) = name_in(path);
        let above = path.rsplit('/').skip(place + 1).collect();
        Self { file: path::file_name(path), name, named_folder: (place > 0).then_some(name), above }
    }

    /// The folders at these levels above the name, outermost first.
    fn folders(&self, levels: &[usize]) -> String {
        let folders = levels.iter().rev().filter_map(|level| self.above.get(*level)).copied();
        folders.collect::<Vec<_>>().join("/")
    }

    /// These folders, and the file without its ending.
    fn file_name(&self, levels: &[usize]) -> String {
        let folders = self.folders(levels);
        let stem = path::stem(self.file);
        if folders.is_empty() { stem.to_owned() } else { format!("{folders}/{stem}") }
    }

    /// The folders at these levels above the name and the folder that has it, outermost first, and perhaps the file.
    fn name(&self, levels: &[usize], with_file: bool) -> String {
        let folders = levels.iter().rev().filter_map(|level| self.above.get(*level)).copied();
        let parts: Vec<&str> = folders.chain(self.named_folder).chain(with_file.then_some(self.file)).collect();
        if parts.is_empty() { self.name.to_owned() } else { parts.join("/") }
    }
}

/// A name for each path: of the folders from inside outwards those that tell more of the paths apart, and the file where
/// they are not enough or a run outside of the group has the name.
fn names(members: &[PathParts<'_>], taken: &BTreeSet<&str>) -> Vec<String> {
    let levels = telling_levels(members, |parts, levels| parts.name(levels, false));
    let named = |with_file| members.iter().map(|parts| parts.name(&levels, with_file)).collect::<Vec<_>>();
    let (best, with_file) = (named(false), named(true));
    let is_taken = best.iter().any(|name| taken.contains(name.as_str()));
    if is_taken || distinct(&with_file) > distinct(&best) { with_file } else { best }
}

/// The levels of folders, from inside outwards, each of which tells more of the paths apart, by the names that they give them.
fn telling_levels(members: &[PathParts<'_>], name: impl Fn(&PathParts<'_>, &[usize]) -> String) -> Vec<usize> {
    let deepest = members.iter().map(|parts| parts.above.len()).max().unwrap_or_default();
    let told = |levels: &[usize]| distinct(&members.iter().map(|parts| name(parts, levels)).collect::<Vec<_>>());
    let mut levels = Vec::new();
    let mut most = told(&levels);
    for level in 0..deepest {
        if most == members.len() {
            break;
        }
        levels.push(level);
        let finer = told(&levels);
        if finer > most {
            most = finer;
        } else {
            levels.pop();
        }
    }
    levels
}

fn distinct(names: &[String]) -> usize {
    names.iter().compact_collect::<BTreeSet<_>>().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::SourceFile;

    fn run(path: &str) -> Run {
        let format = FileFormat::JsonDocument;
        let files = vec![SourceFile { path: path.to_owned(), format, bytes: 0, crc32: 0 }];
        Run { id: path.to_owned(), name: name_in(path).0.to_owned(), files, ..Run::default() }
    }

    fn names_of(paths: &[&str], shown: usize) -> Vec<String> {
        let mut runs: Vec<Run> = paths.iter().map(|path| run(path)).collect();
        disambiguate(&mut runs, shown);
        runs.into_iter().map(|run| run.name).collect()
    }

    #[test]
    fn folders_name_the_runs_whose_files_are_called_the_same() {
        let paths = ["x/a/curve.json", "x/b/curve.json", "x/c/other.json"];
        assert_eq!(names_of(&paths, 0), ["a", "b", "other"]);
        let nested = ["x/v1/s1/curve.json", "x/v1/s2/curve.json", "x/v2/s1/curve.json"];
        assert_eq!(names_of(&nested, 0), ["v1/s1", "v1/s2", "v2/s1"]);
        assert_eq!(names_of(&["a/out/curve.json", "b/out/curve.json"], 0), ["a", "b"], "what all have tells nothing");
        assert_eq!(names_of(&["curve.json", "b/curve.json"], 0), ["curve", "b"]);
    }

    #[test]
    fn a_folder_that_names_a_run_stays_in_its_name() {
        assert_eq!(names_of(&["a/amber/metrics.jsonl", "b/amber/metrics.jsonl"], 0), ["a/amber", "b/amber"]);
        assert_eq!(
            names_of(&["amber/metrics.jsonl", "amber/train.csv"], 0),
            ["amber/metrics.jsonl", "amber/train.csv"]
        );
        let events = ["a/ppo/tb/events.out.tfevents.1.vm", "b/ppo/tb/events.out.tfevents.2.vm"];
        assert_eq!(names_of(&events, 0), ["a/ppo", "b/ppo"]);
        let paths = ["a/metrics.jsonl", "a/curve.json", "b/curve.json"];
        assert_eq!(names_of(&paths, 0), ["a", "a/curve.json", "b/curve.json"]);
    }

    #[test]
    fn runs_of_several_notebooks_are_named_by_them() {
        let cell = |path: &str, name: &str| {
            let files = vec![SourceFile { path: path.to_owned(), format: FileFormat::Notebook, bytes: 0, crc32: 0 }];
            Run { id: format!("{path}/{name}"), name: name.to_owned(), files, ..Run::default() }
        };
        let named = |mut runs: Vec<Run>, shown| {
            disambiguate(&mut runs, shown);
            runs.into_iter().map(|run| run.name).collect::<Vec<_>>()
        };
        let one = || vec![cell("a/ppo.ipynb", "cell 2"), cell("a/ppo.ipynb", "cell 3")];
        assert_eq!(named(one(), 0), ["cell 2", "cell 3"]);
        let other = |path: &str| one().into_iter().chain([cell(path, "x")]).collect::<Vec<_>>();
        assert_eq!(named(other("b/x.ipynb"), 0), ["ppo, cell 2", "ppo, cell 3", "x"], "of another notebook");
        let with_table = one().into_iter().chain([run("b/y.csv")]).collect::<Vec<_>>();
        assert_eq!(named(with_table, 0), ["ppo, cell 2", "ppo, cell 3", "y"], "of another file");
        let two = || vec![cell("a/ppo.ipynb", "cell 2"), cell("a/grpo.ipynb", "cell 2"), cell("b/x.ipynb", "x")];
        assert_eq!(named(two(), 0), ["ppo, cell 2", "grpo, cell 2", "x"]);
        assert_eq!(named(two(), 1), ["cell 2", "grpo, cell 2", "x"], "a name that was shown stays");
    }

    #[test]
    fn the_ids_of_a_tracker_tell_runs_with_one_name_apart() {
        let tracked = |id: &str, name: &str| Run { id: id.to_owned(), name: name.to_owned(), ..Run::default() };
        let named = |shown| {
            let mut runs =
                vec![tracked("x1", "opd"), tracked("x2", "opd"), tracked("x3", "sft"), tracked("opd", "opd")];
            disambiguate(&mut runs, shown);
            runs.into_iter().map(|run| run.name).collect::<Vec<_>>()
        };
        assert_eq!(named(0), ["opd (x1)", "opd (x2)", "sft", "opd"]);
        assert_eq!(named(1), ["opd", "opd (x2)", "sft", "opd"], "a name that was shown stays");
    }

    #[test]
    fn runs_that_were_shown_and_names_that_were_given_stay() {
        assert_eq!(names_of(&["a/curve.json", "b/curve.json"], 1), ["curve", "b"]);
        let mut given: Vec<Run> = ["a/curve.json", "b/curve.json"].map(run).into();
        given.iter_mut().for_each(|run| run.name = "mine".to_owned());
        disambiguate(&mut given, 0);
        let names: Vec<&str> = given.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["mine (a)", "mine (b)"], "the folders tell them apart");
        let mut of_tables: Vec<Run> = ["a/lr.csv", "a/kl.csv", "a/kl.csv"].map(run).into();
        of_tables.iter_mut().for_each(|run| run.id.push_str("/row"));
        of_tables.iter_mut().zip(["mine", "mine", "other"]).for_each(|(run, name)| name.clone_into(&mut run.name));
        disambiguate(&mut of_tables, 0);
        let named: Vec<&str> = of_tables.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(named, ["mine (lr)", "mine (kl)", "other"]);
        let paths = ["sac/walk.csv", "sac/run.csv", "ppo/walk.csv", "ppo/run.csv"];
        let mut of_folders: Vec<Run> = paths.map(run).into();
        of_folders.iter_mut().for_each(|run| (run.id, run.name) = (run.id.clone() + "/seed 1", "seed 1".to_owned()));
        disambiguate(&mut of_folders, 0);
        let named: Vec<&str> = of_folders.iter().map(|run| run.name.as_str()).collect();
        let expected = ["seed 1 (sac/walk)", "seed 1 (sac/run)", "seed 1 (ppo/walk)", "seed 1 (ppo/run)"];
        assert_eq!(named, expected, "neither the file nor its folder tells them apart alone");
        let mut same = vec![run("a/curve.json"), run("a/curve.json")];
        disambiguate(&mut same, 0);
        assert_eq!(same[0].name, "curve", "one path twice cannot be told apart");
    }
}
