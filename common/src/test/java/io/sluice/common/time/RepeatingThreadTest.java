package io.sluice.common.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RepeatingThreadTest {
  private static final Duration PAUSE = Duration.ofMillis(1);

  private final Logger log = (Logger) LoggerFactory.getLogger(RepeatingThread.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();
  private final RepeatingThread thread = new RepeatingThread("helper", nanos::get);
  private final AtomicInteger runs = new AtomicInteger();

  @BeforeEach
  void listen() {
    appender.start();
    log.addAppender(appender);
  }

  @AfterEach
  void stop() {
    thread.close();
    log.detachAppender(appender);
  }

  @Test
  void aTaskThatFailsRunsAgainAndIsLoggedOnceInAWhile() {
    // When
    var _ = thread.repeat(Duration.ZERO, PAUSE, this::fail);
    await().until(() -> runs.get() > 3);

    // Then
    assertThat(appender.list).hasSize(1);
    assertThat(appender.list.getFirst().getLevel()).isEqualTo(Level.ERROR);
    assertThat(appender.list.getFirst().getFormattedMessage())
        .startsWith("event=thread_failed thread=helper ");
    assertThat(appender.list.getFirst().getThrowableProxy()).isNotNull();

    // When
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    int before = runs.get();
    await().until(() -> runs.get() > before + 3);

    // Then
    assertThat(appender.list).hasSize(2);
  }

  @Test
  void aTaskThatIsCancelledGivesWayToTheNext() {
    var others = new AtomicInteger();
    Future<?> first = thread.repeat(Duration.ZERO, PAUSE, runs::incrementAndGet);
    await().until(() -> runs.get() > 1);

    first.cancel(false);
    var _ = thread.repeat(Duration.ZERO, PAUSE, others::incrementAndGet);
    await().until(() -> others.get() > 0);
    int before = runs.get();
    await().until(() -> others.get() > 3);

    assertThat(runs).hasValue(before);
  }

  @Test
  void aTaskThatTheCloseInterruptsHasNotFailed() throws InterruptedException {
    // Given
    var started = new CountDownLatch(1);
    var ended = new CountDownLatch(1);
    var _ =
        thread.repeat(
            Duration.ZERO,
            PAUSE,
            () -> {
              Thread own = Thread.currentThread();
              started.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
              } finally {
                Thread.ofVirtual().start(() -> join(own, ended));
              }
            });
    started.await();

    // When
    thread.close();
    ended.await();

    // Then
    assertThat(appender.list).isEmpty();
  }

  private static void join(Thread thread, CountDownLatch ended) {
    try {
      thread.join();
      ended.countDown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fail() {
    runs.incrementAndGet();
    throw new NoClassDefFoundError("a class is damaged");
  }
}
