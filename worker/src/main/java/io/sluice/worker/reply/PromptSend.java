package io.sluice.worker.reply;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Producer;

/**
 * Sends at once what a producer holds back so that more of it shares a request. A producer lingers
 * with all records or with none, but with none of them while somebody waits in {@link
 * Producer#flush}; here that is one thread at most. Thread-safe.
 */
final class PromptSend {
  private final Producer<?, ?> producer;
  private final Executor threads;
  private final AtomicInteger asked = new AtomicInteger();

  /**
   * @param threads runs a task that blocks until what was sent is acknowledged or has failed
   */
  PromptSend(Producer<?, ?> producer, Executor threads) {
    this.producer = producer;
    this.threads = threads;
  }

  /** Sends what the producer has been given so far. Does not block. */
  void now() {
    if (asked.getAndIncrement() == 0) {
      threads.execute(this::flush);
    }
  }

  private void flush() {
    int answered;
    do {
      answered = asked.get();
      producer.flush();
    } while (!asked.compareAndSet(answered, 0));
  }
}
