//! Answers that hold for longer than one request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::judge::{Answer, Wish};
use crate::questions::Asker;

/// What an answer is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    method: String,
    host: String,
    port: u16,
    url: Option<String>,
}

/// Longer addresses are asked about each time.
const LONGEST_URL: usize = 4096;

impl Subject {
    pub(crate) fn of(wish: &Wish) -> Self {
        Self {
            method: wish.method.clone(),
            host: wish.host.clone(),
            port: wish.port,
            url: wish.url.as_ref().map(|url| url.href.clone()),
        }
    }

    fn is_short(&self) -> bool {
        self.method.len() + self.url.as_ref().map_or(0, String::len) <= LONGEST_URL
    }
}

/// An answer that came when nobody waited for it any more.
struct Late {
    answer: Answer,
    /// How many gave up waiting for it.
    tries: usize,
    until: Instant,
}

/// Answers by whom they are for.
pub(crate) struct Memory {
    /// Maximum number for each.
    most: usize,
    commands: HashMap<Arc<str>, HashMap<Subject, Answer>>,
    askers: HashMap<Asker, HashMap<Subject, Answer>>,
    late: HashMap<Asker, HashMap<Subject, Late>>,
}

impl Memory {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, commands: HashMap::new(), askers: HashMap::new(), late: HashMap::new() }
    }

    /// What is remembered for a command. A late answer counts for as many tries as gave up waiting for it.
    pub(crate) fn recall(&mut self, command: &str, asker: &Asker, subject: &Subject) -> Option<Answer> {
        let lasting = self.commands.get(command).and_then(|answers| answers.get(subject));
        let lasting = lasting.or_else(|| self.askers.get(asker)?.get(subject));
        if let Some(answer) = lasting {
            return Some(answer.clone());
        }
        let answers = self.late.get_mut(asker)?;
        let now = Instant::now();
        answers.retain(|_, late| late.until > now && late.tries > 0);
        let late = answers.get_mut(subject)?;
        late.tries -= 1;
        Some(late.answer.clone())
    }

    pub(crate) fn keep_for_command(&mut self, command: &Arc<str>, subject: &Subject, answer: &Answer) {
        keep(self.commands.entry(Arc::clone(command)).or_default(), self.most, subject, answer.clone());
    }

    pub(crate) fn keep_for_asker(&mut self, asker: &Asker, subject: &Subject, answer: &Answer) {
        keep(self.askers.entry(asker.clone()).or_default(), self.most, subject, answer.clone());
    }

    pub(crate) fn keep_late(
        &mut self,
        asker: &Asker,
        subject: &Subject,
        answer: &Answer,
        tries: usize,
        time: Duration,
    ) {
        let answers = self.late.entry(asker.clone()).or_default();
        let now = Instant::now();
        answers.retain(|_, late| late.until > now && late.tries > 0);
        keep(answers, self.most, subject, Late { answer: answer.clone(), tries, until: now + time });
    }

    /// Forgets what is for a command that has ended.
    pub(crate) fn forget_command(&mut self, command: &Arc<str>) {
        let alone = Asker::Command(Arc::clone(command));
        self.commands.remove(command);
        self.askers.remove(&alone);
        self.late.remove(&alone);
    }

    pub(crate) fn forget_all(&mut self) {
        *self = Self::new(self.most);
    }
}

/// What does not fit is asked about again.
fn keep<T>(answers: &mut HashMap<Subject, T>, most: usize, subject: &Subject, answer: T) {
    if subject.is_short() && (answers.len() < most || answers.contains_key(subject)) {
        answers.insert(subject.clone(), answer);
    }
}
