//! A list of numbers that two columns may hold at once, until one of them changes it. `Arc<Vec>` alone would ask its
//! counters at each number that is read (docs/decisions/shared-columns.md).

use std::ops::Deref;
use std::sync::Arc;

/// Numbers, owned or held together with others.
#[derive(Debug, Clone)]
pub(super) enum List<T> {
    Own(Vec<T>),
    Shared(Arc<Vec<T>>),
}

impl<T: Clone> List<T> {
    /// Lets clones from now on hold the same numbers.
    pub(super) fn share(&mut self) {
        if let Self::Own(list) = self {
            *self = Self::Shared(Arc::new(std::mem::take(list)));
        }
    }

    /// True when both are known to be equal because they hold the same numbers.
    pub(super) fn is_shared_with(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Shared(one), Self::Shared(other)) if Arc::ptr_eq(one, other))
    }

    /// The numbers, to be changed for this holder alone.
    #[inline]
    pub(super) fn own(&mut self) -> &mut Vec<T> {
        if let Self::Shared(_) = self {
            self.unshare();
        }
        match self {
            Self::Own(list) => list,
            // Not reached: it was made an own one.
            Self::Shared(list) => Arc::make_mut(list),
        }
    }

    #[cold]
    fn unshare(&mut self) {
        if let Self::Shared(list) = self {
            *self = Self::Own(Arc::unwrap_or_clone(std::mem::take(list)));
        }
    }
}

/// True when both hold the same bits: NaN is itself.
pub(super) fn is_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().map(|value| value.to_bits()).eq(other.iter().map(|value| value.to_bits()))
}

impl<T> Deref for List<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        match self {
            Self::Own(list) => list,
            Self::Shared(list) => list,
        }
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        Self::Own(list)
    }
}

impl<T: Clone + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_shared_with(other) || **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_list_is_copied_when_it_changes() {
        let mut list = List::from(vec![1, 2]);
        list.own().push(3);
        assert!(!list.clone().is_shared_with(&list));
        list.share();
        let mut other = list.clone();
        assert!(other.is_shared_with(&list) && other == list);
        other.own().push(4);
        assert!(!other.is_shared_with(&list));
        assert_eq!((list.len(), other.len()), (3, 4));
    }
}
