package io.sluice.worker.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalDouble;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class AdaptiveLimitTest {
  private final AdaptiveLimit limit = AdaptiveLimit.upTo(256);

  @Test
  void itBeginsLowAndGrowsByTheSquareRootWhileItIsWhatBounds() {
    assertThat(limit.limit()).isEqualTo(32);

    observe(1, 32, 0, 10, 0.1, 0);

    assertThat(limit.limit()).isEqualTo(38);
  }

  @Test
  void itRestsWhileFewerWantToRun() {
    observe(100, 20, 0, 10, 0.1, 0);

    assertThat(limit.limit()).isEqualTo(32);
  }

  @Test
  void oneSlowWindowMeansNothing() {
    observe(5, 32, 0, 75, 0.1, 0);

    observe(1, 32, 0, 2_000, 0.1, 0);

    assertThat(limit.limit()).isEqualTo(32);
  }

  @Test
  void slowTokensLessenItToWhatWouldHaveBeenRightAndNoFurther() {
    observe(50, 32, 0, 160, 0.1, 0);

    assertThat(limit.limit()).isEqualTo(16);
  }

  @Test
  void whatASlowEngineHasShownDoesNotCountForTheNext() {
    observe(50, 32, 0, 160, 0.1, 0);

    limit.engineReplaced();

    assertThat(limit.limit()).isEqualTo(32);
  }

  @Test
  void aLimitThatHasGrownStaysWhenTheEngineIsReplaced() {
    observe(3, 60, 0, 10, 0.1, 0);
    int grown = limit.limit();

    limit.engineReplaced();

    assertThat(limit.limit()).isEqualTo(grown).isGreaterThan(32);
  }

  @Test
  void aFullCacheLessensIt() {
    observe(50, 30, 0, 20, 0.95, 0);

    assertThat(limit.limit()).isEqualTo(27);
  }

  @Test
  void preemptionsLessenIt() {
    observe(3, 32, 0, 20, 0.5, 4);

    assertThat(limit.limit()).isEqualTo(26);
  }

  @Test
  void requestsThatTheEngineWouldQueueAreLeftToTheRouter() {
    observe(20, 32, 16, 20, 0.5, 0);

    assertThat(limit.limit()).isEqualTo(16);
  }

  @Test
  void anEngineThatSaysNothingLeavesItAsItIs() {
    for (int i = 0; i < 100; i++) {
      limit.observe(
          new LimitWindow(32, 0, OptionalDouble.empty(), OptionalDouble.empty(), 0, 1, 0));
    }

    assertThat(limit.limit()).isEqualTo(32);
  }

  @Test
  void answersOfOneTokenLetItRecoverFromTheFloorAndGrowToTheMaximum() {
    // Given
    for (int i = 0; i < 100; i++) {
      singleTokens(limit.limit(), 0, 0.3, 1);
    }
    int floor = limit.limit();

    // When
    for (int i = 0; i < 100; i++) {
      singleTokens(limit.limit(), 0, 0.3, 0);
    }

    // Then
    assertThat(floor).isEqualTo(4);
    assertThat(limit.limit()).isEqualTo(256);
  }

  @Test
  void answersOfOneTokenAreBoundByMemoryAndQueue() {
    for (int i = 0; i < 100; i++) {
      singleTokens(limit.limit(), 0, limit.limit() / 100.0, 0);
    }
    assertThat(limit.limit()).isBetween(70, 86);

    for (int i = 0; i < 100; i++) {
      singleTokens(limit.limit(), Math.max(0, limit.limit() - 20), 0.1, 0);
    }
    assertThat(limit.limit()).isBetween(20, 30);
  }

  @Test
  void anEngineThatHangsLeavesItAsItIs() {
    for (int i = 0; i < 100; i++) {
      limit.observe(
          new LimitWindow(32, 0, OptionalDouble.empty(), OptionalDouble.of(0.3), 0, 1, 0));
    }

    assertThat(limit.limit()).isEqualTo(32);
  }

  @Property(tries = 200)
  void itStaysBetweenFloorAndMaximum(@ForAll("windows") List<LimitWindow> windows) {
    AdaptiveLimit any = AdaptiveLimit.upTo(64);

    for (LimitWindow window : windows) {
      any.observe(window);
      assertThat(any.limit()).isBetween(4, 64);
    }
  }

  @Test
  void aMaximumBelowTheFloorIsTheLimit() {
    assertThat(AdaptiveLimit.upTo(2).limit()).isEqualTo(2);
  }

  @Provide
  Arbitrary<List<LimitWindow>> windows() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 100),
            Arbitraries.integers().between(0, 100),
            Arbitraries.doubles().between(0, 10_000),
            Arbitraries.doubles().between(0, 1),
            Arbitraries.longs().between(0, 9))
        .as(
            (inFlight, waiting, millis, usage, preemptions) ->
                new LimitWindow(
                    inFlight,
                    waiting,
                    OptionalDouble.of(millis),
                    OptionalDouble.of(usage),
                    preemptions,
                    1,
                    0))
        .list()
        .ofMaxSize(200);
  }

  private void singleTokens(int inFlight, int waiting, double kvUsage, long preemptions) {
    limit.observe(
        new LimitWindow(
            inFlight,
            waiting,
            OptionalDouble.empty(),
            OptionalDouble.of(kvUsage),
            preemptions,
            0,
            50));
  }

  private void observe(
      int times, int inFlight, int waiting, double millis, double kvUsage, long preemptions) {
    for (int i = 0; i < times; i++) {
      limit.observe(
          new LimitWindow(
              inFlight,
              waiting,
              OptionalDouble.of(millis),
              OptionalDouble.of(kvUsage),
              preemptions,
              1,
              0));
    }
  }
}
