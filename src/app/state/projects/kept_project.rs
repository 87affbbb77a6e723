//! What is written down of a project that stays on this device: its name, where its runs came from, and which file lies
//! where. Never a key. One line for each thing, its parts separated by tabs, so that any later version can read it.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use rundown_protocol::{FormatChoice, Service};

/// What separates lines and parts of lines, and what begins an escape.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');
/// First line; later versions that this one can't read have another number.
const HEAD: &str = "rundown-project\t1";

/// A project on this device.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptProject {
    /// Name of its folder.
    pub id: String,
    /// Name of the project; empty where its runs share none.
    pub name: String,
    /// How many runs it has.
    pub runs: usize,
    /// When it was written, in milliseconds since 1970.
    pub saved_ms: f64,
    /// Where its runs came from, in the order in which they were added.
    pub sources: Vec<KeptSource>,
    /// Formats that the user chose for files, by path.
    pub formats: Vec<(String, FormatChoice)>,
}

/// Where runs came from.
#[derive(Debug, Clone, PartialEq)]
pub enum KeptSource {
    /// Files that were dropped together.
    Files(Vec<KeptFile>),
    /// Runs of a server, without the key.
    Server {
        /// Which kind of server.
        service: Service,
        /// The project's address as the user wrote it.
        address: String,
        /// Address of the API, where it is not the usual one.
        server: String,
        /// Ids of the runs there.
        runs: Vec<String>,
    },
    /// The sample project.
    Sample,
    /// Nothing: the runs with these ids were removed then.
    Removed(Vec<String>),
}

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeptFile {
    /// Its name in the project's folder.
    pub number: u32,
    /// Path as dropped.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub modified_ms: f64,
}

impl KeptProject {
    /// Bytes of its files.
    pub fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).sum()
    }

    /// Its files.
    pub fn files(&self) -> impl Iterator<Item = &KeptFile> {
        self.sources.iter().flat_map(|source| match source {
            KeptSource::Files(files) => files.as_slice(),
            _ => &[],
        })
    }

    /// What the first screen calls it.
    pub fn title(&self) -> &str {
        let first = self.files().next().and_then(|file| file.path.split('/').next());
        match self.name.as_str() {
            "" => first.unwrap_or("runs"),
            name => name,
        }
    }

    /// Gives each file the number under which it is stored already, or a new one. The numbers that are to be written.
    pub fn number_files(&mut self, before: &KeptProject) -> Vec<u32> {
        let mut next = before.files().map(|file| file.number + 1).max().unwrap_or_default();
        let mut fresh = Vec::new();
        let files = self.sources.iter_mut().filter_map(|source| match source {
            KeptSource::Files(files) => Some(files),
            _ => None,
        });
        for file in files.flatten() {
            let same = |known: &&KeptFile| {
                (&known.path, known.bytes, known.modified_ms) == (&file.path, file.bytes, file.modified_ms)
            };
            file.number = match before.files().find(same) {
                Some(known) => known.number,
                None => {
                    fresh.push(next);
                    next += 1;
                    next - 1
                }
            };
        }
        fresh
    }

    /// The text that [`KeptProject::parse`] reads back.
    pub fn text(&self) -> String {
        let mut lines = vec![HEAD.to_owned()];
        lines.push(line("name", &[&self.name]));
        lines.push(line("runs", &[&self.runs.to_string()]));
        lines.push(line("saved", &[&self.saved_ms.to_string()]));
        for source in &self.sources {
            match source {
                KeptSource::Sample => lines.push("sample".to_owned()),
                KeptSource::Removed(runs) => {
                    lines.push(line("removed", &runs.iter().map(String::as_str).collect::<Vec<_>>()));
                }
                KeptSource::Server { service, address, server, runs } => {
                    let mut parts = vec![service_word(*service), address, server];
                    parts.extend(runs.iter().map(String::as_str));
                    lines.push(line("server", &parts));
                }
                KeptSource::Files(files) => {
                    lines.push("files".to_owned());
                    lines.extend(files.iter().map(file_line));
                }
            }
        }
        lines.extend(self.formats.iter().map(|(path, format)| line("format", &[path, format.name()])));
        lines.join("\n")
    }

    /// Reads what was written; `None` for something else. Lines of an unknown kind are passed over.
    pub fn parse(id: &str, text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            return None;
        }
        let mut project = Self { id: id.to_owned(), ..Self::default() };
        for line in lines {
            let mut parts = line.split('\t').map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned());
            let kind = parts.next().unwrap_or_default();
            project.read(&kind, &mut parts);
        }
        Some(project)
    }

    fn read(&mut self, kind: &str, parts: &mut impl Iterator<Item = String>) {
        let mut part = || parts.next().unwrap_or_default();
        match kind {
            "name" => self.name = part(),
            "runs" => self.runs = part().parse().unwrap_or_default(),
            "saved" => self.saved_ms = part().parse().unwrap_or_default(),
            "sample" => self.sources.push(KeptSource::Sample),
            "removed" => self.sources.push(KeptSource::Removed(parts.collect())),
            "files" => self.sources.push(KeptSource::Files(Vec::new())),
            "format" => {
                let path = part();
                self.formats.extend(FormatChoice::from_name(&part()).map(|format| (path, format)));
            }
            "server" => {
                let service = if part() == service_word(Service::Axiom) { Service::Axiom } else { Service::Wandb };
                let (address, server) = (part(), part());
                self.sources.push(KeptSource::Server { service, address, server, runs: parts.collect() });
            }
            "file" => {
                let amount = |text: String| text.parse::<f64>().unwrap_or_default();
                let number = part().parse().unwrap_or_default();
                let (bytes, modified_ms, path) = (amount(part()) as u64, amount(part()), part());
                if let Some(KeptSource::Files(files)) = self.sources.last_mut() {
                    files.push(KeptFile { number, path, bytes, modified_ms });
                }
            }
            _ => {}
        }
    }
}

/// When something was, as people say it.
pub fn days_ago(then_ms: f64, now_ms: f64) -> String {
    match ((now_ms - then_ms) / 86_400_000.0).floor() {
        days if days < 1.0 => "today".to_owned(),
        days if days < 2.0 => "yesterday".to_owned(),
        days => format!("{days} days ago"),
    }
}

fn line(kind: &str, parts: &[&str]) -> String {
    let mut line = kind.to_owned();
    for part in parts {
        line.push('\t');
        line.extend(utf8_percent_encode(part, ESCAPED));
    }
    line
}

fn file_line(file: &KeptFile) -> String {
    let numbers = [file.number.to_string(), file.bytes.to_string(), file.modified_ms.to_string()];
    line("file", &[&numbers[0], &numbers[1], &numbers[2], &file.path])
}

fn service_word(service: Service) -> &'static str {
    match service {
        Service::Wandb => "wandb",
        Service::Axiom => "axiom",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, bytes: u64, modified_ms: f64) -> KeptFile {
        KeptFile { number: 0, path: path.to_owned(), bytes, modified_ms }
    }

    fn project() -> KeptProject {
        KeptProject {
            id: "p1".to_owned(),
            name: "sum\tgrpo 100%".to_owned(),
            runs: 27,
            saved_ms: 1_700_000_000_000.0,
            sources: vec![
                KeptSource::Files(vec![file("a/b\nc.csv", 10, 1.5), file("ü.wandb", 1 << 40, 2.0)]),
                KeptSource::Sample,
                KeptSource::Removed(vec!["a b".to_owned()]),
                KeptSource::Server {
                    service: Service::Axiom,
                    address: "events".to_owned(),
                    server: String::new(),
                    runs: vec!["x,y".to_owned(), "z".to_owned()],
                },
                KeptSource::Files(vec![file("again", 1, 3.0)]),
            ],
            formats: vec![("a/b\nc.csv".to_owned(), FormatChoice::Table)],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let project = project();
        assert_eq!(KeptProject::parse("p1", &project.text()), Some(project));
    }

    #[test]
    fn foreign_texts_are_no_project() {
        for text in ["", "{}", "rundown-project\t2\nname\ta"] {
            assert_eq!(KeptProject::parse("p", text), None, "{text}");
        }
        let odd = KeptProject::parse("p", "rundown-project\t1\nfile\t0\t1\t1\tlost\nfuture\tx\nruns\tmany");
        assert_eq!(odd, Some(KeptProject { id: "p".to_owned(), ..KeptProject::default() }));
    }

    #[test]
    fn files_that_lie_there_are_not_written_again() {
        let mut before = project();
        assert_eq!(before.number_files(&KeptProject::default()), [0, 1, 2]);
        let mut now = before.clone();
        assert!(now.number_files(&before).is_empty());
        assert_eq!(now, before);
        if let Some(KeptSource::Files(files)) = now.sources.first_mut() {
            files[0].bytes += 1;
            files.push(file("new", 1, 1.0));
        }
        assert_eq!(now.number_files(&before), [3, 4]);
        assert_eq!(now.files().map(|file| file.number).collect::<Vec<_>>(), [3, 1, 4, 2]);
    }

    #[test]
    fn a_project_without_a_name_is_called_by_its_folder() {
        let named = KeptProject { name: String::new(), ..project() };
        assert_eq!((project().title(), named.title()), ("sum\tgrpo 100%", "a"));
        assert_eq!(KeptProject::default().title(), "runs");
        assert_eq!(project().bytes(), (1 << 40) + 11);
    }

    #[test]
    fn days_are_counted_in_words() {
        let day = 86_400_000.0;
        assert_eq!([0.5, 1.5, 9.0].map(|days| days_ago(0.0, days * day)), ["today", "yesterday", "9 days ago"]);
    }
}
