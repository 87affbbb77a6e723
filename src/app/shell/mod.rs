//! What is around the views: the bar on top, the first screen, the ways in for files, the keyboard, and the tray at the
//! foot of the window.

mod autosave;
mod drop_target;
mod early;
mod file_choosers;
mod first_screen;
mod follow;
mod kept_list;
mod keyboard;
mod paste;
mod pasted;
mod progress_bar;
mod progress_words;
mod tabs;
mod top_bar;
mod tray;
mod typing;
mod update;
mod window_title;

pub use drop_target::DropTarget;
pub use early::{leave_static_page, take_early};
pub use file_choosers::FileChoosers;
pub use first_screen::FirstScreen;
pub use keyboard::Keyboard;
pub use top_bar::TopBar;
pub use tray::Tray;
pub use window_title::WindowTitle;
