//! An API key that no error text, log or report can show.
//!
//! It lives in memory alone. It has no `Display`, its `Debug` says nothing, and it leaves through one door: the
//! header made by [`Key::basic`] or [`Key::bearer`].

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A secret that a user typed in.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// The value of an `Authorization` header.
#[derive(Clone, PartialEq, Eq)]
pub struct Authorization(String);

impl Key {
    /// The key in what was pasted, without the blanks around it; `None` when that is nothing.
    ///
    /// Its length and letters are not judged: the forms of keys change, and the server knows.
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

    /// `text` with every copy of the key taken out, for what a server says.
    pub fn redact(&self, text: &str) -> String {
        let encoded = STANDARD.encode(format!("api:{}", self.0));
        text.replace(self.0.as_str(), "[key]").replace(&encoded, "[key]")
    }
}

impl Authorization {
    /// The header's value, for the transport alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Key([redacted])")
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
        let key = Key::new("  0123abcd\n").unwrap();
        assert_eq!(key.basic("api").expose(), "Basic YXBpOjAxMjNhYmNk");
        assert_eq!(key.bearer().expose(), "Bearer 0123abcd");
        for text in [format!("{key:?}"), format!("{:?}", key.basic("api")), key.redact("bad key 0123abcd")] {
            assert!(!text.contains("0123abcd") && !text.contains("YXBpOjAxMjNhYmNk"), "{text}");
        }
        assert_eq!(Key::new(" \n"), None);
        assert_eq!(Key::new("a\r\nX: b").unwrap().bearer().expose(), "Bearer aX:b");
    }
}
