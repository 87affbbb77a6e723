//! Cursors of a list: a server that gives one twice would be asked for ever.

use std::collections::BTreeSet;

use super::ApiError;

/// The cursors that one list gave so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursors(BTreeSet<String>);

impl Cursors {
    /// Where the next page begins; none on the last one.
    ///
    /// # Errors
    /// [`ApiError::EndlessList`] for a cursor that was given before.
    pub(crate) fn follow(&mut self, next: Option<String>, operation: &'static str) -> Result<Option<String>, ApiError> {
        match next {
            Some(cursor) if !self.0.insert(cursor.clone()) => Err(ApiError::EndlessList { operation }),
            next => Ok(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_is_an_error() {
        let mut cursors = Cursors::default();
        for next in [Some("a"), Some("b"), None] {
            let next = next.map(str::to_owned);
            assert_eq!(cursors.follow(next.clone(), "Runs"), Ok(next));
        }
        let error = cursors.follow(Some("a".to_owned()), "Runs").unwrap_err();
        assert_eq!(error, ApiError::EndlessList { operation: "Runs" });
    }
}
