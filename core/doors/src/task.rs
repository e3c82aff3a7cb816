//! Tasks: what a door does beside something else.

use std::pin::Pin;

use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Starts a task, as `tokio::spawn` does.
///
/// Tokio's code for a task is compiled for each kind of future, and once more for each kind of runtime: a future that is behind a
/// pointer is of the same kind as all others that give the same. The program is smaller by it, for one allocation more.
///
/// # Panics
/// Outside of a runtime, as `tokio::spawn` does.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let boxed: Boxed<F::Output> = Box::pin(future);
    tokio::spawn(boxed)
}

/// A [`TaskTracker`] that starts tasks in the same way.
pub trait SpawnBoxed {
    /// Starts a task that is waited for with the others.
    fn spawn_boxed<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;
}

impl SpawnBoxed for TaskTracker {
    fn spawn_boxed<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let boxed: Boxed<F::Output> = Box::pin(future);
        self.spawn(boxed)
    }
}
