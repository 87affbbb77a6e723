//! What a user pastes to name runs: any address of W&B's site, or `entity/project/run`.

/// Where the API lives unless the reference says otherwise.
pub const DEFAULT_BASE_URL: &str = "https://api.wandb.ai";

/// Where W&B keeps the files of runs. A team may have a bucket of its own, whose host is known once a run names it.
const FILES_OF_WANDB: &str = "https://storage.googleapis.com";

/// Names of pages below a project that are not run ids.
const PROJECT_PAGES: [&str; 14] = [
    "workspace", "table", "overview", "runs", "groups", "sweeps", "reports", "artifacts", "jobs", "settings", "users",
    "automations", "weave", "panel",
];
/// First path elements of the site that are no entity.
const SITE_PAGES: [&str; 10] =
    ["authorize", "home", "login", "site", "settings", "signup", "profile", "fully-connected", "docs", "graphql"];

/// What was pasted, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Base of the API, without a slash at the end, such as `https://api.wandb.ai`.
    pub base_url: String,
    /// User or team.
    pub entity: String,
    /// Project; none when only an entity was named.
    pub project: Option<String>,
    /// Which part of the project.
    pub what: What,
}

/// Which part of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// All of it: the user chooses.
    Project,
    /// One run, by id.
    Run(String),
    /// The runs of a group.
    Group(String),
    /// The runs of a sweep.
    Sweep(String),
    /// A report: its runs are not known from the address, so that this is the project.
    Report(String),
}

/// One run's full name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRef {
    /// User or team.
    pub entity: String,
    /// Project.
    pub project: String,
    /// Run id (W&B's `name`), as in the run's address.
    pub id: String,
}

impl RunRef {
    /// `entity/project/runs/id`.
    pub fn path(&self) -> String {
        format!("{}/{}/runs/{}", self.entity, self.project, self.id)
    }
}

/// Why a reference could not be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadReference {
    /// Nothing there.
    #[error("Nothing was pasted. Paste the address of a run or a project, or entity/project.")]
    Empty,
    /// No entity and project in it.
    #[error("No project found in this. Paste the URL of a run or a project, or entity/project.")]
    NoProject,
    /// Not http or https.
    #[error("Only http and https addresses are read.")]
    Scheme,
    /// An address with a user name or password in it.
    #[error("The address holds a user name or a password. Take it out, and give the key in its own field.")]
    Credentials,
}

impl Reference {
    /// Reads what was pasted.
    ///
    /// # Errors
    /// Says what to paste instead.
    pub fn parse(pasted: &str) -> Result<Self, BadReference> {
        let text = pasted.trim().trim_matches(['<', '>', '"', '\'']);
        if text.is_empty() {
            return Err(BadReference::Empty);
        }
        let text = text.split(['?', '#']).next().unwrap_or_default();
        let (base_url, path) = match text.split_once("://") {
            Some((scheme, rest)) => {
                if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
                    return Err(BadReference::Scheme);
                }
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                if host.contains('@') {
                    return Err(BadReference::Credentials);
                }
                (base_of(&scheme.to_ascii_lowercase(), &host.to_ascii_lowercase()), path)
            }
            None => match text.split_once('/') {
                // `wandb.ai/e/p`, as browsers show addresses.
                Some((host, path)) if is_bare_host(host) => {
                    let is_local = host.starts_with("localhost") || host.starts_with("127.");
                    (base_of(if is_local { "http" } else { "https" }, &host.to_ascii_lowercase()), path)
                }
                _ => (DEFAULT_BASE_URL.to_owned(), text),
            },
        };
        let parts: Vec<String> = path.split('/').filter(|part| !part.is_empty()).map(percent_decoded).collect();
        let mut parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        // W&B under CoreWeave's site, and the list of a user's projects.
        if matches!(parts.as_slice(), ["wandb", _, ..]) && is_forge(&base_url) {
            parts.remove(0);
        }
        let (entity, rest) = parts.split_first().ok_or(BadReference::NoProject)?;
        if SITE_PAGES.contains(entity) {
            return Err(BadReference::NoProject);
        }
        let (project, rest) = match rest.split_first() {
            Some((&"projects", _)) | None => (None, &[][..]),
            Some((project, rest)) => (Some((*project).to_owned()), rest),
        };
        Ok(Self { base_url, entity: (*entity).to_owned(), project, what: what(rest) })
    }

    /// Where the server keeps the files of its runs, if that is known; its own host needs no mention.
    pub fn file_host(&self) -> Option<&'static str> {
        (self.base_url == DEFAULT_BASE_URL).then_some(FILES_OF_WANDB)
    }

    /// The same with another API base, for self-hosted servers and proxies.
    pub fn with_base_url(mut self, base_url: &str) -> Self {
        let trimmed = base_url.trim().trim_end_matches('/');
        if !trimmed.is_empty() {
            self.base_url = trimmed.to_owned();
        }
        self
    }

    /// The run, when the reference names one.
    pub fn run(&self) -> Option<RunRef> {
        match (&self.what, &self.project) {
            (What::Run(id), Some(project)) => {
                Some(RunRef { entity: self.entity.clone(), project: project.clone(), id: id.clone() })
            }
            _ => None,
        }
    }
}

/// What the path below the project names.
fn what(rest: &[&str]) -> What {
    match rest {
        ["runs", id, ..] => What::Run((*id).to_owned()),
        ["groups" | "group", group, ..] => What::Group((*group).to_owned()),
        ["sweeps", sweep, ..] => What::Sweep((*sweep).to_owned()),
        ["reports", report, ..] => What::Report((*report).to_owned()),
        [page, ..] if PROJECT_PAGES.contains(page) => What::Project,
        [id] => What::Run((*id).to_owned()),
        [id, page, ..] if matches!(*page, "overview" | "logs" | "files" | "system" | "workspace" | "artifacts") => {
            What::Run((*id).to_owned())
        }
        _ => What::Project,
    }
}

/// The API of a site's host: its own host for self-hosted servers.
fn base_of(scheme: &str, host: &str) -> String {
    match host {
        "wandb.ai" | "www.wandb.ai" | "app.wandb.ai" | "api.wandb.ai" => DEFAULT_BASE_URL.to_owned(),
        "forge.coreweave.com" | "www.forge.coreweave.com" | "api.forge.coreweave.com" => {
            "https://api.forge.coreweave.com".to_owned()
        }
        other => format!("{scheme}://{other}"),
    }
}

fn is_forge(base_url: &str) -> bool {
    base_url == "https://api.forge.coreweave.com"
}

/// Entities may hold no dot, hosts do.
fn is_bare_host(text: &str) -> bool {
    let host = text.split(':').next().unwrap_or_default();
    (host.contains('.') || host == "localhost") && !host.starts_with('.') && !host.ends_with('.')
}

/// Undoes `%20` and the like; what is broken stays as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = match (byte, after) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                digit(*high).zip(digit(*low)).map(|(high, low)| (high * 16 + low) as u8)
            }
            _ => None,
        };
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, String, Option<String>, What) {
        let read = Reference::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        (read.base_url, read.entity, read.project, read.what)
    }

    #[test]
    fn every_page_of_the_site_names_its_project() {
        let run = What::Run("a1b2".to_owned());
        for (text, what) in [
            ("https://wandb.ai/e/p/runs/a1b2?nw=nwuser", run.clone()),
            ("https://wandb.ai/e/p/runs/a1b2/overview", run.clone()),
            ("http://wandb.ai/e/p/a1b2", run.clone()),
            ("wandb.ai/e/p/runs/a1b2#x", run.clone()),
            ("e/p/a1b2", run.clone()),
            ("/e/p/runs/a1b2/", run.clone()),
            ("  https://app.wandb.ai/e/p \n", What::Project),
            ("https://api.wandb.ai/e/p/workspace?nw=x", What::Project),
            ("https://wandb.ai/e/p/table", What::Project),
            ("https://wandb.ai/e/p/groups/my%20group/workspace", What::Group("my group".to_owned())),
            ("https://wandb.ai/e/p/sweeps/s1", What::Sweep("s1".to_owned())),
            ("https://wandb.ai/e/p/reports/Title--Vmlldzo1", What::Report("Title--Vmlldzo1".to_owned())),
            ("e/p", What::Project),
        ] {
            let found = parts(text);
            assert_eq!(found, (DEFAULT_BASE_URL.into(), "e".into(), Some("p".into()), what), "{text}");
        }
        assert_eq!(parts("https://wandb.ai/e/projects").2, None);
        assert_eq!(parts("e").2, None);
    }

    #[test]
    fn other_hosts_are_their_own_api() {
        let forge = parts("https://forge.coreweave.com/wandb/e/p/runs/r");
        assert_eq!((forge.0.as_str(), forge.1.as_str()), ("https://api.forge.coreweave.com", "e"));
        assert_eq!(parts("https://Wandb.Corp.example:8443/e/p/runs/r").0, "https://wandb.corp.example:8443");
        assert_eq!(parts("http://localhost:8080/e/p").0, "http://localhost:8080");
        assert_eq!(parts("localhost:8080/e/p").0, "http://localhost:8080");
        let proxied = Reference::parse("e/p").unwrap().with_base_url(" http://localhost:9000/ ");
        assert_eq!(proxied.base_url, "http://localhost:9000");
    }

    #[test]
    fn what_names_no_project_says_what_to_paste() {
        for text in
            ["", "  ", "https://wandb.ai", "https://wandb.ai/authorize", "ftp://wandb.ai/e/p", "https://u:p@h/e/p"]
        {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
        assert_eq!(parts("e/p%2").2.as_deref(), Some("p%2"));
    }
}
