//! What holds for every figure, for the tests of their makers.

use proptest::prelude::*;

use crate::text_width;
use rundown_content::{Anchor, Figure, Shape};

/// Numbers as they come from broken runs.
pub(super) fn hostile() -> impl Strategy<Value = Vec<f64>> {
    let odd = prop_oneof![
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(0.0),
        Just(-1.0),
        Just(1e308),
        Just(-1e308),
        Just(1e-320),
        Just(1e-8),
    ];
    prop::collection::vec(prop_oneof![odd, -10.0..10.0f64, any::<f64>()], 0..30)
}

/// The words of a figure.
pub(super) fn texts(figure: &Figure) -> Vec<&str> {
    let mut found = Vec::new();
    for shape in &figure.shapes {
        if let Shape::Words { text, .. } = shape {
            found.push(text.as_str());
        }
    }
    found
}

/// Fails unless every coordinate lies in the figure, no words overlap, and there is a summary.
#[track_caller]
pub(super) fn assert_sound(figure: &Figure) {
    let inside = |x: f32, y: f32| {
        let slack = 1.5;
        let fits = (-slack..=figure.width + slack).contains(&x) && (-slack..=figure.height + slack).contains(&y);
        assert!(fits, "({x}, {y}) of {} x {}", figure.width, figure.height);
    };
    assert!(figure.width > 0.0 && figure.height > 0.0 && figure.height < 4000.0, "{}", figure.height);
    assert!(figure.summary.ends_with('.') && figure.summary.len() < 6000, "{}", figure.summary);
    let mut boxes: Vec<([f64; 4], &str)> = Vec::new();
    for shape in &figure.shapes {
        match shape {
            Shape::Line { points, .. } => {
                for (x, y) in points {
                    assert_eq!(x.is_nan(), y.is_nan());
                    if !x.is_nan() {
                        inside(*x, *y);
                    }
                }
            }
            Shape::Area { points, .. } => points.iter().for_each(|(x, y)| inside(*x, *y)),
            Shape::Rectangle { x, y, width, height, .. } => {
                inside(*x, *y);
                inside(x + width, y + height);
            }
            Shape::Dot { x, y, radius, .. } => {
                inside(*x, *y);
                assert!(*radius > 0.0);
            }
            Shape::Words { x, y, anchor, text, .. } => {
                let width = text_width(text, Figure::TEXT_SIZE);
                let left = f64::from(*x)
                    - match anchor {
                        Anchor::Start => 0.0,
                        Anchor::Middle => width / 2.0,
                        Anchor::End => width,
                    };
                inside(left as f32, *y);
                inside((left + width) as f32, *y);
                assert!(!text.chars().any(char::is_control), "{text:?}");
                let here = [left, f64::from(*y) - 8.5, left + width, f64::from(*y) + 1.5];
                for (other, words) in &boxes {
                    let apart =
                        here[0] >= other[2] || other[0] >= here[2] || here[1] >= other[3] || other[1] >= here[3];
                    assert!(apart, "{text:?} at {here:?} overlaps {words:?} at {other:?}");
                }
                boxes.push((here, text));
            }
        }
    }
}
