//! A crate as a graph: its modules, and which of them uses which.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::Source;
use super::tokens::Names;

/// A module by its path from the crate's root.
pub type Module = Vec<String>;

/// A circle: the folder, and the files and folders in it that use each other, by module name.
pub type Circle = (String, Vec<String>);

/// Every source of a crate with what it names, tests left out.
pub struct Crate<'s> {
    pub files: Vec<(&'s Source, Names)>,
    folder: String,
    modules: BTreeSet<Module>,
    /// By module: name → path from the crate's root.
    imports: BTreeMap<Module, BTreeMap<String, Module>>,
}

/// Re-exports of re-exports are followed so far.
const DEPTH: usize = 8;

impl<'s> Crate<'s> {
    pub fn of(folder: &str, sources: &'s [Source]) -> Self {
        let mut files: Vec<(&Source, Names)> =
            sources.iter().map(|source| (source, Names::of(&source.module, &source.text))).collect();
        let tests: Vec<Module> = files.iter().flat_map(|(_, names)| names.test_modules.clone()).collect();
        files.retain(|(source, _)| !tests.iter().any(|test| source.module.starts_with(test)));
        let modules = files.iter().map(|(source, _)| source.module.clone()).collect();
        let mut graph = Self { files, folder: folder.to_owned(), modules, imports: BTreeMap::new() };
        graph.imports = graph.collect_imports();
        graph
    }

    /// What each module imports or re-exports; `pub use part::*` gives all that the part defines or re-exports.
    fn collect_imports(&self) -> BTreeMap<Module, BTreeMap<String, Module>> {
        let mut imports: BTreeMap<Module, BTreeMap<String, Module>> = BTreeMap::new();
        for (source, names) in &self.files {
            let here = imports.entry(source.module.clone()).or_default();
            for (name, path) in &names.imports {
                if name != "*" {
                    here.insert(name.clone(), path.clone());
                    continue;
                }
                let Some(from) = path.get(..path.len().saturating_sub(1)) else { continue };
                for (_, part) in self.files.iter().filter(|(source, _)| source.module == from) {
                    let exported = part.imports.iter().map(|(name, _)| name).filter(|name| *name != "*");
                    for name in part.defined.iter().chain(exported) {
                        here.insert(name.clone(), from.iter().cloned().chain([name.clone()]).collect());
                    }
                }
            }
        }
        imports
    }

    /// The path of what a path names, through re-exports.
    fn resolve(&self, path: &[String], depth: usize) -> Module {
        for length in 0..path.len() {
            let (module, rest) = path.split_at(length);
            let inner = &path[..=length];
            if self.modules.contains(inner) || self.modules.iter().any(|known| known.starts_with(inner)) {
                continue;
            }
            let import = rest.first().and_then(|name| self.imports.get(module)?.get(name));
            return match import {
                Some(import) if depth > 0 && import != path => {
                    let further: Module = import.iter().chain(rest.iter().skip(1)).cloned().collect();
                    self.resolve(&further, depth - 1)
                }
                _ => path.to_vec(),
            };
        }
        path.to_vec()
    }

    /// What a file uses, through re-exports. `use super::*` counts for the names that the file has.
    fn used(&self, names: &Names) -> Vec<Module> {
        let mut used = Vec::new();
        for path in &names.used {
            match path.split_last() {
                Some((last, module)) if last == "*" => {
                    let known = self.imports.get(module).into_iter().flatten();
                    let known = known.filter(|(name, _)| names.words.contains(*name));
                    used.extend(known.map(|(_, path)| self.resolve(path, DEPTH)));
                }
                _ => used.push(self.resolve(path, DEPTH)),
            }
        }
        used
    }

    /// Circles of files and folders that lie in one folder. What a `mod.rs` defines itself belongs to the folder, so
    /// using it is no arrow.
    pub fn circles(&self) -> Vec<Circle> {
        let mut arrows: BTreeMap<&[String], BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
        for (source, names) in &self.files {
            for path in self.used(names) {
                let common = source.module.iter().zip(&path).take_while(|(left, right)| left == right).count();
                let (Some(from), Some(inner)) = (source.module.get(common), path.get(..=common)) else { continue };
                let is_module = self.modules.iter().any(|module| module.starts_with(inner));
                if let Some(to) = path.get(common).filter(|_| is_module) {
                    let folder = arrows.entry(&source.module[..common]).or_default();
                    folder.entry(from).or_default().insert(to.clone());
                }
            }
        }
        let mut circles = Vec::new();
        for (folder, arrows) in &arrows {
            let folder = std::iter::once(self.folder.as_str())
                .chain(folder.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join("/");
            circles.extend(components(arrows).into_iter().map(|members| (folder.clone(), members)));
        }
        circles
    }
}

/// Sets of nodes that reach each other, larger than one.
fn components(arrows: &BTreeMap<&str, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |start: &str| {
        let mut reached = BTreeSet::new();
        let mut next = vec![start.to_owned()];
        while let Some(node) = next.pop() {
            let beyond = arrows.get(node.as_str()).into_iter().flatten();
            next.extend(beyond.filter(|node| reached.insert((*node).clone())).cloned());
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = arrows.keys().map(|node| (*node, reach(node))).collect();
    let mut components = BTreeSet::new();
    for (node, beyond) in reached.iter().filter(|(node, beyond)| beyond.contains(**node)) {
        let members =
            beyond.iter().filter(|other| reached.get(other.as_str()).is_some_and(|back| back.contains(*node)));
        components.insert(members.cloned().collect::<Vec<_>>());
    }
    components.into_iter().collect()
}
