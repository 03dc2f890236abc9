package io.sluice.common.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WatchedDependencyTest {
  private static final Logger log = (Logger) LoggerFactory.getLogger(WatchedDependency.class);

  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final Deque<CompletableFuture<String>> questions = new ArrayDeque<>();
  private long nanos = 42;
  private final WatchedDependency kafka =
      new WatchedDependency(
          "router-1",
          new Dependency(
              "kafka", "broker:9092", "nothing moves", "check --kafka", this::question, 2),
          () -> nanos);

  @BeforeEach
  void record() {
    appender.start();
    log.addAppender(appender);
    log.setLevel(Level.INFO);
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
    log.setLevel(null);
  }

  @Test
  void beforeItsFirstAnswerItIsNotUpAndNothingIsLogged() {
    kafka.tick();

    assertThat(kafka.state())
        .isEqualTo(new DependencyState(false, false, "away for 0.0 s: it was not asked yet"));
    assertThat(lines()).isEmpty();
  }

  @Test
  void aLossAndAReturnAreOneLineEach() {
    // Given
    answer();
    assertThat(kafka.state()).isEqualTo(new DependencyState(true, true, "up"));

    // When
    for (int i = 0; i < 5; i++) {
      fail("connection refused");
    }

    // Then
    assertThat(kafka.state())
        .isEqualTo(new DependencyState(false, true, "away for 3.0 s: connection refused"));
    assertThat(lines())
        .containsExactly(
            "event=dependency_lost service=router-1 dependency=kafka address=broker:9092"
                + " reason=\"connection refused\" effect=\"nothing moves\" hint=\"check --kafka\"");

    // When
    answer();

    // Then
    assertThat(kafka.state().isUp()).isTrue();
    assertThat(lines())
        .hasSize(2)
        .last()
        .isEqualTo(
            "event=dependency_back service=router-1 dependency=kafka address=broker:9092"
                + " away_for=\"3.0 s\"");
  }

  @Test
  void oneFailureIsNotALoss() {
    answer();
    fail("connection refused");
    answer();

    assertThat(kafka.state().isUp()).isTrue();
    assertThat(lines()).isEmpty();
  }

  @Test
  void silenceIsALossWithinFiveSeconds() {
    // Given
    answer();

    // When
    Duration silent = Duration.ZERO;
    while (kafka.state().isUp()) {
      kafka.tick();
      silent = silent.plus(pass(Duration.ofMillis(500)));
    }

    // Then
    assertThat(silent).isLessThan(Duration.ofSeconds(5));
    assertThat(kafka.state().detail()).endsWith("no answer within 1500 ms");

    // When it answers a question whose time is over
    questions.removeFirst().complete("late");

    // Then
    assertThat(kafka.state().isUp()).isFalse();
  }

  @Test
  void aProbeThatThrowsIsAFailure() {
    var broken =
        new WatchedDependency(
            "router-1",
            new Dependency(
                "redis",
                "redis://r",
                "",
                "",
                () -> {
                  throw new IllegalStateException("closed");
                },
                1),
            () -> nanos);

    broken.tick();

    assertThat(broken.state().detail()).endsWith("closed");
    assertThat(lines()).hasSize(1);
  }

  @Test
  void afterTheEndNothingIsLogged() {
    // Given
    answer();
    fail("connection refused");
    kafka.tick();

    // When
    kafka.stop();
    questions.removeLast().completeExceptionally(new IllegalStateException("closed"));

    // Then
    assertThat(lines()).isEmpty();
  }

  private CompletableFuture<String> question() {
    questions.add(new CompletableFuture<>());
    return questions.getLast();
  }

  private void answer() {
    kafka.tick();
    questions.removeLast().complete("cluster");
    pass(Duration.ofMillis(500));
  }

  private void fail(String reason) {
    kafka.tick();
    questions.removeLast().completeExceptionally(new IllegalStateException(reason));
    pass(Duration.ofMillis(500));
  }

  private Duration pass(Duration time) {
    nanos += time.toNanos();
    return time;
  }

  private List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
