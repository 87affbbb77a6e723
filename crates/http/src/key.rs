//! API keys that no error text, log or report can show.
//!
//! A key is kept in memory only. It has no `Display`, its `Debug` is redacted, and the only way out is the header
//! made by [`ApiKey::basic`] or [`ApiKey::bearer`].

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use rundown_format::redact;

/// An API key as the user typed it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// The value of an `Authorization` header.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(String);

impl ApiKey {
    /// The key in a pasted text, trimmed; `None` for a blank text.
    ///
    /// Its length and alphabet are not checked: the forms of keys change, and the server decides.
    pub fn new(pasted: &str) -> Option<Self> {
        // A header holds printable ASCII alone, and no key holds anything else.
        let kept: String = pasted.trim().chars().filter(char::is_ascii_graphic).collect();
        (!kept.is_empty()).then_some(Self(kept))
    }

    /// HTTP basic authorization with this key as the password of `user`.
    pub fn basic(&self, user: &str) -> Authorization {
        Authorization(format!("Basic {}", STANDARD.encode(format!("{user}:{}", self.0))))
    }

    /// Bearer authorization.
    pub fn bearer(&self) -> Authorization {
        Authorization(format!("Bearer {}", self.0))
    }

    /// `text` with every copy of the key replaced, for messages of a server, and without other secrets: a server may tell
    /// those of its own.
    pub fn redact(&self, text: &str) -> String {
        let encoded = STANDARD.encode(format!("api:{}", self.0));
        redact(&text.replace(self.0.as_str(), "[key]").replace(&encoded, "[key]")).into_owned()
    }
}

impl Authorization {
    /// The header's value, for the transport alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ApiKey([redacted])")
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Authorization([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_printed() {
        let key = ApiKey::new("  0123abcd\n").unwrap();
        assert_eq!(key.basic("api").expose(), "Basic YXBpOjAxMjNhYmNk");
        assert_eq!(key.bearer().expose(), "Bearer 0123abcd");
        for text in [format!("{key:?}"), format!("{:?}", key.basic("api")), key.redact("bad key 0123abcd")] {
            assert!(!text.contains("0123abcd") && !text.contains("YXBpOjAxMjNhYmNk"), "{text}");
        }
        let redacted = key.redact("no access with 0123abcd; DB_PASSWORD=hunter2");
        assert_eq!(redacted, "no access with [key]; DB_PASSWORD=(redacted)", "a server tells a secret of its own");
        assert_eq!(ApiKey::new(" \n"), None);
        assert_eq!(ApiKey::new("a\r\nX: b").unwrap().bearer().expose(), "Bearer aX:b");
    }
}
