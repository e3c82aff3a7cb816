//! `log/stats` and `templates/list`: what the record comes to, and what to begin with.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use jsonrpsee::server::RpcModule;
use mayi_core::config::template::{Project, Template, detect};
use mayi_core::record::Kind;
use mayi_core::record::analysis::{Figures, Parts, Stats};
use mayi_core::store::{EntryQuery, Order};

use super::{Context, Registered, method};
use crate::api::{Place, StatsQuery, TemplateInfo};
use crate::backend::Backend;
use crate::error::Refused;

/// What the figures are made of.
const KINDS: [Kind; 6] =
    [Kind::Decided, Kind::Asked, Kind::Answered, Kind::Expired, Kind::Cancelled, Kind::Unasked];
/// So many entries are read at once, so many times at most: the newest of a very long record are left out, and
/// `until` says so.
const PAGE: u32 = 1000;
const MOST_PAGES: usize = 200;
/// The longest time that can be asked for, in days.
const LONGEST: u32 = 36_600;

pub(super) fn register(module: &mut RpcModule<Context>) -> Registered {
    method(module, "log/stats", |context, _, wanted: StatsQuery| stats(&context.backend, &wanted))?;
    method(module, "templates/list", |context, _, Place { cwd }| {
        Ok(templates(&cwd.unwrap_or_else(|| context.backend.options.cwd.clone())))
    })
}

fn stats(backend: &Backend, wanted: &StatsQuery) -> Result<Stats, Refused> {
    let long = wanted.days.map(|days| SignedDuration::from_hours(24 * i64::from(days.min(LONGEST))));
    let mut query = EntryQuery {
        order: Order::OldestFirst,
        limit: Some(PAGE),
        kinds: KINDS.to_vec(),
        agent: wanted.agent.as_deref().map(|name| backend.agent_id(name)),
        since: long.and_then(|long| Timestamp::now().checked_sub(long).ok()),
        ..EntryQuery::default()
    };
    let (mut figures, mut parts) = (Figures::new(TimeZone::system()), Parts::default());
    for _ in 0..MOST_PAGES {
        let page = backend.options.store.entries(&query)?;
        query.after = page.last().map(|recorded| recorded.seq);
        let last = page.len() < PAGE as usize;
        for recorded in page {
            if let Some(part) = parts.push(recorded) {
                figures.add(&part);
            }
        }
        if last {
            break;
        }
    }
    figures.add(&parts.finish());
    Ok(figures.stats())
}

/// Every template, for a project in `folder`.
fn templates(folder: &std::path::Path) -> Vec<TemplateInfo> {
    let languages: Vec<_> = detect(folder).into_iter().map(|(language, _)| language).collect();
    let info = |template: &Template| {
        let text = template.text(&languages, &Project::default(), None, None);
        // The first paragraph of its comment.
        let words = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
        let about = words.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        TemplateInfo { name: template.name(), about, text }
    };
    Template::ALL.iter().map(info).collect()
}
