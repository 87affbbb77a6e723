//! Why files could not be kept on this device, or read from it.

use std::fmt;

use rundown_format::bytes;

/// Why files could not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeepError {
    /// The page has no storage for files.
    NoStorage,
    /// The browser gives a page storage and no way to write to it.
    ReadOnly,
    /// The disk, or the browser's share of it, is full.
    StorageFull,
    /// A file has changed or is gone.
    FileChanged,
    /// All projects together would take more than is kept.
    TooLarge {
        /// Bytes that they would take.
        total: u64,
        /// Most bytes that are kept.
        most: u64,
    },
    /// Anything else that the browser refuses, by the name of its exception; empty where it has none.
    Refused(String),
}

impl KeepError {
    /// The error that an exception of the browser stands for, by its name.
    pub fn of_exception(name: &str) -> Self {
        match name {
            "QuotaExceededError" => Self::StorageFull,
            "NotReadableError" | "NotFoundError" => Self::FileChanged,
            "TypeError" => Self::ReadOnly,
            name => Self::Refused(name.to_owned()),
        }
    }
}

impl fmt::Display for KeepError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStorage => out.write_str("this browser does not let a page store files."),
            Self::ReadOnly => out.write_str("this browser can't write files for a page."),
            Self::StorageFull => out.write_str("the browser's storage is full. Forget a project on the first screen."),
            Self::FileChanged => out.write_str("a file has changed or is gone since it was added."),
            Self::TooLarge { total, most } => write!(
                out,
                "together with what is already stored they would take {}; the limit is {}. Forget a project on the first \
                 screen.",
                bytes(*total),
                bytes(*most)
            ),
            Self::Refused(name) if name.is_empty() => out.write_str("the browser refused."),
            Self::Refused(name) => write!(out, "the browser refused ({name})."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_of_the_browser_have_words() {
        let words = |name: &str| KeepError::of_exception(name).to_string();
        assert_eq!(words("QuotaExceededError"), "the browser's storage is full. Forget a project on the first screen.");
        assert_eq!(words("NotFoundError"), "a file has changed or is gone since it was added.");
        assert_eq!(words("SecurityError"), "the browser refused (SecurityError).");
        assert_eq!(words(""), "the browser refused.");
    }

    #[test]
    fn too_much_is_told_in_bytes() {
        let words = KeepError::TooLarge { total: 3_000_000_000, most: 2_000_000_000 }.to_string();
        assert!(words.contains(&bytes(3_000_000_000)) && words.contains(&bytes(2_000_000_000)), "{words}");
    }
}
