package io.sluice.router.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BackgroundThreadsTest {
  private final Logger log = (Logger) LoggerFactory.getLogger(BackgroundThreads.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final BackgroundThreads threads = new BackgroundThreads(Duration.ofMillis(1), () -> 0);
  private final AtomicInteger runs = new AtomicInteger();

  @BeforeEach
  void listen() {
    appender.start();
    log.addAppender(appender);
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
  }

  @Test
  void anEssentialThreadThatFailsIsNamedAndDoesNotBeginAgain() throws InterruptedException {
    Thread thread = threads.essential("reader", () -> fail(Integer.MAX_VALUE));
    thread.start();
    thread.join();

    assertThat(threads.failed()).containsExactly("reader");
    assertThat(runs).hasValue(1);
    assertThat(appender.list).hasSize(1);
    assertThat(appender.list.getFirst().getLevel()).isEqualTo(Level.ERROR);
    assertThat(appender.list.getFirst().getFormattedMessage())
        .startsWith("event=thread_failed thread=reader ");
    assertThat(appender.list.getFirst().getThrowableProxy()).isNotNull();
  }

  @Test
  void anyOtherThreadBeginsAgainUntilItIsClosedAndIsLoggedOnceInAWhile()
      throws InterruptedException {
    Thread thread = threads.dispensable("helper", () -> fail(3));
    thread.start();
    thread.join();

    assertThat(runs).hasValue(4);
    assertThat(threads.failed()).isEmpty();
    assertThat(appender.list).hasSize(1);
    assertThat(appender.list.getFirst().getFormattedMessage())
        .startsWith("event=thread_failed thread=helper ");
  }

  @Test
  void aThreadThatAlwaysFailsEndsWhenItIsInterrupted() throws InterruptedException {
    Thread thread = threads.dispensable("helper", () -> fail(Integer.MAX_VALUE));
    thread.start();
    await().until(() -> runs.get() > 2);

    thread.interrupt();
    thread.join();

    assertThat(threads.failed()).isEmpty();
  }

  @Test
  void aThreadThatIsClosedHasNotFailed() throws InterruptedException {
    Thread thread = threads.essential("reader", () -> fail(0));
    thread.start();
    thread.join();

    assertThat(threads.failed()).isEmpty();
    assertThat(appender.list).isEmpty();
  }

  @Test
  void aFailureIsKnownBeforeAnythingIsClosed() throws InterruptedException {
    Set<String> knownAtClose = new HashSet<>();
    Thread thread =
        threads.essential(
            "reader", () -> fail(Integer.MAX_VALUE), () -> knownAtClose.addAll(threads.failed()));
    thread.start();
    thread.join();

    assertThat(knownAtClose).containsExactly("reader");
  }

  @Test
  void aThreadWhoseClientsCannotBeClosedHasNotFailed() throws InterruptedException {
    var closed = new AtomicInteger();
    Thread thread =
        threads.essential("reader", () -> fail(0), () -> fail(2), closed::incrementAndGet);
    thread.start();
    thread.join();

    assertThat(threads.failed()).isEmpty();
    assertThat(closed).hasValue(1);
    assertThat(appender.list).hasSize(1);
    assertThat(appender.list.getFirst().getLevel()).isEqualTo(Level.WARN);
    assertThat(appender.list.getFirst().getFormattedMessage())
        .startsWith("event=close_failed thread=reader ");
  }

  private void fail(int times) {
    if (runs.incrementAndGet() <= times) {
      throw new NoClassDefFoundError("a class is damaged");
    }
  }
}
