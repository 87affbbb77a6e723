//! What can be done on the page, in one table: the words, the keys, and where the keys hold. The keyboard, the palette,
//! the menus and the list of keys are all made of it.

use super::view::View;

/// Something that can be done from anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Opens the palette.
    Palette,
    /// Opens the run below the open one.
    NextRun,
    /// Opens the run above the open one.
    PreviousRun,
    /// Shows a view.
    Show(View),
    /// Puts the cursor into the filter of the run list.
    Filter,
    /// Chooses files.
    AddFiles,
    /// Chooses a folder.
    AddFolder,
    /// Chooses a folder whose files are looked at again and again.
    WatchFolder,
    /// Asks a server for runs.
    Connect,
    /// Copies the address of what is shown.
    CopyLink,
    /// Takes back the last choice.
    Undo,
    /// Takes up again what was taken back.
    Redo,
    /// Switches between light and dark.
    Theme,
    /// Lists every file and its format.
    Files,
    /// Lists what could not be read.
    Problems,
    /// Lists new findings.
    News,
    /// Closes all runs.
    CloseAll,
    /// Lists the keys.
    Help,
    /// Explains how to check that nothing is uploaded.
    Privacy,
}

/// Where keys hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// Everywhere but in a field.
    Page,
    /// While the focus is in the list of runs.
    List,
    /// While the focus is on a chart.
    Chart,
}

/// A line of the list of keys: the keys, separated by spaces, and what they do.
pub type KeyRow = (KeyContext, &'static str, &'static str);

/// Every key, by context.
pub const KEYS: [KeyRow; 27] = [
    (KeyContext::Page, "Ctrl+K", "search, or run a command"),
    (KeyContext::Page, "j k", "next, previous run"),
    (KeyContext::Page, "1 to 9", "the tabs, from the left"),
    (KeyContext::Page, "/", "filter the list of runs"),
    (KeyContext::Page, "o", "add files"),
    (KeyContext::Page, "Ctrl+V", "add copied text as a file, or runs from a copied address"),
    (KeyContext::Page, "Ctrl+Z", "take back the last change of view, filter or zoom"),
    (KeyContext::Page, "Ctrl+Shift+Z", "take it up again"),
    (KeyContext::Page, "t", "light or dark"),
    (KeyContext::Page, "?", "this list"),
    (KeyContext::Page, "Esc", "close what is open, leave a field"),
    (KeyContext::List, "↑ ↓", "previous, next run"),
    (KeyContext::List, "Home End", "first, last run"),
    (KeyContext::List, "Space", "show the run in charts, or hide it"),
    (KeyContext::List, "Shift+click", "show every run from the last one to this one"),
    (KeyContext::List, "Ctrl+click", "show one more run, or hide it"),
    (KeyContext::List, "Alt+click", "show this run alone"),
    (KeyContext::Chart, "← →", "move the cursor; along x where the chart is zoomed"),
    (KeyContext::Chart, "Shift+← Shift+→", "move the cursor where the chart is zoomed"),
    (KeyContext::Chart, "Home End", "cursor to the first, last step"),
    (KeyContext::Chart, "+ −", "zoom in, out"),
    (KeyContext::Chart, "0", "show everything"),
    (KeyContext::Chart, "drag", "zoom to what is marked"),
    (KeyContext::Chart, "Shift+drag", "move along x"),
    (KeyContext::Chart, "wheel", "zoom, with Ctrl held"),
    (KeyContext::Chart, "double-click", "show everything"),
    (KeyContext::Chart, "Esc", "give up a drag"),
];

impl KeyContext {
    /// All contexts, in the order of the list of keys.
    pub const ALL: [KeyContext; 3] = [KeyContext::Page, KeyContext::List, KeyContext::Chart];

    /// The heading above the keys.
    pub fn label(self) -> &'static str {
        match self {
            KeyContext::Page => "Everywhere",
            KeyContext::List => "In the list of runs",
            KeyContext::Chart => "On a chart",
        }
    }
}

impl Command {
    /// What the palette offers, but for the views: those with runs loaded, and without.
    pub fn all(is_loaded: bool) -> Vec<Command> {
        use Command::*;
        let mut commands = vec![AddFiles, AddFolder, WatchFolder, Connect];
        if is_loaded {
            commands.extend([CopyLink, Filter, NextRun, PreviousRun, Undo, Redo, Files, Problems, News, CloseAll]);
        }
        commands.extend([Theme, Help, Privacy]);
        commands
    }

    /// The words for it.
    pub fn label(self) -> &'static str {
        match self {
            Command::Palette => "Search or run a command",
            Command::NextRun => "Next run",
            Command::PreviousRun => "Previous run",
            Command::Show(view) => view.label(),
            Command::Filter => "Filter the list of runs",
            Command::AddFiles => "Add files…",
            Command::AddFolder => "Add a folder…",
            Command::WatchFolder => "Watch a folder…",
            Command::Connect => "Connect to a server…",
            Command::CopyLink => "Copy link to this view",
            Command::Undo => "Undo the last change of view",
            Command::Redo => "Redo",
            Command::Theme => "Light or dark",
            Command::Files => "Files and their formats…",
            Command::Problems => "Problems with files…",
            Command::News => "New findings…",
            Command::CloseAll => "Close all runs",
            Command::Help => "Keys…",
            Command::Privacy => "How to check that nothing is uploaded…",
        }
    }

    /// The keys for it, as the list of keys writes them; empty where there are none.
    pub fn keys(self) -> &'static str {
        match self {
            Command::Palette => "Ctrl+K",
            Command::NextRun => "j",
            Command::PreviousRun => "k",
            Command::Filter => "/",
            Command::AddFiles => "o",
            Command::Undo => "Ctrl+Z",
            Command::Redo => "Ctrl+Shift+Z",
            Command::Theme => "t",
            Command::Help => "?",
            _ => "",
        }
    }

    /// What a key stands for. `is_control` is Ctrl, and ⌘ on a Mac; `views` are those of the tabs.
    pub fn of_key(key: &str, is_control: bool, is_shift: bool, views: &[View]) -> Option<Command> {
        if is_control {
            return match (key.to_ascii_lowercase().as_str(), is_shift) {
                ("k", false) => Some(Command::Palette),
                ("z", false) => Some(Command::Undo),
                ("z", true) | ("y", false) => Some(Command::Redo),
                _ => None,
            };
        }
        match key {
            "j" => Some(Command::NextRun),
            "k" => Some(Command::PreviousRun),
            "/" => Some(Command::Filter),
            "o" => Some(Command::AddFiles),
            "t" => Some(Command::Theme),
            "?" => Some(Command::Help),
            digit => {
                let place = digit.parse::<usize>().ok()?.checked_sub(1)?;
                views.get(place).copied().map(Command::Show)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_commands_are_in_the_list_of_keys() {
        for command in Command::all(true).into_iter().chain([Command::Palette]) {
            let keys = command.keys();
            let is_listed = |row: &&KeyRow| row.0 == KeyContext::Page && row.1.split(' ').any(|key| key == keys);
            assert!(keys.is_empty() || KEYS.iter().any(|row| is_listed(&row)), "{keys}");
        }
    }

    #[test]
    fn keys_do_what_the_list_says() {
        let views = [View::Run, View::Metrics];
        for command in Command::all(true).into_iter().chain([Command::Palette]) {
            let keys = command.keys();
            let (control, rest) = keys.strip_prefix("Ctrl+").map_or((false, keys), |rest| (true, rest));
            let (shift, key) = rest.strip_prefix("Shift+").map_or((false, rest), |rest| (true, rest));
            if !keys.is_empty() {
                assert_eq!(Command::of_key(key, control, shift, &views), Some(command), "{keys}");
            }
        }
        assert_eq!(Command::of_key("2", false, false, &views), Some(Command::Show(View::Metrics)));
        assert_eq!(Command::of_key("3", false, false, &views), None);
        assert_eq!(Command::of_key("0", false, false, &views), None);
        assert_eq!(Command::of_key("c", true, false, &views), None, "the browser's own");
    }
}
