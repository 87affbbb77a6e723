//! Where a JSON value that spans several lines ends: by its brackets, without reading it.

/// Counts brackets while lines come.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Balance {
    depth: u64,
    in_string: bool,
    is_escaped: bool,
}

impl Balance {
    /// True when a text was begun and not ended.
    pub(crate) fn is_in_string(&self) -> bool {
        self.in_string
    }

    /// Adds the next bytes; true when they close the last open bracket.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.depth += 1,
                b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::Balance;

    #[test]
    fn a_value_ends_with_its_last_bracket() {
        let mut balance = Balance::default();
        assert!(!balance.add(b"{\n \"a\": \"}\\\"\","));
        assert!(!balance.add(b" \"b\": [1,"));
        assert!(balance.add(b" 2]}"));
    }
}
