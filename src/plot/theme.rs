//! The colours of a chart, light and dark. The page's style sheet holds the same tokens for everything that is not
//! drawn on a canvas.

/// An opaque colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Color {
    /// From the number that CSS writes after `#`.
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self { red, green, blue }
    }

    /// As CSS writes it: `#0072b2`.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// Colours of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    /// Text and rules.
    pub ink: Color,
    /// Labels of axes.
    pub muted: Color,
    /// Grid lines.
    pub line: Color,
    /// Panel that the chart lies on.
    pub background: Color,
    /// Cursor and selection.
    pub accent: Color,
    /// Lines, in drawing order: Okabe and Ito's palette, told apart with any colour vision.
    pub series: [Color; 6],
    /// Good.
    pub good: Color,
    /// Bad: a warning.
    pub bad: Color,
    /// Ugly: critical; also the marks of NaN and infinities.
    pub ugly: Color,
    /// A note.
    pub note: Color,
}

impl Theme {
    /// Dark on light.
    pub const LIGHT: Theme = Theme {
        ink: Color::hex(0x1a_1c20),
        muted: Color::hex(0x66_6c75),
        line: Color::hex(0xe3_e3dd),
        background: Color::hex(0xff_ffff),
        accent: Color::hex(0x35_56c9),
        series: [
            Color::hex(0x00_72b2),
            Color::hex(0xd5_5e00),
            Color::hex(0x11_7733),
            Color::hex(0x9c_4f7d),
            Color::hex(0x8a_6d00),
            Color::hex(0x33_8fc4),
        ],
        good: Color::hex(0x1f_7a3d),
        bad: Color::hex(0xb2_6a00),
        ugly: Color::hex(0xc0_262d),
        note: Color::hex(0x5b_6b8c),
    };

    /// Light on dark.
    pub const DARK: Theme = Theme {
        ink: Color::hex(0xe9_eaec),
        muted: Color::hex(0x9a_a1ab),
        line: Color::hex(0x2a_2e35),
        background: Color::hex(0x18_1b1f),
        accent: Color::hex(0x8a_a2ff),
        series: [
            Color::hex(0x56_b4e9),
            Color::hex(0xf0_8c4a),
            Color::hex(0x5c_c48a),
            Color::hex(0xe0_9cc4),
            Color::hex(0xe6_c84a),
            Color::hex(0xa9_d4f0),
        ],
        good: Color::hex(0x57_c27a),
        bad: Color::hex(0xf0_a63a),
        ugly: Color::hex(0xff_6b6b),
        note: Color::hex(0x93_a4c8),
    };

    /// The dark or the light theme.
    pub fn of(dark: bool) -> &'static Theme {
        if dark { &Self::DARK } else { &Self::LIGHT }
    }

    /// Colour of the line number `index`; they repeat after the sixth.
    pub fn line_color(&self, index: usize) -> Color {
        self.series.iter().copied().cycle().nth(index % self.series.len()).unwrap_or(self.ink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast ratio of WCAG 2.2.
    fn contrast(a: Color, b: Color) -> f64 {
        let luminance = |color: Color| {
            let channel = |value: u8| {
                let value = f64::from(value) / 255.0;
                if value <= 0.040_45 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
            };
            0.2126 * channel(color.red) + 0.7152 * channel(color.green) + 0.0722 * channel(color.blue)
        };
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn text_and_lines_have_the_contrast_that_wcag_asks_for() {
        for theme in [Theme::LIGHT, Theme::DARK] {
            for text in [theme.ink, theme.muted] {
                assert!(contrast(text, theme.background) >= 4.5, "{text:?}");
            }
            for graphic in theme.series.into_iter().chain([theme.good, theme.bad, theme.ugly, theme.note, theme.accent])
            {
                assert!(contrast(graphic, theme.background) >= 3.0, "{}", graphic.css());
            }
        }
    }

    #[test]
    fn colours_read_as_css() {
        assert_eq!(Theme::LIGHT.line_color(6).css(), "#0072b2");
        assert_eq!(Theme::of(true).line_color(1).css(), "#f08c4a");
    }
}
