//! A private key that a log prints line by line: no line of it says by itself what it is.

use super::blocks::{PUTTY_FIRST, PUTTY_LAST, is_private};

/// Where a log stands between the first and the last line of a private key.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyBlock {
    is_open: bool,
}

impl KeyBlock {
    /// True for a line within a private key, its first and last line among them. Lines come in their order. Whatever a
    /// logger writes before each line does not matter; a line whose last word is no base64 ends a key that was cut.
    pub fn holds(&mut self, line: &str) -> bool {
        let line = line.trim_end();
        if line.contains(PUTTY_FIRST) {
            self.is_open = true;
            return true;
        }
        if let Some(begin) = line.find("---BEGIN ").or_else(|| line.find("--- BEGIN ")) {
            let rest = line.get(begin..).unwrap_or_default().trim_start_matches(['-', ' ']);
            let label = rest.strip_prefix("BEGIN ").and_then(|rest| rest.split('-').next()).unwrap_or_default();
            self.is_open = is_private(label) && !rest.contains("END ");
            return self.is_open;
        }
        if !self.is_open {
            return false;
        }
        let is_end = line.contains("---END ") || line.contains("--- END ") || line.contains(PUTTY_LAST);
        let word = line.rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_body = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='))
            || HEADERS.iter().any(|header| line.contains(header));
        self.is_open = !is_end && is_body;
        self.is_open || is_end
    }
}

/// Lines between the first of a key and its base64.
const HEADERS: [&str; 6] = ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Encryption: ", "-Lines: "];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_hidden_from_its_first_line_to_its_last() {
        let mut block = KeyBlock::default();
        let lines = [
            ("step 1", false),
            ("(Worker) -----BEGIN RSA PRIVATE KEY-----", true),
            ("(Worker) MIIEpAIBAAKC", true),
            ("abcDEF+/==", true),
            ("-----END RSA PRIVATE KEY-----", true),
            ("abcDEF", false),
            ("-----BEGIN CERTIFICATE-----", false),
            ("-----BEGIN PRIVATE KEY-----", true),
            ("MIIE", true),
            ("step:2 - reward:0.5", false),
            ("MIIE", false),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----", true),
            ("Version: GnuPG v2.0 (Linux)", true),
            ("", true),
            ("lQWGBGSVV4YBDAClvRnxezIR", true),
            ("=8xQN", true),
            ("-----END PGP PRIVATE KEY BLOCK-----", true),
            ("PuTTY-User-Key-File-2: ssh-rsa", true),
            ("Comment: me@work", true),
            ("Private-Lines: 14", true),
            ("AAABAQDB", true),
            ("Private-MAC: d2a1", true),
            ("step 2", false),
        ];
        for (line, hidden) in lines {
            assert_eq!(block.holds(line), hidden, "{line}");
        }
    }
}
