use std::sync::atomic::AtomicBool;

use axum::body::{BodyDataStream, to_bytes};
use futures::{FutureExt, StreamExt};

use super::*;
use crate::returning_clients::JoinableAnswers;

fn feed(answers: &JoinableAnswers<Feed>) -> (FeedWriter, watch::Receiver<Feed>) {
    let request = mayi_core::call::digest_of_bytes(b"request");
    let (shared, read) = SharedAnswer::new(answers, Some(request), Feed::new());
    let writer = FeedWriter::new(shared, &read);
    assert!(writer.begin_answer(AnswerStart::Stream((StatusCode::OK, HeaderMap::new()))).is_none());
    (writer, read)
}

async fn read(feed: watch::Receiver<Feed>) -> BodyDataStream {
    answer_from_feed(feed).await.unwrap().into_body().into_data_stream()
}

/// S6.12: whoever joins reads all of it, also where the first reader is gone.
#[tokio::test(start_paused = true)]
async fn given_who_joins_then_it_reads_the_stream_from_its_beginning() {
    let answers = JoinableAnswers::default();
    let (writer, first) = feed(&answers);
    assert!(writer.send(Bytes::from_static(b"a")).await);
    let request = mayi_core::call::digest_of_bytes(b"request");
    assert!(answers.join(&request).is_none());
    assert!(writer.answer.claim_request().is_ok());
    drop(read(first).await);
    assert!(writer.send(Bytes::from_static(b"b")).await);
    let again = answers.join(&request).unwrap();
    assert!(writer.send(Bytes::from_static(b"c")).await);
    writer.finish(Ok(()));
    assert_eq!(to_bytes(answer_from_feed(again).await.unwrap().into_body(), 10).await.unwrap(), "abc");
    assert!(answers.join(&request).is_none());
}

/// S6.12: ten seconds from when the last of them left.
#[tokio::test(start_paused = true)]
async fn given_who_comes_back_and_leaves_then_the_time_begins_anew() {
    let answers = JoinableAnswers::default();
    let (writer, first) = feed(&answers);
    assert!(writer.answer.claim_request().is_ok());
    let request = mayi_core::call::digest_of_bytes(b"request");
    let begun = tokio::time::Instant::now();
    let open = AtomicBool::new(false);
    let coming = async {
        tokio::time::sleep(Duration::from_secs(8)).await;
        drop(first);
        tokio::time::sleep(Duration::from_secs(8)).await;
        let again = answers.join(&request).unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        drop(again);
    };
    tokio::join!(writer.answer.wait_until_abandoned(&open), coming);
    assert_eq!(begun.elapsed().as_secs(), 8 + 8 + 20 + 10);
    assert!(answers.join(&request).is_none());
}

/// A reader that is gone holds nobody else up, and takes nothing from them.
#[tokio::test(start_paused = true)]
async fn given_a_reader_that_was_ahead_and_left_then_the_next_one_loses_nothing() {
    let answers = JoinableAnswers::default();
    let (writer, first) = feed(&answers);
    assert!(writer.answer.claim_request().is_ok());
    let mut ahead = read(first).await;
    for _ in 0..9 {
        assert!(writer.send(Bytes::from(vec![b'x'; KEPT / 10])).await);
        ahead.next().await.unwrap().unwrap();
    }
    let again = answers.join(&mayi_core::call::digest_of_bytes(b"request")).unwrap();
    let again = read(again).await;
    drop(ahead);
    for _ in 0..9 {
        assert!(writer.send(Bytes::from(vec![b'x'; KEPT / 10])).await);
    }
    writer.finish(Ok(()));
    let chunks: Vec<_> = again.collect().await;
    assert_eq!((chunks.len(), chunks.iter().all(Result::is_ok)), (18, true));
}

/// Nobody joins where the beginning is gone, and what nobody reads does not grow for ever.
#[tokio::test(start_paused = true)]
async fn given_more_than_is_kept_then_nobody_joins() {
    let answers = JoinableAnswers::default();
    let (writer, first) = feed(&answers);
    assert!(writer.answer.claim_request().is_ok());
    drop(first);
    for _ in 0..40 {
        assert!(writer.send(Bytes::from(vec![b'x'; KEPT / 10])).await);
    }
    let again = answers.join(&mayi_core::call::digest_of_bytes(b"request")).unwrap();
    assert!(again.borrow().bytes <= KEPT);
    assert_eq!(answer_from_feed(again).await.unwrap_err().status, StatusCode::CONFLICT);
}

/// An app that reads slowly slows the endpoint, and loses nothing.
#[tokio::test(start_paused = true)]
async fn given_a_slow_reader_then_the_writer_waits() {
    let (writer, first) = feed(&JoinableAnswers::default());
    let mut reader = read(first).await;
    for _ in 0..AHEAD {
        assert_eq!(writer.send(Bytes::from(vec![b'x'; KEPT / 10])).now_or_never(), Some(true));
    }
    let mut waits = Box::pin(writer.send(Bytes::from_static(b"last")));
    assert_eq!(waits.as_mut().now_or_never(), None);
    assert_eq!(reader.next().await.unwrap().unwrap().len(), KEPT / 10);
    assert_eq!(waits.as_mut().now_or_never(), Some(true));
    drop(waits);
    for _ in 1..AHEAD {
        assert_eq!(reader.next().await.unwrap().unwrap().len(), KEPT / 10);
    }
    assert_eq!(reader.next().await.unwrap().unwrap(), "last");
    // Without an end it has broken off.
    drop(writer);
    assert!(reader.next().await.unwrap().is_err() && reader.next().await.is_none());
}

/// Where nobody is there, and nobody can come back, nothing more is made.
#[tokio::test(start_paused = true)]
async fn given_a_reader_that_goes_then_the_writer_hears_of_it() {
    let (writer, first) = feed(&JoinableAnswers::default());
    drop(first);
    assert!(!writer.send(Bytes::from_static(b"a")).await);
    assert_eq!(writer.answer.wait_until_abandoned(&AtomicBool::new(true)).now_or_never(), Some(()));
}
