//! Charts of the page: canvases, gestures and frames around what [`crate::plot`] draws.
