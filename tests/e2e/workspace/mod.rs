//! The page as a workspace: its widths, and what people without a mouse or with a screen reader find.

mod accessibility;
mod every_view;
mod widths;
