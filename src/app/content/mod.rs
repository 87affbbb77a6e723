//! Blocks of a document as elements.
