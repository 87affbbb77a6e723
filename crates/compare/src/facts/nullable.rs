//! Numbers that JSON lacks: reports have `null` in their place, and `null` is read as NaN.

use serde::{Deserialize, Deserializer};

/// Numbers, alone or together, that a report may hold as `null`.
pub trait Nullable: Sized {
    /// The same with `null` allowed.
    type Read: for<'de> Deserialize<'de>;

    /// NaN for `null`.
    fn from_read(read: Self::Read) -> Self;
}

/// Reads numbers; `null` is NaN.
pub fn read<'de, D: Deserializer<'de>, T: Nullable>(source: D) -> Result<T, D::Error> {
    T::Read::deserialize(source).map(T::from_read)
}

impl Nullable for f64 {
    type Read = Option<f64>;

    fn from_read(read: Self::Read) -> Self {
        read.unwrap_or(f64::NAN)
    }
}

impl Nullable for (f64, f64) {
    type Read = (Option<f64>, Option<f64>);

    fn from_read((first, second): Self::Read) -> Self {
        (f64::from_read(first), f64::from_read(second))
    }
}

impl Nullable for [f64; 5] {
    type Read = [Option<f64>; 5];

    fn from_read(read: Self::Read) -> Self {
        read.map(f64::from_read)
    }
}

impl<T: Nullable> Nullable for Vec<T> {
    type Read = Vec<T::Read>;

    fn from_read(read: Self::Read) -> Self {
        read.into_iter().map(T::from_read).collect()
    }
}

impl<T: Nullable> Nullable for Option<T> {
    type Read = Option<T::Read>;

    fn from_read(read: Self::Read) -> Self {
        read.map(T::from_read)
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    struct Odd {
        #[serde(deserialize_with = "super::read")]
        one: f64,
        #[serde(deserialize_with = "super::read")]
        pair: Option<(f64, f64)>,
        #[serde(deserialize_with = "super::read")]
        many: Vec<[f64; 5]>,
    }

    #[test]
    fn null_is_not_a_number() {
        let odd = Odd { one: f64::INFINITY, pair: Some((f64::NAN, 1.0)), many: vec![[0.0, 1.0, f64::NAN, 3.0, 4.0]] };
        let text = serde_json::to_string(&odd).unwrap();
        assert_eq!(text, "{\"one\":null,\"pair\":[null,1.0],\"many\":[[0.0,1.0,null,3.0,4.0]]}");
        let read: Odd = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert!(read.one.is_nan() && read.pair.unwrap().0.is_nan());
        let none: Odd = serde_json::from_str("{\"one\":1,\"pair\":null,\"many\":[]}").unwrap();
        assert_eq!(none, Odd { one: 1.0, pair: None, many: Vec::new() });
    }
}
