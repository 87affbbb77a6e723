//! Whether what stands in the form names something that a server can be asked for, and which server that is.

use rundown_protocol::{QueryField, ServerQuery, Service};

/// First parts of addresses on W&B's site that are no entity.
const SITE_PAGES: [&str; 8] = ["authorize", "home", "login", "site", "settings", "signup", "profile", "docs"];

/// What is wrong with an address; `None` for one that can be asked for.
pub fn complaint(service: Service, address: &str) -> Option<&'static str> {
    let address = address.trim();
    match service {
        Service::Axiom => address.is_empty().then_some("Enter the name of a dataset."),
        Service::Wandb if address.is_empty() => {
            Some("Enter a project as entity/project, or paste the URL of a project or a run.")
        }
        Service::Wandb => (!names_project(address)).then_some(
            "No project found in this. Enter entity/project, or paste the URL of a project or a run, such as \
             https://wandb.ai/entity/project.",
        ),
    }
}

/// The server that a query asks, by which a key that was stored for it is told from the key of another one. The same server
/// may be written in two ways: then its key is typed again.
pub fn server_of(query: &ServerQuery) -> String {
    let server = query.field(QueryField::Server).trim_end_matches('/');
    match query.service {
        Service::Axiom => format!("axiom {server}"),
        Service::Wandb if !server.is_empty() => format!("wandb {server}"),
        Service::Wandb => {
            let (scheme, host, _) = parts(query.field(QueryField::Address));
            let host = host.to_ascii_lowercase();
            let is_usual = matches!(host.as_str(), "" | "wandb.ai" | "www.wandb.ai" | "app.wandb.ai" | "api.wandb.ai");
            if is_usual { "wandb ".to_owned() } else { format!("wandb {scheme}{host}") }
        }
    }
}

/// Scheme, host and path of an address; the first two are empty where it has none.
fn parts(address: &str) -> (&str, &str, &str) {
    let address = address.trim_matches(['<', '>', '"', '\'']);
    let address = address.split(['?', '#']).next().unwrap_or_default();
    match address.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            (scheme, host, path)
        }
        None => match address.split_once('/') {
            Some((host, path)) if is_host(host) => ("", host, path),
            _ => ("", "", address),
        },
    }
}

fn names_project(address: &str) -> bool {
    let (_, host, path) = parts(address);
    if path.contains(char::is_whitespace) {
        return false;
    }
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    // W&B within the site of its owner.
    if parts.first() == Some(&"wandb") && host.contains("coreweave") {
        parts.remove(0);
    }
    matches!(parts.as_slice(), [entity, project, ..] if !SITE_PAGES.contains(entity) && *project != "projects")
}

fn is_host(text: &str) -> bool {
    text.starts_with("localhost") || text.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_and_runs_can_be_asked_for() {
        for address in [
            "corpus/tiny-grpo",
            " https://wandb.ai/corpus/tiny-grpo ",
            "https://wandb.ai/corpus/tiny-grpo/runs/abc?nw=1",
            "wandb.ai/corpus/tiny-grpo/workspace",
            "localhost:8080/corpus/tiny-grpo",
        ] {
            assert_eq!(complaint(Service::Wandb, address), None, "{address}");
        }
        assert_eq!(complaint(Service::Axiom, "events"), None);
    }

    #[test]
    fn anything_else_is_refused_with_a_sentence() {
        for address in [
            "",
            "  ",
            "corpus",
            "not a project/at all",
            "https://wandb.ai/home",
            "https://wandb.ai/corpus/projects",
            "wandb.ai/corpus",
        ] {
            assert!(complaint(Service::Wandb, address).is_some_and(|words| words.ends_with('.')), "{address}");
        }
        assert!(complaint(Service::Axiom, " ").is_some());
    }

    #[test]
    fn a_key_belongs_to_one_server() {
        let of = |service, address: &str, server: &str| {
            let mut query = ServerQuery { service, ..ServerQuery::default() };
            query.write(QueryField::Address, address.to_owned());
            query.write(QueryField::Server, server.to_owned());
            server_of(&query)
        };
        let usual = of(Service::Wandb, "a/b", "");
        for same in ["", "c/d", "https://wandb.ai/a/b/runs/c", "wandb.ai/a/b"] {
            assert_eq!(of(Service::Wandb, same, ""), usual, "{same}");
        }
        let others = [
            of(Service::Wandb, "https://wandb.example/a/b", ""),
            of(Service::Wandb, "http://wandb.example/a/b", ""),
            of(Service::Wandb, "localhost:8080/a/b", ""),
            of(Service::Wandb, "a/b", "https://proxy.example"),
            of(Service::Axiom, "a/b", ""),
            of(Service::Axiom, "a/b", "https://proxy.example"),
        ];
        for (place, other) in others.iter().enumerate() {
            assert!(*other != usual && !others[..place].contains(other), "{other}");
        }
        assert_eq!(of(Service::Wandb, "https://x.example/a/b", "https://proxy.example/"), others[3]);
    }
}
