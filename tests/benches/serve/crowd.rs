//! Very many cards wait at once, and very many clients hear of each: nothing is lost.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;

use futures::future::try_join_all;
use jsonrpsee::core::client::Subscription;
use tokio::task::JoinHandle;

use crate::asking::Asking;
use crate::backend::Backend;
use crate::client::{Batch, Client, PATIENCE};
use crate::common::Outcome;
use crate::{Bench, between, figures, line, millis, now, resident};

/// As many cards of one session may wait.
const OF_A_TAB: usize = 64;

/// A card that was heard of.
struct Asked {
    approval: String,
    digest: String,
    tab: String,
    call: String,
    at: u64,
}

/// What a subscriber has heard, and the rest of what it hears.
struct Subscriber {
    client: Arc<Client>,
    events: Subscription<Batch>,
    asked: Vec<Asked>,
    /// What was settled, and when that was heard of.
    settled: Vec<(String, u64)>,
    ended: usize,
}

pub(crate) async fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("crowd") {
        return Ok(());
    }
    let (cards, subscribers) = (bench.options.rounds(1000, 256), bench.options.rounds(100, 25));
    let agents = agents(bench, cards)?;
    let backend = Backend::start(bench, "crowd", &agents)?;
    let mut crowd = Vec::new();
    for at in 0..subscribers {
        // One after the other: of many who have not shown yet who they are, the oldest have to go.
        crowd.push(subscriber(&backend, at).await?);
    }
    let first = Arc::clone(&crowd.first().ok_or("nobody is there")?.client);
    try_join_all(agents.iter().map(|agent| first.open(&agent.name, &agent.name, &bench.machine.work)))
        .await?;
    let [before, _] = resident::of(backend.process())?;

    let hearing = spawn(crowd, move |one| one.hear(cards, Subscriber::asks));
    try_join_all(agents.iter().map(|agent| first.prompt(&agent.name))).await?;
    let crowd = join(hearing).await?;
    let [waiting, _] = resident::of(backend.process())?;

    let to_answer = by_tab(crowd.first().ok_or("nobody is there")?);
    let hearing = spawn(crowd, move |one| one.hear(cards, Subscriber::settles));
    let sent = answer(&backend, to_answer).await?;
    let crowd = join(hearing).await?;
    let [after, most] = resident::of(backend.process())?;

    let ids: HashSet<&str> = sent.keys().map(String::as_str).collect();
    for one in &crowd {
        one.has_heard_of(&ids, cards)?;
    }
    let turns = agents.len();
    let crowd = join(spawn(crowd, move |one| one.hear(turns, Subscriber::turns))).await?;
    let times = Times::of(&crowd, &agents, &sent)?;
    println!(
        "\ncrowd: {} cards wait at once in {} tabs, {subscribers} subscribers, 30 rules, record on",
        figures::grouped(cards),
        agents.len()
    );
    println!("{}", line("from the agent's request to each subscriber's card", &times.asked));
    println!("{}", line("from approval/respond to each subscriber's resolution", &times.settled));
    println!(
        "  from the first request until the last subscriber has the last card: {}",
        millis(times.all_asked)
    );
    println!("  from the first answer until the last has the last resolution: {}", millis(times.all_settled));
    println!(
        "  nothing lost: each heard of {0} approval-requests and {0} approval-resolveds",
        figures::grouped(cards)
    );
    println!(
        "  memory of the backend: {} MiB before, {} MiB with all cards, {} MiB after, {} MiB at most",
        resident::mib(before),
        resident::mib(waiting),
        resident::mib(after),
        resident::mib(most)
    );
    Ok(())
}

/// As many as it takes, each of which asks all at once.
fn agents(bench: &Bench, cards: usize) -> Outcome<Vec<Asking>> {
    let folder = bench.machine.at("noted")?;
    let mut agents = Vec::new();
    let mut left = cards;
    while left > 0 {
        let calls = left.min(OF_A_TAB);
        agents.push(Asking::new(&folder, &format!("crowd-{}", agents.len()), calls, calls, 0));
        left -= calls;
    }
    Ok(agents)
}

async fn subscriber(backend: &Backend, at: usize) -> Outcome<Subscriber> {
    let client = Arc::new(backend.client(&format!("editor-{at}")).await?);
    let events = client.events().await?;
    Ok(Subscriber { client, events, asked: Vec::new(), settled: Vec::new(), ended: 0 })
}

impl Subscriber {
    /// Hears until it has heard of `cards` cards in the way that `so_far` counts.
    async fn hear(mut self, cards: usize, so_far: fn(&Self) -> usize) -> Outcome<Self> {
        let patience = tokio::time::sleep(PATIENCE);
        tokio::pin!(patience);
        while so_far(&self) < cards {
            let batch = tokio::select! {
                batch = self.events.next() => batch.ok_or("a subscription has ended")??,
                () = &mut patience => {
                    return Err(format!("lost: a subscriber has heard of {} of {cards}", so_far(&self)).into());
                }
            };
            let at = now()?;
            for event in batch.events {
                let call = event.call().unwrap_or_default().to_owned();
                match (event.kind.as_str(), event.approval_id, event.digest, event.tab_id) {
                    ("approval-request", Some(approval), Some(digest), Some(tab)) => {
                        self.asked.push(Asked { approval, digest, tab, call, at });
                    }
                    ("approval-resolved", Some(approval), ..) => self.settled.push((approval, at)),
                    ("turn-ended", ..) => self.ended += 1,
                    _ => {}
                }
            }
        }
        Ok(self)
    }

    fn asks(&self) -> usize {
        self.asked.len()
    }

    fn settles(&self) -> usize {
        self.settled.len()
    }

    fn turns(&self) -> usize {
        self.ended
    }

    /// Whether it has heard of each of these once as a card and once as settled, and of nothing else.
    fn has_heard_of(&self, ids: &HashSet<&str>, cards: usize) -> Outcome<()> {
        let asked: HashSet<&str> = self.asked.iter().map(|asked| asked.approval.as_str()).collect();
        let settled: HashSet<&str> = self.settled.iter().map(|(id, _)| id.as_str()).collect();
        let all = ids.len() == cards && self.asked.len() == cards && self.settled.len() == cards;
        if all && asked == *ids && settled == *ids {
            return Ok(());
        }
        let [asked, settled] = [asked, settled].map(|heard| ids.difference(&heard).count());
        Err(format!("lost: a subscriber has not heard of {asked} cards and {settled} resolutions").into())
    }
}

type Hearing = Vec<JoinHandle<Outcome<Subscriber>>>;

/// Each of them in a task of its own.
fn spawn<F>(crowd: Vec<Subscriber>, hear: impl Fn(Subscriber) -> F) -> Hearing
where
    F: Future<Output = Outcome<Subscriber>> + Send + 'static,
{
    crowd.into_iter().map(|one| tokio::spawn(hear(one))).collect()
}

/// What is to be answered: the cards of each tab, by their ids and digests.
fn by_tab(one: &Subscriber) -> Vec<Vec<(String, String)>> {
    let mut tabs: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for Asked { tab, approval, digest, .. } in &one.asked {
        tabs.entry(tab).or_default().push((approval.clone(), digest.clone()));
    }
    tabs.into_values().collect()
}

/// Approves everything: a client for each tab, which answers one card after the other. When each answer was sent.
async fn answer(backend: &Backend, tabs: Vec<Vec<(String, String)>>) -> Outcome<HashMap<String, u64>> {
    let clients = try_join_all((0..tabs.len()).map(|_| backend.client("answering"))).await?;
    let answering = clients.into_iter().zip(tabs).map(|(client, cards)| {
        tokio::spawn(async move {
            let mut sent = Vec::new();
            for (approval, digest) in cards {
                let at = now()?;
                client.answer(&approval, &digest, "allow_once").await?;
                sent.push((approval, at));
            }
            Ok(sent)
        })
    });
    let sent: Outcome<Vec<Vec<_>>> = try_join_all(answering).await?.into_iter().collect();
    Ok(sent?.into_iter().flatten().collect())
}

/// How long everything took.
struct Times {
    asked: Vec<i64>,
    settled: Vec<i64>,
    all_asked: i64,
    all_settled: i64,
}

impl Times {
    fn of(crowd: &[Subscriber], agents: &[Asking], sent: &HashMap<String, u64>) -> Outcome<Self> {
        let mut asked_at: HashMap<(&str, String), u64> = HashMap::new();
        for agent in agents {
            asked_at.extend(
                agent.noted()?.into_iter().map(|noted| ((agent.name.as_str(), noted.call), noted.asked)),
            );
        }
        let (mut asked, mut settled) = (Vec::new(), Vec::new());
        let (mut last_asked, mut last_settled) = (0, 0);
        for one in crowd {
            for card in &one.asked {
                let from =
                    asked_at.get(&(card.tab.as_str(), card.call.clone())).ok_or("a card nobody asked for")?;
                asked.push(between(*from, card.at)?);
                last_asked = last_asked.max(card.at);
            }
            for (id, at) in &one.settled {
                settled.push(between(*sent.get(id).ok_or("a card nobody answered")?, *at)?);
                last_settled = last_settled.max(*at);
            }
        }
        let first_asked = asked_at.values().min().copied().unwrap_or_default();
        let first_sent = sent.values().min().copied().unwrap_or_default();
        Ok(Self {
            asked,
            settled,
            all_asked: between(first_asked, last_asked)?,
            all_settled: between(first_sent, last_settled)?,
        })
    }
}

async fn join(hearing: Hearing) -> Outcome<Vec<Subscriber>> {
    try_join_all(hearing).await?.into_iter().collect()
}
