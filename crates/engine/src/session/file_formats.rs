//! Formats of files as the page knows them.

use rundown_protocol::{FormatChoice, FormatMark};
use rundown_run::FileFormat;

/// What a file was taken for.
pub(super) fn format_mark(format: FileFormat) -> FormatMark {
    match format {
        FileFormat::Ignored => FormatMark::Ignored(format.name().to_owned()),
        format => match FormatChoice::ALL.iter().find(|choice| chosen_format(**choice) == format) {
            Some(choice) => FormatMark::Choice(*choice),
            None => FormatMark::Other(format.name().to_owned()),
        },
    }
}

/// The format that the user chose.
pub(super) fn chosen_format(choice: FormatChoice) -> FileFormat {
    match choice {
        FormatChoice::Table => FileFormat::Table,
        FormatChoice::JsonLines => FileFormat::JsonLines,
        FormatChoice::JsonDocument => FileFormat::JsonDocument,
        FormatChoice::ConsoleLog => FileFormat::ConsoleLog,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_name_of_its_format() {
        for choice in FormatChoice::ALL {
            assert_eq!(choice.name(), chosen_format(*choice).name());
        }
        for format in FileFormat::ALL {
            assert_eq!(format_mark(*format).words(), format.name());
        }
    }
}
