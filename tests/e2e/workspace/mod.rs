//! The page as a workspace: its set of runs and its links, its widths, and what people without a mouse or with a screen
//! reader find.

mod accessibility;
mod every_view;
mod links;
mod run_set;
mod widths;
