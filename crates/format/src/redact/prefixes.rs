//! Tokens that begin in a known way.
//!
//! Where no address stands beside it, a rule's shape is that of the same prefix in gitleaks
//! (<https://github.com/gitleaks/gitleaks>, `config/gitleaks.toml`). A table and one pass over the text, because a
//! hundred patterns of an engine for regular expressions would be larger than the rest of the redaction and slower.

use std::ops::Range;

use super::{ends_within_word, is_mixed, run_of};

/// A kind of token that begins in a known way.
struct Prefix {
    text: &'static str,
    /// Characters of the token beside letters and digits.
    extra: &'static str,
    /// Fewest characters after the prefix.
    least: u8,
    /// True when no ordinary word holds the prefix, so that it counts inside a word too.
    is_sure: bool,
}

const fn sure(text: &'static str, extra: &'static str, least: u8) -> Prefix {
    Prefix { text, extra, least, is_sure: true }
}

const fn word(text: &'static str, extra: &'static str, least: u8) -> Prefix {
    Prefix { text, extra, least, is_sure: false }
}

/// Signs of base64, of base64 in addresses, and of both.
const BASE64: &str = "+/=";
const DASHES: &str = "-_";
const ANY: &str = "-_.=";

#[rustfmt::skip]
const PREFIXES: &[Prefix] = &[
    // Training, models and data.
    sure("wandb_v1_", DASHES, 8),     // https://docs.wandb.ai/support/find_wandb_api_key
    sure("hf_oauth_", ANY, 16),       // https://huggingface.co/docs/hub/oauth
    word("hf_", "", 16),
    word("api_org_", "", 16),
    word("sk-", DASHES, 12),          // OpenAI, Anthropic, OpenRouter, DeepSeek and others
    word("sk_", DASHES, 24),          // ElevenLabs and others
    sure("sk-lf-", "-", 30),          // https://langfuse.com/docs: secret key
    sure("pplx-", "", 40),
    word("xai-", "", 40),             // https://docs.x.ai
    word("gsk_", "", 20),             // https://console.groq.com
    sure("nvapi-", DASHES, 20),       // https://docs.api.nvidia.com
    word("rpa_", "", 24),             // https://docs.runpod.io
    word("r8_", "", 24),              // https://replicate.com/docs
    sure("tgp_v1_", DASHES, 20),      // https://docs.together.ai
    word("fw_", "", 20),              // https://docs.fireworks.ai
    word("csk-", "", 30),             // https://inference-docs.cerebras.ai
    word("jina_", "_", 32),           // https://jina.ai
    sure("pcsk_", "_", 30),           // https://docs.pinecone.io
    sure("lsv2_pt_", "_", 30),        // https://docs.smith.langchain.com
    sure("lsv2_sk_", "_", 30),
    word("ls__", "", 30),
    word("esecret_", "", 20),         // https://docs.anyscale.com
    word("tml-", DASHES, 30),         // https://tinker-docs.thinkingmachines.ai
    word("pit_", "", 40),             // https://docs.primeintellect.ai
    word("tvly-", "-", 24),           // https://docs.tavily.com
    word("pa-", DASHES, 40),          // https://docs.voyageai.com
    word("ak-", "", 20),              // https://modal.com/docs: token id
    word("as-", "", 20),              // and token secret
    sure("xaat-", "-", 16),           // https://axiom.co/docs/reference/tokens
    sure("xapt-", "-", 16),
    sure("KGAT_", "", 20),            // https://www.kaggle.com/docs/api
    // Clouds.
    word("LTAI", "", 16),
    sure("bedrock-api-key-", BASE64, 20),
    word("ABSK", BASE64, 100),
    sure("AIza", DASHES, 30),
    sure("ya29.", ANY, 20),           // https://developers.google.com/identity/protocols/oauth2
    sure("GOCSPX-", DASHES, 20),
    sure("1//0", DASHES, 40),         // a refresh token of Google
    sure("dop_v1_", "", 40),
    sure("doo_v1_", "", 40),
    sure("dor_v1_", "", 40),
    word("v1.0-", "-", 100),          // Cloudflare's origin CA
    word("dapi", "-", 30),
    sure("hvs.", DASHES, 24),
    sure("hvb.", DASHES, 24),
    word("fo1_", DASHES, 40),
    word("fm1a_", BASE64, 80),
    word("fm1r_", BASE64, 80),
    word("fm2_", BASE64, 80),
    sure("HRKU-", DASHES, 50),
    sure("pul-", "", 40),
    sure("pscale_tkn_", ANY, 30),
    sure("pscale_pw_", ANY, 30),
    sure("pscale_oauth_", ANY, 30),
    sure("tskey-", "-", 16),          // https://tailscale.com/kb/1085/auth-keys
    sure("sha256~", DASHES, 40),      // OpenShift
    word("tk-us-", DASHES, 40),
    word("AQVN", DASHES, 35),         // Yandex
    word("t1.", ANY, 80),
    word("dnkey-", ANY, 50),
    word("4b1d", "", 38),             // ClickHouse
    word("sbp_", "", 40),             // https://supabase.com/docs
    sure("sb_secret_", DASHES, 20),
    word("rnd_", "", 24),             // https://render.com/docs/api
    // Code and packages.
    sure("ghp_", "", 16), sure("gho_", "", 16), sure("ghu_", "", 16), sure("ghs_", "", 16), sure("ghr_", "", 16),
    sure("github_pat_", "_", 8),
    sure("glpat-", "-_.", 12),
    sure("glcbt-", DASHES, 16), sure("gldt-", DASHES, 16), sure("glffct-", DASHES, 16), sure("glft-", DASHES, 16),
    sure("glimt-", DASHES, 16), sure("glagent-", DASHES, 16), sure("gloas-", DASHES, 16), sure("glptt-", DASHES, 16),
    sure("glrt-", "-_.", 16), sure("glsoat-", DASHES, 16),
    sure("GR1348941", DASHES, 16),
    sure("_gitlab_session=", "", 20),
    word("npm_", "", 24),
    word("pypi-", DASHES, 30),
    sure("rubygems_", "", 40),
    sure("CLOJARS_", "", 50), sure("clojars_", "", 50),
    word("oy2", "", 43),              // https://learn.microsoft.com/nuget: keys of nuget.org
    sure("dckr_pat_", DASHES, 20), sure("dckr_oat_", DASHES, 20), // https://docs.docker.com
    word("squ_", "", 36), word("sqp_", "", 36), word("sqa_", "", 36),
    word("sgp_", "_", 36),
    sure("sntrys_", "+/=_", 50),
    sure("sntryu_", "", 50),
    word("API-", "", 26),             // Octopus Deploy
    word("AKCp", "", 60),
    word("cmVmd", "", 55),            // Artifactory's reference tokens
    sure("ATATT3", ANY, 50),
    sure("PMAK-", "-", 40),
    word("pnu_", "", 36), word("pnb_", "", 36),
    word("ico-", "", 32),
    sure("dp.pt.", "", 40), sure("dp.st.", "._-", 40), sure("dp.ct.", "", 40), sure("dp.sa.", "", 40),
    word("pat.", "-_.", 60), word("sat.", "-_.", 60),
    word("s-s4t2ud-", "", 60), word("s-s4t2af-", "", 60),
    sure("lin_api_", "", 36),
    word("ntn_", "", 40),
    word("secret_", "", 40),          // Notion's older keys
    sure("figd_", DASHES, 30),        // https://www.figma.com/developers/api
    word("rdme_", "", 60),
    // Measuring.
    word("eyJrIjoi", "=", 60),        // Grafana
    word("glc_", BASE64, 32),
    sure("glsa_", "_", 40),
    sure("dt0c01.", ".", 60), sure("dt0s16.", ".", 60),
    sure("NRJS-", "-", 18), sure("NRII-", "-", 24), sure("NRAK-", "", 24),
    // Chat and mail.
    sure("xapp-", "-", 20),
    word("xoxb-", "-", 10), word("xoxp-", "-", 10), word("xoxa-", "-", 10), word("xoxr-", "-", 10),
    word("xoxs-", "-", 10), word("xoxo-", "-", 18), word("xoxe-", "-", 16), word("xoxc-", "-", 16), word("xoxd-", "-%", 16),
    sure("SG.", ANY, 60),
    sure("xkeysib-", "-", 60), sure("xsmtpsib-", "-", 60),
    word("key-", "", 32),             // Mailgun
    word("pubkey-", "", 32),
    // Shops, payment and others.
    sure("sk_live_", "", 10), sure("sk_test_", "", 10), sure("sk_prod_", "", 10),
    sure("rk_live_", "", 10), sure("rk_test_", "", 10), sure("rk_prod_", "", 10),
    sure("whsec_", BASE64, 20),
    sure("shpat_", "", 28), sure("shpca_", "", 28), sure("shppa_", "", 28), sure("shpss_", "", 28),
    sure("sq0atp-", DASHES, 20), sure("sq0csp-", DASHES, 20),
    word("EAAA", DASHES, 22),
    word("EAAM", "", 100), word("EAAC", "", 100),
    sure("access-sandbox-", "-", 30), sure("access-development-", "-", 30), sure("access-production-", "-", 30),
    sure("duffel_test_", ANY, 40), sure("duffel_live_", ANY, 40),
    word("EZAK", "", 50), word("EZTK", "", 50),
    sure("FLWSECK", "-_", 12), sure("FLWPUBK", "-_", 12),
    sure("fio-u-", ANY, 50),
    sure("shippo_live_", "", 36), sure("shippo_test_", "", 36),
    sure("sm_aat_", "", 16), sure("sm_pat_", "", 16), sure("sm_sat_", "", 16),
    word("live_", DASHES, 35), word("test_", "", 35), // GoCardless, Lob
    word("tfp_", ANY, 44),
    word("p8e-", "", 32),
    word("ops_eyJ", BASE64, 50),
    word("A3-", "-", 30),             // 1Password
    word("pk.", ".", 70),             // Mapbox
    word("sk.", ".", 70),
    word("pat", ".", 79),             // Airtable
    // Keys of `age`, which are words of their own: https://age-encryption.org
    sure("AGE-SECRET-KEY-", "-", 40), sure("age-secret-key-", "-", 40), sure("AGE-PLUGIN-", "-", 40),
];

/// A run of letters and digits as long as this is a key whatever word stands before a prefix such as `hf_`.
const LONG_BODY: usize = 30;

/// Places of the hash of a prefix's first three bytes.
const PLACES: usize = 4096;

/// For each hash of three bytes the prefixes that begin so, as a list through `NEXT`: numbers from 1, and 0 for its end.
/// So one pass looks for all prefixes.
const FIRST: [u8; PLACES] = {
    let mut first = [0; PLACES];
    let (mut rest, mut number) = (PREFIXES, 0);
    while let [prefix, others @ ..] = rest {
        number += 1;
        if let [head, ..] = first.split_at_mut(place_of(prefix.text)).1 {
            *head = number;
        }
        rest = others;
    }
    first
};

/// For each prefix the number of one before it in the table that has its hash, or 0.
const NEXT: [u8; PREFIXES.len()] = {
    let mut next = [0; PREFIXES.len()];
    let mut place = 0;
    while place < PREFIXES.len() {
        let (earlier, rest) = PREFIXES.split_at(place);
        if let ([prefix, ..], [link, ..]) = (rest, next.split_at_mut(place).1) {
            let mut left = earlier;
            while let [others @ .., other] = left {
                left = others;
                if place_of(other.text) == place_of(prefix.text) {
                    *link = others.len() as u8 + 1;
                    break;
                }
            }
        }
        place += 1;
    }
    next
};

const fn place_of(text: &str) -> usize {
    match text.as_bytes() {
        [a, b, c, ..] => hash(*a, *b, *c),
        _ => 0,
    }
}

const fn hash(a: u8, b: u8, c: u8) -> usize {
    ((a as usize) * 961 + (b as usize) * 31 + (c as usize)) % PLACES
}

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, three) in text.as_bytes().windows(3).enumerate() {
        let [a, b, c] = three else { continue };
        let mut number = FIRST.get(hash(*a, *b, *c)).copied().unwrap_or_default();
        if number == 0 || start < done {
            continue;
        }
        let Some(rest) = text.get(start..) else { continue };
        let before = text.get(..start).unwrap_or_default();
        let mut longest = None;
        while let Some(place) = usize::from(number).checked_sub(1) {
            longest = longest.max(PREFIXES.get(place).and_then(|prefix| body_of(prefix, before, rest)));
            number = NEXT.get(place).copied().unwrap_or_default();
        }
        if let Some(length) = longest {
            done = start + length;
            secrets.push(start..done);
        }
    }
}

/// The length of the token at the start of `rest`, its prefix among it.
fn body_of(prefix: &Prefix, before: &str, rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(prefix.text)?;
    let body = run_of(after, |c| c.is_ascii_alphanumeric() || prefix.extra.contains(c));
    let longest = body.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
    let is_free = prefix.is_sure || !ends_within_word(before);
    let is_random =
        (prefix.is_sure && !is_words(body)) || is_mixed(body) || (longest >= 16 && longest >= body.len() / 2);
    let ends_word = !prefix.text.ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_long = longest >= LONG_BODY.max(usize::from(prefix.least)) && (is_free || (ends_word && is_mixed(body)));
    let is_token = is_long || (is_free && body.len() >= usize::from(prefix.least) && is_random);
    is_token.then_some(prefix.text.len() + body.len())
}

/// True for words with signs between them, and for one letter again and again: `xoxb-your-token-here`, `ghp_xxxxxxxx`.
fn is_words(body: &str) -> bool {
    let is_same = body.as_bytes().first().is_some_and(|first| body.bytes().all(|byte| byte == *first || byte == b'-'));
    let longest = body.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
    let has_digit = body.bytes().any(|byte| byte.is_ascii_digit());
    is_same || (longest < 12 && !has_digit && body.split(|c: char| !c.is_ascii_alphanumeric()).all(is_in_one_case))
}

/// True for letters as words have them: all small, all capital, or the first alone capital.
fn is_in_one_case(letters: &str) -> bool {
    let rest = letters.get(1..).unwrap_or_default();
    rest.bytes().all(|byte| byte.is_ascii_lowercase()) || letters.bytes().all(|byte| byte.is_ascii_uppercase())
}
