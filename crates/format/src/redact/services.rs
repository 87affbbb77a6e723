//! Keys without a shape of their own: known by the service in the name that they are assigned to, and their length.
//!
//! A generic rule of gitleaks (<https://github.com/gitleaks/gitleaks>, `config/gitleaks.toml`) for each of them.

use super::{is_mixed, run_of};

/// What the values of a service's keys look like.
struct Service {
    /// In the name, in lower case.
    word: &'static str,
    /// Lengths of its keys.
    lengths: &'static [u8],
}

const fn service(word: &'static str, lengths: &'static [u8]) -> Service {
    Service { word, lengths }
}

/// A value of hex digits with dashes, as UUIDs are.
const UUID: u8 = 36;

const SERVICES: &[Service] = &[
    service("adafruit", &[32]),
    service("adobe", &[32]),
    service("airtable", &[17]),
    service("algolia", &[32]),
    service("alibaba", &[30]),
    service("artifactory", &[64, 73]),
    service("asana", &[16, 32]),
    service("atlassian", &[24]),
    service("azure", &[32, 84, 88]),
    service("beamer", &[46]),
    service("bintray", &[64, 73]),
    service("bitbucket", &[32, 64]),
    service("bittrex", &[32]),
    service("cloudflare", &[37, 40]),
    service("codecov", &[32]),
    service("cohere", &[40]),
    service("coinbase", &[64]),
    service("comet", &[25]),
    service("confluence", &[24]),
    service("confluent", &[16, 64]),
    service("contentful", &[43]),
    service("contribsys", &[17]),
    service("datadog", &[32, 40]),
    service("deepinfra", &[32]),
    service("discord", &[18, 32, 64]),
    service("droneci", &[32]),
    service("dropbox", &[15]),
    service("etsy", &[24]),
    service("facebook", &[32]),
    service("fastly", &[32]),
    service("finicity", &[20, 32]),
    service("finnhub", &[20]),
    service("flickr", &[32]),
    service("freshbooks", &[64]),
    service("gitter", &[40]),
    service("gocardless", &[45]),
    service("heroku", &[UUID]),
    service("hubspot", &[UUID]),
    service("intercom", &[60]),
    service("jfrog", &[64, 73]),
    service("jira", &[24]),
    service("kraken", &[80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90]),
    service("kucoin", &[24, UUID]),
    service("launchdarkly", &[40]),
    service("linear", &[32]),
    service("linkedin", &[14, 16]),
    service("linked_in", &[14, 16]),
    service("linked-in", &[14, 16]),
    service("lob", &[40, 41]),
    service("looker", &[20, 24]),
    service("mailchimp", &[36, 37]),
    service("mailgun", &[36, 39, 50]),
    service("mattermost", &[26]),
    service("meraki", &[40]),
    service("message_bird", &[25, UUID]),
    service("message-bird", &[25, UUID]),
    service("messagebird", &[25, UUID]),
    service("mistral", &[32]),
    service("netlify", &[40, 41, 42, 43, 44, 45, 46]),
    service("new-relic", &[64]),
    service("new_relic", &[64]),
    service("newrelic", &[64]),
    service("nytimes", &[32]),
    service("okta", &[42]),
    service("plaid", &[24, 30]),
    service("private_ai", &[32]),
    service("private-ai", &[32]),
    service("privateai", &[32]),
    service("rapidapi", &[50]),
    service("sendbird", &[UUID, 40]),
    service("sentry", &[64]),
    service("snyk", &[UUID]),
    service("sonar", &[40]),
    service("squarespace", &[UUID]),
    service("sumo", &[14, 64]),
    service("travis", &[22]),
    service("trello", &[32]),
    service("twilio", &[32]),
    service("twitch", &[30]),
    service("twitter", &[25, 45, 50]),
    service("xray", &[64, 73]),
    service("yandex", &[40]),
    service("zendesk", &[40]),
];

/// Length of the shortest key above.
const SHORTEST: usize = 14;
/// Length above all of them.
pub(super) const LONGEST: usize = 96;

/// True for a value that has the length of a key of the service in the name, and looks random.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    if !(SHORTEST..=LONGEST).contains(&value.len()) {
        return false;
    }
    let body = run_of(value, |c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '=' | '+' | '/' | ':'));
    if body.len() != value.len() || !is_drawn(value) {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let length = value.len() as u8;
    SERVICES.iter().any(|service| service.lengths.contains(&length) && name.contains(service.word))
}

/// True for what was drawn at random: digits among letters, at least one in sixteen, or digits alone; and few signs.
pub(super) fn is_drawn(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let signs = value.bytes().filter(|byte| !byte.is_ascii_alphanumeric()).count();
    (is_mixed(value) || digits == value.len()) && digits * 16 >= value.len() && signs * 6 <= value.len()
}
