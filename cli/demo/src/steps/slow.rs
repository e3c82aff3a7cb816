//! A turn that takes its time.

use std::time::Duration;

use crate::turn::{DemoStop, Turn};

/// Prints that many dots, one every 200 ms.
pub(crate) async fn run(turn: &Turn, dots: u32) -> Result<(), DemoStop> {
    for _ in 0..dots {
        turn.say_at_once(".".to_owned())?;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    turn.say_slowly(" Done.").await
}
