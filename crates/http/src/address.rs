//! Hosts and origins of addresses, as far as it takes to say and to check who is asked.

/// Host and port of an absolute address; `None` for a relative one, and for one that holds what no host does.
pub fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("//")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit('@').next()?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
    (!host.is_empty() && host.bytes().all(is_host)).then_some(host)
}

/// The origin of an address that a page may be allowed to ask, such as `https://api.wandb.ai`: over https, or on this
/// machine. `None` for any other, and for one with a user name in it.
pub fn origin_of(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, _) = url.split_once("://")?;
    let host = host_of(url).filter(|host| url.get(scheme.len() + 3..).is_some_and(|rest| rest.starts_with(host)))?;
    let name = host.split(':').next()?;
    let is_local = name.eq_ignore_ascii_case("localhost") || name == "127.0.0.1";
    let is_named = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
    let is_secure = scheme.eq_ignore_ascii_case("https") || (scheme.eq_ignore_ascii_case("http") && is_local);
    (is_secure && is_named).then(|| format!("{scheme}://{host}").to_ascii_lowercase())
}

/// True for an address at an origin.
pub fn is_at(url: &str, origin: &str) -> bool {
    let (Some(start), Some(rest)) = (url.get(..origin.len()), url.get(origin.len()..)) else { return false };
    start.eq_ignore_ascii_case(origin) && (rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_named_has_an_origin() {
        for (url, origin) in [
            ("https://API.wandb.ai/graphql?x", Some("https://api.wandb.ai")),
            ("http://localhost:8080", Some("http://localhost:8080")),
            ("HTTP://127.0.0.1:9/x", Some("http://127.0.0.1:9")),
            ("http://wandb.example", None),
            ("https://user@wandb.example", None),
            ("https://*.example", None),
            ("https://a;script-src/x", None),
            ("https://a b", None),
            ("ftp://a", None),
            ("api.wandb.ai", None),
            ("https:///x", None),
        ] {
            assert_eq!(origin_of(url).as_deref(), origin, "{url}");
        }
    }

    #[test]
    fn an_origin_is_no_beginning_of_another_host() {
        let origin = "https://api.wandb.ai";
        assert!(is_at("https://api.wandb.ai/graphql", origin) && is_at("https://API.wandb.ai", origin));
        for url in
            ["https://api.wandb.ai.evil.example/", "https://api.wandb.ai@evil.example/", "http://api.wandb.ai/", ""]
        {
            assert!(!is_at(url, origin), "{url}");
        }
    }
}
