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
    pub series: [Color; 8],
    /// From low to high in a heat map: lightness alone tells them apart.
    pub heat: [Color; 10],
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
            Color::hex(0x6a_51c8),
            Color::hex(0x6b_6258),
        ],
        heat: [
            Color::hex(0xe9_eef2),
            Color::hex(0xcc_dfe8),
            Color::hex(0xad_cfdd),
            Color::hex(0x86_bcd0),
            Color::hex(0x61_a6c2),
            Color::hex(0x3d_8db2),
            Color::hex(0x27_74a2),
            Color::hex(0x1a_5a92),
            Color::hex(0x11_4279),
            Color::hex(0x0a_2a5e),
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
            Color::hex(0xb3_a4ff),
            Color::hex(0xc4_bbb0),
        ],
        heat: [
            Color::hex(0x23_303c),
            Color::hex(0x24_4256),
            Color::hex(0x25_5470),
            Color::hex(0x28_6a88),
            Color::hex(0x30_819d),
            Color::hex(0x40_99ad),
            Color::hex(0x5d_b1b9),
            Color::hex(0x84_c8c1),
            Color::hex(0xb3_dfcd),
            Color::hex(0xe3_f5da),
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

    /// Colour of the line number `index`; they repeat after the eighth.
    pub fn line_color(&self, index: usize) -> Color {
        self.series.iter().copied().cycle().nth(index % self.series.len()).unwrap_or(self.ink)
    }

    /// Colour at a share of a heat map's scale, 0 to 1.
    pub fn heat_color(&self, share: f64) -> Color {
        // `as` saturates, and NaN gives 0.
        let place = (share * self.heat.len() as f64) as usize;
        self.heat.get(place.min(self.heat.len() - 1)).copied().unwrap_or(self.ink)
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
    fn heat_is_shown_by_lightness_and_is_that_of_the_style_sheet() {
        let style = include_str!("../../../style/tokens.css");
        for (place, (light, dark)) in Theme::LIGHT.heat.into_iter().zip(Theme::DARK.heat).enumerate() {
            let token = format!("--heat-{place}: light-dark({}, {});", light.css(), dark.css());
            assert!(style.contains(&token), "{token}");
        }
        for theme in [Theme::LIGHT, Theme::DARK] {
            let from_background = theme.heat.map(|color| contrast(color, theme.background));
            assert!(from_background.is_sorted(), "{from_background:?}");
            let ends = [f64::NAN, -1.0, 0.05, 0.95, 1.0, 7.0].map(|share| theme.heat_color(share));
            let (low, high) = (theme.heat[0], theme.heat[9]);
            assert_eq!(ends, [low, low, low, high, high, high]);
        }
    }

    #[test]
    fn colours_read_as_css() {
        assert_eq!(Theme::LIGHT.line_color(8).css(), "#0072b2");
        assert_eq!(Theme::of(true).line_color(1).css(), "#f08c4a");
    }
}
