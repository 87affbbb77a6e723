//! Which trainer wrote a run.

use rundown_format::named_enum;

named_enum! {
    as_str
    /// A training framework whose metric names are known.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[non_exhaustive]
    pub enum Framework {
        /// TRL, and what keeps its names: Unsloth, Axolotl, verifiers.
        Trl = "TRL",
        /// verl, and what keeps its names: Search-R1, TinyZero, RAGEN, DAPO and Agent forks.
        Verl = "verl",
        /// ms-swift: TRL's names and some of its own.
        MsSwift = "ms-swift",
        /// rllm: its own names, beside those of verl or tinker below it.
        Rllm = "rllm",
        /// OpenRLHF.
        OpenRlhf = "OpenRLHF",
        /// tunix.
        Tunix = "tunix",
        /// NeMo-RL.
        NemoRl = "NeMo-RL",
        /// SkyRL.
        SkyRl = "SkyRL",
        /// prime-rl.
        PrimeRl = "prime-rl",
        /// open-instruct.
        OpenInstruct = "open-instruct",
        /// slime.
        Slime = "slime",
        /// AReaL.
        AReaL = "AReaL",
        /// tinker and its cookbook.
        Tinker = "tinker",
        /// ART.
        Art = "ART",
        /// torchtune.
        Torchtune = "torchtune",
        /// Names of no known trainer: keys are bound by their words alone.
        #[default]
        Unknown = "unknown",
    }
}
