//! The page as a workspace: its set of runs and its links, its widths, and what people without a mouse or with a screen
//! reader find.

mod accessibility;
mod charts;
mod every_view;
mod histograms;
mod keyboard;
mod links;
mod loading;
mod offline;
mod openings;
mod palette;
mod reload;
mod run_set;
mod sharing;
mod widths;
