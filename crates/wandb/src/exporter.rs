//! Scripts for users whose server does not let a page read its answers.
//!
//! Both are short enough to be read before they are run, need no key in them (W&B's own login is used), and are run
//! for real by the tests.

use super::reference::Reference;

const EXPORTER: &str = include_str!("exporter.py");
const PROXY: &str = include_str!("proxy.py");

/// A Python script that writes one file per run, to be dropped on the page. It needs the `wandb` package and the login
/// that it keeps.
pub fn exporter_script(reference: &Reference) -> String {
    let run = reference.run().map_or_else(|| "None".to_owned(), |run| python_text(&run.id));
    let project = reference.project.as_deref().unwrap_or("PROJECT");
    EXPORTER
        .replace("__BASE_URL__", &python_text(&reference.base_url))
        .replace("__ENTITY__", &python_text(&reference.entity))
        .replace("__PROJECT__", &python_text(project))
        .replace("__RUN__", &run)
}

/// A proxy in Python's standard library that runs on the user's own machine: it forwards `/graphql` and `/files` to the
/// server and allows `origin`, where this page lies, to read the answers. Its address then is the base URL.
pub fn proxy_script(base_url: &str, origin: &str) -> String {
    PROXY.replace("__BASE_URL__", &python_text(base_url)).replace("__ORIGIN__", &python_text(origin))
}

/// A Python literal for any text: nothing in it can end the string.
fn python_text(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            ' ' | '!' | '#'..='[' | ']'..='~' => literal.push(character),
            other => {
                let code = format!("\\U{:08x}", u32::from(other));
                literal.push_str(&code);
            }
        }
    }
    literal.push('"');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(python_text("a/b-1 ö"), r#""a/b-1 \U000000f6""#);
        assert_eq!(python_text("\"; import os #\\\n"), r#""\U00000022; import os #\U0000005c\U0000000a""#);
    }

    #[test]
    fn scripts_are_filled_in() {
        let script = exporter_script(&Reference::parse("https://wandb.ai/e/p/runs/r1").unwrap());
        for line in [r#"ENTITY, PROJECT, RUN = "e", "p", "r1""#, r#"BASE_URL = "https://api.wandb.ai""#] {
            assert!(script.contains(line), "{script}");
        }
        assert!(exporter_script(&Reference::parse("e/p").unwrap()).contains(r#""e", "p", None"#));
        let proxy = proxy_script("https://api.wandb.ai", "https://page.example");
        assert!(proxy.contains("127.0.0.1") && !proxy.contains("__"), "{proxy}");
    }
}
