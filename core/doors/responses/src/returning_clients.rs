//! Clients that come back. A client that gives up while a question waits, or while a call that was approved runs, may come back
//! with the same request: it then joins what is there. No second question is made of it, and nothing runs twice (S6.12).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayi_core::call::Digest;
use mayi_doors::task::spawn;
use tokio::sync::watch;
use tokio::time::Instant;

/// So long a question stays for a client that is gone, and an answer that nobody got: the official clients come back in a few
/// seconds.
const BACK: Duration = Duration::from_secs(10);
/// So many are known by their requests.
const MOST: usize = 64;

/// What may be all there.
pub(crate) trait Completable {
    /// Whether nothing more comes.
    fn is_over(&self) -> bool;

    /// Whether whoever joins now gets all of it.
    fn is_whole(&self) -> bool;
}

type Joinable<T> = HashMap<String, Arc<watch::Sender<T>>>;

/// Answers that wait for somebody, or that nobody has got yet, by the digests of their requests.
#[derive(Debug)]
pub(crate) struct JoinableAnswers<T>(Arc<Mutex<Joinable<T>>>);

impl<T> Default for JoinableAnswers<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for JoinableAnswers<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> JoinableAnswers<T> {
    fn lock(&self) -> MutexGuard<'_, Joinable<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove_sender(&self, key: &str, sender: &Arc<watch::Sender<T>>) {
        let mut answers = self.lock();
        if answers.get(key).is_some_and(|other| Arc::ptr_eq(other, sender)) {
            answers.remove(key);
        }
    }
}

impl<T: Completable> JoinableAnswers<T> {
    /// The answer to this very request, if it is on its way.
    pub(crate) fn join(&self, request: &Digest) -> Option<watch::Receiver<T>> {
        let mut answers = self.lock();
        let receiver = answers.get(request.as_str())?.subscribe();
        let kept = { receiver.borrow().is_over() && receiver.borrow().is_whole() };
        // It was kept for whoever comes back, which is one.
        if kept {
            answers.remove(request.as_str());
        }
        Some(receiver)
    }
}

/// An answer that is being made, for everybody who has asked the same.
pub(crate) struct SharedAnswer<T> {
    answers: JoinableAnswers<T>,
    /// What it is known by; none, where nobody can come back.
    request: Option<Digest>,
    sender: Arc<watch::Sender<T>>,
    /// It is known by its request.
    claimed: AtomicBool,
}

impl<T> SharedAnswer<T> {
    pub(crate) fn new(
        answers: &JoinableAnswers<T>,
        request: Option<Digest>,
        begins: T,
    ) -> (Self, watch::Receiver<T>) {
        let (sender, receiver) = watch::channel(begins);
        let claimed = AtomicBool::new(false);
        (Self { answers: answers.clone(), request, sender: Arc::new(sender), claimed }, receiver)
    }

    /// From now on whoever asks the same gets this answer.
    ///
    /// # Errors
    /// If somebody else's is on its way: that one.
    pub(crate) fn claim_request(&self) -> Result<(), watch::Receiver<T>> {
        let Some(request) = self.request.as_ref().filter(|_| !self.is_claimed()) else { return Ok(()) };
        let mut answers = self.answers.lock();
        if let Some(other) = answers.get(request.as_str()) {
            return Err(other.subscribe());
        }
        if answers.len() < MOST {
            answers.insert(request.as_str().to_owned(), Arc::clone(&self.sender));
            self.claimed.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_claimed(&self) -> bool {
        self.claimed.load(Ordering::Relaxed)
    }

    /// Whether somebody waits for it, or may come back.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_read() || self.is_claimed()
    }

    /// Whether somebody waits for it.
    pub(crate) fn is_read(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    /// Returns when nobody waits any more.
    pub(crate) async fn wait_until_unread(&self) {
        self.sender.closed().await;
    }

    /// Returns when nobody waits any more, and nobody has come back in time. While something runs that was approved (`open`),
    /// and for as long after it, somebody may. Nobody joins from then on.
    pub(crate) async fn wait_until_abandoned(&self, open: &AtomicBool) {
        loop {
            self.wait_until_unread().await;
            let mut until = Instant::now() + BACK;
            while self.is_claimed() && !self.is_read() && Instant::now() < until {
                if open.load(Ordering::Relaxed) {
                    until = Instant::now() + BACK;
                }
                tokio::time::sleep(BACK / 40).await;
            }
            let mut answers = self.answers.lock();
            if !self.is_read() {
                self.remove_claim(&mut answers);
                return;
            }
        }
    }

    /// Nobody joins from now on: it was had, or was taken back.
    pub(crate) fn release_claim(&self) {
        self.remove_claim(&mut self.answers.lock());
    }

    fn remove_claim(&self, answers: &mut Joinable<T>) {
        if let Some(request) = self.request.as_ref().filter(|_| self.claimed.swap(false, Ordering::Relaxed))
            && answers.get(request.as_str()).is_some_and(|other| Arc::ptr_eq(other, &self.sender))
        {
            answers.remove(request.as_str());
        }
    }

    /// Says more of it.
    pub(crate) fn modify_answer(&self, change: impl FnOnce(&mut T)) {
        self.sender.send_modify(change);
    }
}

impl<T: Send + Sync + 'static> SharedAnswer<T> {
    /// Says the last of it. Where nobody is there, it stays for a while.
    pub(crate) fn finish(&self, last: impl FnOnce(&mut T)) {
        let mut joinable = self.answers.lock();
        let is_read = self.is_read();
        self.sender.send_modify(last);
        if is_read {
            // Whoever asks the same from now on wants it once more.
            self.remove_claim(&mut joinable);
            return;
        }
        let Some(request) = self.request.as_ref().filter(|_| self.claimed.swap(false, Ordering::Relaxed))
        else {
            return;
        };
        let key = request.as_str().to_owned();
        drop(joinable);
        let (answers, sender) = (self.answers.clone(), Arc::clone(&self.sender));
        spawn(async move {
            tokio::time::sleep(BACK).await;
            answers.remove_sender(&key, &sender);
        });
    }
}

impl<T> Drop for SharedAnswer<T> {
    fn drop(&mut self) {
        self.release_claim();
    }
}
