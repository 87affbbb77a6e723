//! Costs over sizes, both relative to the smallest input, on logarithmic axes: a cost that is proportional to its input lies on
//! the diagonal.

use plotters::prelude::*;

use crate::support::measurements::Scaling;

const SIZE: (u32, u32) = (900, 480);
/// Of the names at the right.
const LINE_PX: i32 = 20;
/// The sizes end at 16 times the smallest; the names stand behind them.
const LARGEST: f64 = 16.0;
const LARGEST_COST: f64 = 64.0;

/// The chart as SVG, the steepest lines named first. What cannot be drawn is left out.
pub fn svg(scalings: &[Scaling]) -> String {
    let mut text = String::new();
    let mut scalings: Vec<&Scaling> = scalings.iter().collect();
    scalings.sort_by(|a, b| b.slope().total_cmp(&a.slope()));
    // A string cannot refuse to be written to.
    let _ = draw(&mut text, &scalings);
    text
}

fn draw(text: &mut String, scalings: &[&Scaling]) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(560);
    let mut chart = ChartBuilder::on(&left)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(50)
        .build_cartesian_2d((1.0..LARGEST).log_scale(), (0.25..LARGEST_COST).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("size of the input, times the smallest")
        .y_desc("cost, times that of the smallest")
        .draw()?;
    chart.draw_series([PathElement::new(vec![(1.0, 1.0), (LARGEST, LARGEST)], BLACK.mix(0.3).stroke_width(5))])?;
    for (place, scaling) in scalings.iter().enumerate() {
        let color = Palette99::pick(place);
        let (Some(first), y) = (scaling.points.first(), 14 + LINE_PX * place as i32) else { continue };
        let points: Vec<(f64, f64)> =
            scaling.points.iter().map(|(size, cost)| (size / first.0, cost / first.1)).collect();
        chart.draw_series([PathElement::new(points.clone(), color.stroke_width(2))])?;
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, color.filled())))?;
        right.draw(&Rectangle::new([(0, y), (14, y + 10)], color.filled()))?;
        let name = format!("{:.2}  {}, {}", scaling.slope(), scaling.what.replace('`', ""), scaling.size);
        right.draw(&Text::new(name, (20, y - 1), ("sans-serif", 13)))?;
    }
    root.present()?;
    Ok(())
}
