//! Files around files: archives, compression, and text encodings. What is inside is read as if it had been dropped.

pub(crate) mod gzip;
pub(crate) mod tar;
pub(crate) mod utf16;
pub(crate) mod zip;
