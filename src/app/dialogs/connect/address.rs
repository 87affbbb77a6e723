//! Whether what stands in the form names something that a server can be asked for.

use rundown_protocol::Service;

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

fn names_project(address: &str) -> bool {
    let address = address.trim_matches(['<', '>', '"', '\'']);
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None => match address.split_once('/') {
            Some((host, path)) if is_host(host) => (host, path),
            _ => ("", address),
        },
    };
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
}
