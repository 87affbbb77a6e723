//! The catalogue: one file per check.
//!
//! To add one, write its file with a `CHECK`, and add its line to the catalogue in `code.rs`.

mod cache;
mod config;
mod exploration;
mod extraction;
mod integrity;
mod league;
mod lengths;
mod off_policy;
mod optimiser;
mod pipeline;
mod policy;
mod progress;
mod reward;
mod rubric;
mod scaling;
#[cfg(test)]
pub(crate) mod testing;

use super::Check;
use super::code::catalogue;
pub(super) use integrity::sampled_history::lower_confidence;

macro_rules! checks {
    ($($group:ident $folder:ident { $($variant:ident $file:ident $words:literal,)+ })+) => {
        /// Every check, in the order of the catalogue.
        pub const ALL: &[Check] = &[$($($folder::$file::CHECK,)+)+];
    };
}

catalogue!(checks);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn each_check_finds_the_code_that_it_is_named_for() {
        let codes: Vec<Code> = ALL.iter().map(|check| check.code).collect();
        assert_eq!(codes, Code::ALL);
    }
}
