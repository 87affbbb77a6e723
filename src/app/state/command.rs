//! What can be done from anywhere on the page, and every key: the keyboard, the palette, the menus and the list of keys
//! are made of these two.

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
    /// Undoes the last change of view, filter or zoom.
    Undo,
    /// Redoes what was undone.
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

/// A line of the list of keys.
#[derive(Debug, Clone, Copy)]
pub struct Shortcut {
    /// Where the keys hold.
    pub context: KeyContext,
    /// The keys, separated by spaces.
    pub keys: &'static str,
    /// What they do.
    pub action: &'static str,
    /// The command of each key; none where a part of the page has the keys of its own.
    commands: &'static [Command],
}

/// Every key, by context.
pub const SHORTCUTS: [Shortcut; 27] = [
    shortcut(KeyContext::Page, "Ctrl+K", "search, or run a command", &[Command::Palette]),
    shortcut(KeyContext::Page, "j k", "next, previous run", &[Command::NextRun, Command::PreviousRun]),
    shortcut(KeyContext::Page, "1 to 9", "switch to a tab, from the left", &[]),
    shortcut(KeyContext::Page, "/", "filter the list of runs", &[Command::Filter]),
    shortcut(KeyContext::Page, "o", "add files", &[Command::AddFiles]),
    shortcut(KeyContext::Page, "Ctrl+V", "add copied text as a file, or runs from a copied address", &[]),
    shortcut(KeyContext::Page, "Ctrl+Z", "undo the last change of view, filter or zoom", &[Command::Undo]),
    shortcut(KeyContext::Page, "Ctrl+Shift+Z Ctrl+Y", "redo it", &[Command::Redo, Command::Redo]),
    shortcut(KeyContext::Page, "t", "light or dark", &[Command::Theme]),
    shortcut(KeyContext::Page, "?", "this list", &[Command::Help]),
    shortcut(KeyContext::Page, "Esc", "close the dialog or menu, leave a field", &[]),
    shortcut(KeyContext::List, "↑ ↓", "previous, next run", &[]),
    shortcut(KeyContext::List, "Home End", "first, last run", &[]),
    shortcut(KeyContext::List, "Space", "show the run in charts, or hide it", &[]),
    shortcut(KeyContext::List, "Shift+click", "show the range up to this run", &[]),
    shortcut(KeyContext::List, "Ctrl+click", "show one more run, or hide it", &[]),
    shortcut(KeyContext::List, "Alt+click", "show only this run", &[]),
    shortcut(KeyContext::Chart, "← →", "move the cursor; along x where the chart is zoomed", &[]),
    shortcut(KeyContext::Chart, "Shift+← Shift+→", "move the cursor where the chart is zoomed", &[]),
    shortcut(KeyContext::Chart, "Home End", "cursor to the first, last step", &[]),
    shortcut(KeyContext::Chart, "+ −", "zoom in, out", &[]),
    shortcut(KeyContext::Chart, "0", "reset zoom", &[]),
    shortcut(KeyContext::Chart, "drag", "zoom to the selection", &[]),
    shortcut(KeyContext::Chart, "Shift+drag", "move along x", &[]),
    shortcut(KeyContext::Chart, "wheel", "zoom, with Ctrl held", &[]),
    shortcut(KeyContext::Chart, "double-click", "show everything", &[]),
    shortcut(KeyContext::Chart, "Esc", "cancel the drag", &[]),
];

const fn shortcut(
    context: KeyContext,
    keys: &'static str,
    action: &'static str,
    commands: &'static [Command],
) -> Shortcut {
    Shortcut { context, keys, action, commands }
}

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
            Command::Theme => "Toggle dark theme",
            Command::Files => "Files and their formats…",
            Command::Problems => "Problems with files…",
            Command::News => "New findings…",
            Command::CloseAll => "Close all runs",
            Command::Help => "Keyboard shortcuts…",
            Command::Privacy => "How to check that nothing is uploaded…",
        }
    }

    /// The key for it, as the list of keys writes it; empty where there is none.
    pub fn key(self) -> &'static str {
        keys_of_commands().find(|(_, command)| *command == self).map_or("", |(key, _)| key)
    }

    /// What a key stands for. `is_control` is Ctrl, and ⌘ on a Mac; `views` are those of the tabs.
    pub fn of_key(key: &str, is_control: bool, is_shift: bool, views: &[View]) -> Option<Command> {
        let is_pressed = |written: &str| match written.strip_prefix("Ctrl+") {
            Some(rest) => {
                let (shift, name) = rest.strip_prefix("Shift+").map_or((false, rest), |name| (true, name));
                is_control && shift == is_shift && name.eq_ignore_ascii_case(key)
            }
            None => !is_control && written == key,
        };
        if let Some((_, command)) = keys_of_commands().find(|(written, _)| is_pressed(written)) {
            return Some(command);
        }
        let index = key.parse::<usize>().ok().filter(|_| !is_control)?.checked_sub(1)?;
        views.get(index).copied().map(Command::Show)
    }
}

fn keys_of_commands() -> impl Iterator<Item = (&'static str, Command)> {
    SHORTCUTS.iter().flat_map(|shortcut| shortcut.keys.split(' ').zip(shortcut.commands.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_what_the_list_says() {
        let views = [View::Run, View::Metrics];
        let of_key = |key: &str, is_control, is_shift| Command::of_key(key, is_control, is_shift, &views);
        assert_eq!(of_key("k", false, false), Some(Command::PreviousRun));
        assert_eq!(of_key("K", true, false), Some(Command::Palette), "with the lock of capitals");
        assert_eq!(of_key("K", false, true), None);
        assert_eq!(of_key("?", false, true), Some(Command::Help));
        assert_eq!(of_key("z", true, false), Some(Command::Undo));
        assert_eq!([("Z", true), ("y", false)].map(|(key, shift)| of_key(key, true, shift)), [Some(Command::Redo); 2]);
        assert_eq!(of_key("2", false, false), Some(Command::Show(View::Metrics)));
        assert_eq!([of_key("3", false, false), of_key("0", false, false)], [None; 2]);
        assert_eq!([of_key("c", true, false), of_key("1", true, false)], [None; 2], "the browser's own");
    }

    #[test]
    fn a_command_has_the_first_of_its_keys() {
        assert_eq!([Command::Redo.key(), Command::NextRun.key(), Command::News.key()], ["Ctrl+Shift+Z", "j", ""]);
    }
}
