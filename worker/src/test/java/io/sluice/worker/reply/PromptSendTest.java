package io.sluice.worker.reply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class PromptSendTest {
  private final AtomicInteger flushes = new AtomicInteger();
  private final Deque<Runnable> threads = new ArrayDeque<>();
  private final Deque<Runnable> duringFlush = new ArrayDeque<>();
  private final PromptSend prompt = new PromptSend(new Counting(), threads::add);

  /** Does something in the middle of its flushes. */
  private final class Counting extends MockProducer<String, String> {
    Counting() {
      super(true, null, new StringSerializer(), new StringSerializer());
    }

    @Override
    public synchronized void flush() {
      flushes.incrementAndGet();
      if (!duringFlush.isEmpty()) {
        duringFlush.removeFirst().run();
      }
    }
  }

  @Test
  void whatIsAskedForBeforeAFlushSharesIt() {
    prompt.now();
    prompt.now();

    assertThat(threads).hasSize(1);
    threads.removeFirst().run();
    assertThat(flushes).hasValue(1);
  }

  @Test
  void whatIsAskedForDuringAFlushGetsAnotherOneOfTheSameThread() {
    duringFlush.add(prompt::now);
    prompt.now();

    threads.removeFirst().run();
    assertThat(flushes).hasValue(2);
    assertThat(threads).isEmpty();
  }

  @Test
  void aLaterQuestionGetsAnotherThread() {
    prompt.now();
    threads.removeFirst().run();

    prompt.now();
    assertThat(threads).hasSize(1);
  }
}
