//! Checks of prefix and prompt caches.

pub mod cache_disabled;
pub mod cache_hit_rate_low;
pub mod cache_hot_but_slow;
pub mod cache_not_warming;
