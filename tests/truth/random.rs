//! Seeded random numbers: the same seed gives the same runs on every machine.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// A generator for a case and a seed.
    pub fn new(name: &str, seed: u64) -> Self {
        let start = name.bytes().fold(seed.wrapping_mul(0x9E37_79B9), |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3).rotate_left(5)
        });
        let mut random = Self(start);
        random.bits();
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform between two numbers on a log scale.
    pub fn between_log(&mut self, low: f64, high: f64) -> f64 {
        libm::exp(self.between(libm::log(low), libm::log(high)))
    }

    /// A whole number from `low` to `high`, both included.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.unit() * (high - low + 1) as f64) as usize
    }

    /// One of a list.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.whole(0, list.len() - 1)]
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Standard normal (Box-Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// A factor around 1 whose logarithm has this standard deviation.
    pub fn factor(&mut self, deviation: f64) -> f64 {
        libm::exp(deviation * self.normal())
    }

    /// Number of successes in `trials` trials.
    pub fn successes(&mut self, trials: usize, p: f64) -> usize {
        (0..trials).filter(|_| self.unit() < p).count()
    }

    /// `count` different places of `from..to` at least `gap` apart, ascending; fewer when there is no room.
    pub fn places(&mut self, count: usize, from: usize, to: usize, gap: usize) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::new();
        for _ in 0..count * 20 {
            let place = self.whole(from, to.max(from + 1) - 1);
            if places.len() < count && places.iter().all(|other| other.abs_diff(place) >= gap) {
                places.push(place);
            }
        }
        places.sort_unstable();
        places
    }
}

/// Noise that remembers: a first-order autoregressive process around 0.
pub struct Memory {
    keep: f64,
    push: f64,
    now: f64,
}

impl Memory {
    /// `keep` is the lag-1 autocorrelation, `deviation` the standard deviation in the long run.
    pub fn new(random: &mut Random, keep: f64, deviation: f64) -> Self {
        Self { keep, push: deviation * (1.0 - keep * keep).sqrt(), now: deviation * random.normal() }
    }

    /// The next value.
    pub fn next(&mut self, random: &mut Random) -> f64 {
        self.now = self.keep * self.now + self.push * random.normal();
        self.now
    }
}
