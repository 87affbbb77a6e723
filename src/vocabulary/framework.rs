//! Which trainer wrote a run.

/// A training framework whose metric names are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[non_exhaustive]
pub enum Framework {
    /// TRL, and what keeps its names: Unsloth, Axolotl, verifiers.
    Trl,
    /// verl, and what keeps its names: Search-R1, TinyZero, RAGEN, DAPO and Agent forks.
    Verl,
    /// ms-swift: TRL's names and some of its own.
    MsSwift,
    /// rllm: its own names, beside those of verl or tinker below it.
    Rllm,
    /// OpenRLHF.
    OpenRlhf,
    /// tunix.
    Tunix,
    /// NeMo-RL.
    NemoRl,
    /// SkyRL.
    SkyRl,
    /// prime-rl.
    PrimeRl,
    /// open-instruct.
    OpenInstruct,
    /// slime.
    Slime,
    /// AReaL.
    AReaL,
    /// tinker and its cookbook.
    Tinker,
    /// ART.
    Art,
    /// torchtune.
    Torchtune,
    /// Names of no known trainer: keys are bound by their words alone.
    #[default]
    Unknown,
}

impl Framework {
    /// Every framework.
    pub const ALL: &'static [Framework] = &[
        Framework::Trl,
        Framework::Verl,
        Framework::MsSwift,
        Framework::Rllm,
        Framework::OpenRlhf,
        Framework::Tunix,
        Framework::NemoRl,
        Framework::SkyRl,
        Framework::PrimeRl,
        Framework::OpenInstruct,
        Framework::Slime,
        Framework::AReaL,
        Framework::Tinker,
        Framework::Art,
        Framework::Torchtune,
        Framework::Unknown,
    ];

    /// The name to show.
    pub fn as_str(self) -> &'static str {
        match self {
            Framework::Trl => "TRL",
            Framework::Verl => "verl",
            Framework::MsSwift => "ms-swift",
            Framework::Rllm => "rllm",
            Framework::OpenRlhf => "OpenRLHF",
            Framework::Tunix => "tunix",
            Framework::NemoRl => "NeMo-RL",
            Framework::SkyRl => "SkyRL",
            Framework::PrimeRl => "prime-rl",
            Framework::OpenInstruct => "open-instruct",
            Framework::Slime => "slime",
            Framework::AReaL => "AReaL",
            Framework::Tinker => "tinker",
            Framework::Art => "ART",
            Framework::Torchtune => "torchtune",
            Framework::Unknown => "unknown",
        }
    }
}
