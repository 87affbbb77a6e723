//! Points of a curve in the order of their places.

/// Sorts points by place; those of one place keep their order. One function for all who have such points: the code of a sort
/// is compiled anew wherever it stands (docs/decisions/compact-sort.md).
pub fn sort_points(points: &mut [(f64, f64)]) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
}
