//! The formats that issuers give their keys, one row each: how a key begins, what it is made of, how long it is.
//!
//! A row is a fact about the world. A new format is a new row here and a new example in `tests/examples.rs`; a test fails
//! without it.

/// One format.
#[derive(Debug)]
pub(super) struct Format {
    /// What is said in the place of the key.
    pub(super) kind: &'static str,
    /// How a key begins, or what stands before it.
    pub(super) openings: &'static [&'static str],
    /// What the rest of it is made of.
    pub(super) letters: Letters,
    /// With fewer characters behind its opening it is no key.
    pub(super) least: usize,
    /// The characters that a whole one has, the longest if there are several: a shorter one may go on in the next line.
    pub(super) whole: usize,
    /// How far from a word or a placeholder it must be.
    pub(super) demand: Demand,
    /// What is taken out.
    pub(super) taken: Taken,
}

/// What a key is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// Letters and digits.
    Plain,
    /// Letters, digits, `_` and `-`.
    Word,
    /// As a word, with dots.
    Dotted,
    /// As a word with two dots or more (a JSON web token).
    ThreeParts,
    /// Digits and `a` to `f`.
    Hex,
    /// As hex, with `-`.
    HexParts,
    /// Capitals and digits.
    Capitals,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
    /// What a path has: a word with `/`, `@` and `.`.
    Path,
    /// What the value of a query has.
    Query,
}

/// How far from a word or a placeholder a key must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Demand {
    /// So many bits for a character: `xxxx` has none.
    Bits(f32),
    /// Besides, a stretch of letters and digits that is no word: the opening is one that other things have too.
    NoWord,
    /// As mixed as chance makes it: the opening is one that many other things have.
    Strict,
}

/// What is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    All,
    /// What stands before the key tells where it belongs, and stays.
    Rest,
}

const fn format(
    kind: &'static str,
    openings: &'static [&'static str],
    letters: Letters,
    (least, whole): (usize, usize),
    demand: Demand,
) -> Format {
    Format { kind, openings, letters, least, whole, demand, taken: Taken::All }
}

const fn behind(
    kind: &'static str,
    openings: &'static [&'static str],
    letters: Letters,
    (least, whole): (usize, usize),
    demand: Demand,
) -> Format {
    Format { kind, openings, letters, least, whole, demand, taken: Taken::Rest }
}

use Demand::{Bits, NoWord, Strict};
use Letters::{Base64, Capitals, Dotted, Hex, HexParts, Path, Plain, Query, ThreeParts, Word};

#[rustfmt::skip]
pub(super) const FORMATS: &[Format] = &[
    // Models.
    format("api key", &["sk-"], Word, (20, 164), NoWord),
    format("api key", &["sess-"], Word, (24, 40), NoWord),
    format("groq key", &["gsk_"], Plain, (20, 52), Bits(3.0)),
    format("xai key", &["xai-"], Word, (20, 80), NoWord),
    format("hugging face token", &["hf_", "api_org_"], Plain, (24, 37), Bits(3.0)),
    format("replicate token", &["r8_"], Plain, (24, 37), Bits(3.0)),
    format("perplexity key", &["pplx-"], Plain, (24, 48), Bits(3.0)),
    format("nvidia key", &["nvapi-"], Word, (24, 64), NoWord),
    format("cerebras key", &["csk-"], Plain, (24, 48), Bits(3.0)),
    format("fireworks key", &["fw_"], Plain, (20, 24), NoWord),
    format("together key", &["tgp_v1_"], Word, (24, 43), Bits(3.0)),
    format("tavily key", &["tvly-"], Word, (20, 36), NoWord),
    format("langsmith key", &["lsv2_pt_", "lsv2_sk_"], Word, (24, 43), Bits(3.0)),
    format("pinecone key", &["pcsk_"], Word, (24, 70), Bits(3.0)),
    format("jina key", &["jina_"], Word, (24, 60), NoWord),
    format("runpod key", &["rpa_"], Capitals, (24, 40), Bits(3.0)),
    // Clouds.
    format("aws key id", &["AKIA", "ASIA", "ABIA", "ACCA"], Capitals, (16, 16), Bits(2.4)),
    format("aws bedrock key", &["ABSK"], Base64, (60, 132), Bits(3.5)),
    format("google key", &["AIza"], Word, (30, 35), Bits(3.0)),
    format("google token", &["ya29."], Dotted, (20, 220), Bits(3.0)),
    format("google client secret", &["GOCSPX-"], Word, (20, 28), Bits(3.0)),
    format("google token", &["1//0"], Word, (30, 100), Bits(3.5)),
    format("alibaba key", &["LTAI"], Plain, (12, 20), NoWord),
    format("tencent key", &["AKID"], Plain, (28, 36), NoWord),
    format("yandex key", &["AQVN"], Word, (30, 38), NoWord),
    format("digitalocean token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, (24, 64), Bits(2.8)),
    format("vault token", &["hvs.", "hvb.", "hvr."], Word, (24, 140), Bits(3.0)),
    format("vault token", &["s."], Plain, (24, 24), Strict),
    format("pulumi token", &["pul-"], Hex, (32, 40), Bits(2.8)),
    format("doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."], Dotted, (30, 50), Bits(3.0)),
    format("databricks token", &["dapi"], HexParts, (32, 34), Bits(2.8)),
    format("planetscale secret", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Dotted, (24, 64), Bits(3.0)),
    format("supabase key", &["sbp_", "sb_secret_"], Word, (24, 40), NoWord),
    format("netlify token", &["nfp_"], Plain, (30, 36), Bits(3.0)),
    format("vercel token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], Plain, (24, 56), NoWord),
    format("render key", &["rnd_"], Plain, (20, 28), NoWord),
    format("fly token", &["fm1r_", "fm1a_", "fm2_"], Base64, (60, 600), Bits(3.5)),
    format("fly token", &["fo1_"], Word, (36, 43), Bits(3.0)),
    format("heroku key", &["HRKU-"], Word, (30, 60), NoWord),
    format("cloudflare key", &["v1.0-"], HexParts, (100, 171), Bits(2.8)),
    format("scaleway key id", &["SCW"], Capitals, (17, 17), Bits(3.0)),
    format("openshift token", &["sha256~"], Word, (40, 43), Bits(3.0)),
    format("tailscale key", &["tskey-"], Word, (24, 60), NoWord),
    format("onepassword token", &["ops_eyJ"], Base64, (100, 850), Bits(3.5)),
    // Code, packages, builds.
    format("github token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Plain, (20, 36), Bits(3.0)),
    format("github token", &["github_pat_"], Word, (20, 82), Bits(3.0)),
    format("gitlab token", &["glpat-", "gloas-", "gldt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "glrt-", "glrtr-", "glffct-"], Dotted, (16, 64), NoWord),
    format("gitlab token", &["GR1348941"], Word, (20, 20), Bits(3.0)),
    format("bitbucket token", &["ATBB"], Plain, (28, 32), NoWord),
    format("atlassian token", &["ATATT3", "ATCTT3"], Word, (100, 186), Bits(3.5)),
    format("sourcegraph token", &["sgp_", "slk_"], Word, (40, 57), Bits(2.8)),
    format("circleci token", &["CCIPAT_", "CCIPRJ_"], Word, (40, 63), Bits(3.0)),
    format("sonar token", &["squ_", "sqp_", "sqa_"], Hex, (40, 40), Bits(2.8)),
    format("buildkite token", &["bkua_"], Hex, (40, 40), Bits(2.8)),
    format("artifactory key", &["AKCp"], Plain, (65, 69), Bits(3.0)),
    format("octopus key", &["API-"], Capitals, (26, 26), NoWord),
    format("prefect key", &["pnu_", "pnb_"], Plain, (30, 36), Bits(3.0)),
    format("npm token", &["npm_"], Plain, (30, 36), Bits(3.0)),
    format("pypi token", &["pypi-"], Word, (40, 180), Bits(3.5)),
    format("crates token", &["cio"], Plain, (32, 32), NoWord),
    format("rubygems key", &["rubygems_"], Hex, (40, 48), Bits(2.8)),
    format("nuget key", &["oy2"], Plain, (43, 43), Bits(3.0)),
    format("clojars token", &["CLOJARS_"], Plain, (50, 60), Bits(2.8)),
    format("docker token", &["dckr_pat_", "dckr_oat_"], Word, (20, 32), Bits(3.0)),
    format("postman key", &["PMAK-"], HexParts, (50, 59), Bits(2.8)),
    format("terraform token", &[".atlasv1."], Word, (50, 70), Bits(3.0)),
    // Watching.
    format("grafana token", &["glc_"], Base64, (30, 200), Bits(3.0)),
    format("grafana token", &["glsa_"], Word, (36, 41), Bits(3.0)),
    format("new relic key", &["NRAK-", "NRII-", "NRRA-", "NRAA-"], Word, (26, 32), NoWord),
    format("sentry token", &["sntrys_", "sntryu_"], Base64, (40, 160), Bits(3.0)),
    format("dynatrace token", &["dt0c01.", "dt0s01."], Dotted, (60, 89), Bits(3.0)),
    format("honeycomb key", &["hcaik_", "hcbik_", "hcxik_", "hcalk_", "hcxlk_"], Plain, (50, 60), Bits(3.0)),
    format("posthog key", &["phx_"], Plain, (32, 47), NoWord),
    // Talk and mail.
    format("slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-"], Word, (10, 170), Bits(2.4)),
    behind("slack webhook", &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"], Path, (30, 46), Bits(3.0)),
    behind("discord webhook", &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"], Path, (40, 90), Bits(3.0)),
    behind("teams webhook", &["webhook.office.com/webhookb2/"], Path, (60, 160), Bits(3.0)),
    behind("zapier webhook", &["hooks.zapier.com/hooks/catch/"], Path, (12, 24), Bits(2.4)),
    format("discord token", &["mfa."], Word, (60, 84), Bits(3.5)),
    format("sendgrid key", &["SG."], Dotted, (40, 66), Bits(3.5)),
    format("twilio key", &["SK"], Hex, (32, 32), Bits(2.8)),
    format("mailgun key", &["key-"], Hex, (32, 32), Bits(2.8)),
    format("brevo key", &["xkeysib-", "xsmtpsib-"], Word, (60, 81), Bits(2.8)),
    format("resend key", &["re_"], Word, (28, 33), NoWord),
    // Money and shops.
    format("stripe key", &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], Word, (10, 99), Bits(2.8)),
    format("square token", &["sq0csp-", "sq0atp-"], Word, (22, 43), Bits(3.0)),
    format("shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex, (24, 32), Bits(2.8)),
    format("plaid token", &["access-sandbox-", "access-development-", "access-production-"], HexParts, (32, 36), Bits(2.8)),
    format("flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], Word, (20, 34), NoWord),
    format("easypost key", &["EZAK", "EZTK"], Plain, (54, 54), Bits(3.0)),
    format("shippo token", &["shippo_live_", "shippo_test_"], Hex, (32, 40), Bits(2.8)),
    format("duffel token", &["duffel_live_", "duffel_test_"], Word, (30, 43), Bits(3.0)),
    // Work.
    format("linear key", &["lin_api_", "lin_oauth_"], Plain, (32, 64), Bits(3.0)),
    format("notion token", &["ntn_"], Plain, (40, 46), Bits(3.0)),
    format("airtable token", &["pat"], Dotted, (70, 79), NoWord),
    format("figma token", &["figd_"], Word, (30, 44), Bits(3.0)),
    format("contentful token", &["CFPAT-"], Word, (36, 43), Bits(3.0)),
    format("typeform token", &["tfp_"], Dotted, (40, 59), Bits(3.0)),
    format("readme key", &["rdme_"], Plain, (60, 70), Bits(2.8)),
    format("hubspot token", &["pat-na1-", "pat-na2-", "pat-eu1-"], HexParts, (32, 36), Bits(2.8)),
    format("dropbox token", &["sl."], Word, (120, 180), Bits(3.5)),
    format("facebook token", &["EAA"], Plain, (80, 220), NoWord),
    // Addresses.
    behind("url key", &["?key=", "&key=", "?code=", "&code="], Query, (20, 60), NoWord),
    behind("url signature", &["?sig=", "&sig=", "?signature=", "&signature=", "X-Amz-Signature=", "X-Goog-Signature="], Query, (20, 64), Bits(2.8)),
    // Keys themselves.
    format("age key", &["AGE-SECRET-KEY-1"], Capitals, (50, 58), Bits(3.0)),
    format("json web token", &["eyJ"], ThreeParts, (30, 4096), Bits(3.0)),
];
