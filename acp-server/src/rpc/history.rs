//! `log/stats` and `templates/list`: what the record comes to, and what to begin with.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use jsonrpsee::server::RpcModule;
use mayi_core::config::template::{Project, Template, detect_languages};
use mayi_core::record::Kind;
use mayi_core::record::analysis::{RecordParts, Stats, StatsBuilder};
use mayi_core::store::{EntryQuery, Order};

use super::{RegisterResult, RpcContext, add_answer_method};
use crate::api::{Place, StatsQuery, TemplateInfo};
use crate::backend::Backend;
use crate::error::RpcError;

/// What the figures are made of.
const KINDS: [Kind; 6] =
    [Kind::Decided, Kind::Asked, Kind::Answered, Kind::Expired, Kind::Cancelled, Kind::Unasked];
/// So many entries are read at once, so many times at most: the newest of a very long record are left out, and
/// `until` says so.
const PAGE: u32 = 1000;
const MOST_PAGES: usize = 200;
/// The longest time that can be asked for, in days.
const LONGEST: u32 = 36_600;

pub(super) fn register_methods(module: &mut RpcModule<RpcContext>) -> RegisterResult {
    add_answer_method(module, "log/stats", |context, _, wanted: StatsQuery| {
        log_stats(&context.backend, &wanted)
    })?;
    add_answer_method(module, "templates/list", |context, _, Place { cwd }| {
        Ok(template_infos(&cwd.unwrap_or_else(|| context.backend.options.cwd.clone())))
    })
}

fn log_stats(backend: &Backend, wanted: &StatsQuery) -> Result<Stats, RpcError> {
    let long = wanted.days.map(|days| SignedDuration::from_hours(24 * i64::from(days.min(LONGEST))));
    let mut query = EntryQuery {
        order: Order::OldestFirst,
        limit: Some(PAGE),
        kinds: KINDS.to_vec(),
        agent: wanted.agent.as_deref().map(|name| backend.agent_id(name)),
        since: long.and_then(|long| Timestamp::now().checked_sub(long).ok()),
        ..EntryQuery::default()
    };
    let (mut figures, mut parts) = (StatsBuilder::new(TimeZone::system()), RecordParts::default());
    for _ in 0..MOST_PAGES {
        let page = backend.options.store.query_entries(&query)?;
        query.after = page.last().map(|recorded| recorded.seq);
        let last = page.len() < PAGE as usize;
        for recorded in page {
            if let Some(part) = parts.push(recorded) {
                figures.add_entries(&part);
            }
        }
        if last {
            break;
        }
    }
    figures.add_entries(&parts.finish());
    Ok(figures.finish())
}

/// Every template, for a project in `folder`.
fn template_infos(folder: &std::path::Path) -> Vec<TemplateInfo> {
    let languages: Vec<_> = detect_languages(folder).into_iter().map(|(language, _)| language).collect();
    let info = |template: &Template| {
        let text = template.render(&languages, &Project::default(), None, None);
        // The first paragraph of its comment.
        let words = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
        let about = words.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        TemplateInfo { name: template.name(), about, text }
    };
    Template::ALL.iter().map(info).collect()
}
