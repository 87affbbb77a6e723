//! The hosts that this page may ask beside its own: those that the user named before it was loaded.
//!
//! `public/early.js` writes them into a content security policy before anything else runs, and forgets them: a policy can be
//! narrowed and never widened, so that another host takes another load (docs/decisions/connect-src.md).

use leptos::prelude::{document, window};
use web_sys::Element;

use super::storage::of_tab;

/// Where early.js looks for them.
const HOSTS: &str = "rundown-hosts";

/// Their origins, with blanks between them; empty where there are none.
pub fn named_hosts() -> String {
    policy().and_then(|policy| policy.get_attribute("data-hosts")).unwrap_or_default()
}

/// Sees to it that there is a narrow policy. Without early.js there would be none; then no host can be asked.
pub fn narrow_policy() {
    if policy().is_some() {
        return;
    }
    let Some((head, policy)) = document().head().zip(document().create_element("meta").ok()) else { return };
    policy.set_id("named-hosts");
    let _ = policy.set_attribute("http-equiv", "Content-Security-Policy");
    let _ = policy.set_attribute("content", "connect-src 'self'");
    let _ = head.append_child(&policy);
}

/// Reloads the page, which may then contact these origins and no others.
///
/// # Errors
/// In words, where the browser has no place in which the names outlast the page.
pub fn load_for(origins: &[String]) -> Result<(), &'static str> {
    const REFUSED: &str = "This browser refuses storage to this page, which needs it to remember the server over a reload. Allow storage for this site.";
    let storage = of_tab().ok_or(REFUSED)?;
    storage.set_item(HOSTS, &origins.join(" ")).map_err(|_| REFUSED)?;
    window().location().reload().map_err(|_| "The page could not reload: reload it yourself, and connect again.")
}

/// True for a page within another one, which could cover it and catch what is typed.
pub fn is_framed() -> bool {
    match window().top() {
        Ok(Some(top)) => top != window(),
        _ => true,
    }
}

fn policy() -> Option<Element> {
    document().get_element_by_id("named-hosts")
}
