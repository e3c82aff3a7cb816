//! Asking the judge: once for all who want the same, and no longer than they can wait.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::judge::{Answer, Judge, Lasts, Wish};
use crate::limits::Limits;
use crate::memory::{Memory, Subject};

/// Whom a question is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Asker {
    /// All commands of a program.
    Program(Arc<str>),
    /// One command.
    Command(Arc<str>),
}

/// What asking came to.
pub(crate) enum Outcome {
    Answered(Answer),
    /// Nobody has answered yet; the question stays.
    Waiting,
    /// The command has too many questions open.
    TooMany,
}

type Key = (Asker, Subject);

/// Maximum number of tries that an answer for once counts for when it comes late.
const LATE_TRIES: usize = 16;

/// A question that is open.
struct Question {
    number: u64,
    /// The commands that want to know. When all of them have ended the question is withdrawn.
    commands: HashSet<Arc<str>>,
    /// How many gave up waiting.
    left: usize,
    answer: watch::Receiver<Option<Answer>>,
    withdrawn: CancellationToken,
}

struct Open {
    questions: HashMap<Key, Question>,
    memory: Memory,
    /// How many questions there were.
    count: u64,
}

/// All questions, and the answers that are remembered.
pub(crate) struct Questions {
    judge: Arc<dyn Judge>,
    limits: Limits,
    open: Mutex<Open>,
}

impl Questions {
    pub(crate) fn new(judge: Arc<dyn Judge>, limits: &Limits) -> Self {
        let memory = Memory::new(limits.answers_each);
        let open = Mutex::new(Open { questions: HashMap::new(), memory, count: 0 });
        Self { judge, limits: limits.clone(), open }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the judge says of `wish`, or said of it.
    pub(crate) async fn ask(self: &Arc<Self>, asker: Asker, wish: &Arc<Wish>) -> Outcome {
        let key = (asker, Subject::of(wish));
        let (number, mut answer) = {
            let mut open = self.open();
            if let Some(answer) = open.memory.recall(&wish.command, &key.0, &key.1) {
                return Outcome::Answered(answer);
            }
            match self.join(&mut open, &key, wish) {
                Some(joined) => joined,
                None => return Outcome::TooMany,
            }
        };
        let mut waiting = Waiting { questions: self, key: &key, number, answered: false };
        // What came of it is looked at then: nobody has answered, the question was withdrawn, or an answer is there.
        let _ = tokio::time::timeout(self.limits.hold, answer.wait_for(Option::is_some)).await.map(drop);
        let given = answer.borrow().clone();
        waiting.answered = given.is_some();
        given.map_or(Outcome::Waiting, Outcome::Answered)
    }

    /// Joins a question that is open, or opens it.
    fn join(
        self: &Arc<Self>,
        open: &mut Open,
        key: &Key,
        wish: &Arc<Wish>,
    ) -> Option<(u64, watch::Receiver<Option<Answer>>)> {
        let mine =
            open.questions.values().filter(|question| question.commands.contains(&wish.command)).count();
        if let Some(question) = open.questions.get_mut(key) {
            question.commands.insert(Arc::clone(&wish.command));
            return Some((question.number, question.answer.clone()));
        }
        if mine >= self.limits.questions_each {
            return None;
        }
        open.count += 1;
        let number = open.count;
        let (tell, answer) = watch::channel(None);
        let withdrawn = CancellationToken::new();
        let question = Question {
            number,
            commands: HashSet::from([Arc::clone(&wish.command)]),
            left: 0,
            answer: answer.clone(),
            withdrawn: withdrawn.clone(),
        };
        open.questions.insert(key.clone(), question);
        tokio::spawn(Arc::clone(self).settle(key.clone(), number, Arc::clone(wish), tell, withdrawn));
        Some((number, answer))
    }

    /// Has a question answered, and tells all who wait.
    async fn settle(
        self: Arc<Self>,
        key: Key,
        number: u64,
        wish: Arc<Wish>,
        tell: watch::Sender<Option<Answer>>,
        withdrawn: CancellationToken,
    ) {
        let judge = Arc::clone(&self.judge);
        // A task of its own: a judge that panics has given no answer.
        let judged = AbortOnDropHandle::new(tokio::spawn(async move { judge.judge(&wish).await }));
        let answer = tokio::select! {
            () = withdrawn.cancelled() => return,
            judged = judged => judged.unwrap_or_else(|_| Answer::Deny {
                words: "mayi: this could not be decided, and is refused. Do not try another way.".to_owned(),
                lasts: Lasts::Once,
            }),
        };
        let lasts = match &answer {
            Answer::Allow(allowance) => allowance.lasts,
            Answer::Deny { lasts, .. } => *lasts,
        };
        let mut open = self.open();
        let Open { questions, memory, .. } = &mut *open;
        let Some(question) = questions.remove_entry(&key) else { return };
        let (key, question) = match question {
            (key, question) if question.number == number => (key, question),
            // Withdrawn, and asked again since.
            (key, other) => {
                questions.insert(key, other);
                return;
            }
        };
        match lasts {
            Lasts::Once if question.left > 0 => {
                memory.keep_late(&key.0, &key.1, &answer, question.left, self.limits.late_answer);
            }
            Lasts::Once => {}
            Lasts::Command => {
                for command in &question.commands {
                    memory.keep_for_command(command, &key.1, &answer);
                }
            }
            Lasts::Proxy => memory.keep_for_asker(&key.0, &key.1, &answer),
        }
        tell.send_replace(Some(answer));
    }

    /// Forgets a command that has ended, and withdraws what only it wanted to know.
    pub(crate) fn end(&self, command: &Arc<str>) {
        let mut open = self.open();
        open.memory.forget_command(command);
        open.questions.retain(|_, question| {
            question.commands.remove(command);
            let wanted = !question.commands.is_empty();
            if !wanted {
                question.withdrawn.cancel();
            }
            wanted
        });
    }

    pub(crate) fn forget_answers(&self) {
        self.open().memory.forget_all();
    }
}

/// Somebody who waits; gone without an answer, the next try is told at once what it was.
struct Waiting<'a> {
    questions: &'a Questions,
    key: &'a Key,
    number: u64,
    answered: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        let mut open = self.questions.open();
        if let Some(question) = open.questions.get_mut(self.key)
            && question.number == self.number
        {
            question.left = LATE_TRIES.min(question.left + 1);
        }
    }
}
