package io.sluice.standalone.verify;

import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/** What has arrived of a stream so far. Thread-safe. */
final class WatchedStream implements AutoCloseable {
  private final ReplyStream stream;
  private final AtomicInteger records = new AtomicInteger();
  private final AtomicInteger discarded = new AtomicInteger();
  private volatile int tokens;
  private volatile boolean isEnded;

  /** Starts to read a stream; no other reader may read it event by event. */
  WatchedStream(ReplyStream stream) {
    this.stream = stream;
    stream.subscribe(new Counter());
  }

  /** Returns the number of the answer's tokens so far, without those that a restart discarded. */
  int tokens() {
    return tokens;
  }

  /** Returns the number of records with tokens so far. */
  int records() {
    return records.get();
  }

  /** Returns how many tokens were discarded so far because the answer began again. */
  int discarded() {
    return discarded.get();
  }

  boolean isEnded() {
    return isEnded;
  }

  /**
   * Waits for the whole answer.
   *
   * @throws ExecutionException if the request fails
   * @throws TimeoutException if there is no answer in time
   */
  Answer answer(Duration atMost) throws InterruptedException, ExecutionException, TimeoutException {
    return stream.answer().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    stream.cancel();
    stream.close();
  }

  private final class Counter implements Flow.Subscriber<ReplyEvent> {
    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(ReplyEvent event) {
      switch (event) {
        case ReplyEvent.Tokens more -> {
          tokens = more.index() + more.count();
          records.incrementAndGet();
        }
        case ReplyEvent.Restarted again -> {
          tokens = 0;
          discarded.addAndGet(again.tokensDiscarded());
        }
        case ReplyEvent.Resumed _ -> {}
        case ReplyEvent.Terminal _ -> isEnded = true;
      }
    }

    @Override
    public void onError(Throwable misuse) {
      isEnded = true;
    }

    @Override
    public void onComplete() {
      isEnded = true;
    }
  }
}
