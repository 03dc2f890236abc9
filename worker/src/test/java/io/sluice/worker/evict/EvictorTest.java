package io.sluice.worker.evict;

import static io.sluice.worker.evict.Requests.bulk;
import static io.sluice.worker.evict.Requests.interactive;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class EvictorTest {
  private static final OptionalDouble FULL = OptionalDouble.of(0.9);
  private static final int MANY_SLOTS = 100;

  private final Evictor evictor = new Evictor();

  static Stream<Arguments> whoMayLeave() {
    return Stream.of(
        row("fresh bulk", true, bulk("a")),
        row("interactive", false, interactive("a")),
        row("bulk that has made nothing yet", true, bulk("a").made(0, 0, OptionalInt.of(40))),
        row("64 tokens to make", true, bulk("a").made(436, 436, OptionalInt.of(500))),
        row("63 tokens to make", false, bulk("a").made(437, 437, OptionalInt.of(500))),
        row("nine tenths made", true, bulk("a").made(9_000, 9_000, OptionalInt.of(10_000))),
        row("more than that made", false, bulk("a").made(9_001, 9_001, OptionalInt.of(10_000))),
        row("nobody knows its end", true, bulk("a").made(9_001, 9_001, OptionalInt.empty())),
        row(
            "again after 256 tokens",
            true,
            bulk("a").evicted(1).made(600, 256, OptionalInt.empty())),
        row("again after 255", false, bulk("a").evicted(2).made(600, 255, OptionalInt.empty())),
        row("a fourth time", false, bulk("a").evicted(3).made(9_000, 9_000, OptionalInt.empty())),
        row("what would lose its tokens, alone", true, bulk("a").notResumable()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("whoMayLeave")
  void someMayBeEvictedAndSomeNot(String what, boolean mayLeave, RunningRequest request) {
    assertThat(choose(List.of(request), FULL, MANY_SLOTS)).hasSize(mayLeave ? 1 : 0);
  }

  @Test
  void nothingLeavesAtTheLimitItself() {
    assertThat(choose(bulks(10), OptionalDouble.of(0.80), MANY_SLOTS)).isEmpty();
  }

  @Test
  void nothingLeavesForAnUnknownUsage() {
    assertThat(choose(bulks(10), OptionalDouble.empty(), MANY_SLOTS)).isEmpty();
  }

  @Test
  void theNewestLeaveUntilTheEstimateIsWellBelowTheLimit() {
    // 10 requests use 0.9, each 0.09: two less leave 0.72.
    assertThat(choose(bulks(10), FULL, MANY_SLOTS)).containsExactly("b9", "b8");
  }

  @Test
  void oneThatUsesMuchIsEnough() {
    List<RunningRequest> running =
        Stream.concat(bulks(10).stream(), Stream.of(bulk("big").since(99).tokens(4_000).request()))
            .toList();

    assertThat(choose(running, FULL, MANY_SLOTS)).containsExactly("big");
  }

  @Test
  void requestsThatWouldLoseTheirTokensAreEvictedAfterOlderOnes() {
    List<RunningRequest> running =
        List.of(
            bulk("old").since(1).request(),
            bulk("older").since(0).request(),
            bulk("newest").since(9).notResumable().request());

    assertThat(choose(running, OptionalDouble.of(0.81), MANY_SLOTS)).containsExactly("old");
    assertThat(new Evictor().choose(running, OptionalDouble.of(1), 1, 0))
        .extracting(RunningRequest::lease)
        .containsExactly("old", "older");
  }

  @Test
  void interactiveRequestsFindASlot() {
    assertThat(choose(bulks(18), OptionalDouble.of(0.1), 20)).isEmpty();
    assertThat(choose(bulks(19), OptionalDouble.of(0.1), 20)).containsExactly("b18", "b17", "b16");
  }

  @Test
  void aWorkerWithASingleSlotKeepsItsOnlyRequest() {
    assertThat(choose(bulks(1), OptionalDouble.of(0.1), 1)).isEmpty();
  }

  @Test
  void itWaitsForTheEffectBeforeItChoosesAgain() {
    // Given
    choose(bulks(10), FULL, MANY_SLOTS);

    // When, then
    assertThat(chooseAt(Duration.ofMillis(999), bulks(8))).isEmpty();
    assertThat(chooseAt(Duration.ofSeconds(1), bulks(8))).isNotEmpty();
  }

  private List<String> choose(List<RunningRequest> running, OptionalDouble usage, int slots) {
    return evictor.choose(running, usage, slots, 0).stream().map(RunningRequest::lease).toList();
  }

  private List<RunningRequest> chooseAt(Duration time, List<RunningRequest> running) {
    return evictor.choose(running, FULL, MANY_SLOTS, time.toNanos());
  }

  /** The higher its number, the newer. */
  private static List<RunningRequest> bulks(int count) {
    return IntStream.range(0, count).mapToObj(i -> bulk("b" + i).since(i).request()).toList();
  }

  private static Arguments row(String what, boolean mayLeave, Requests request) {
    return Arguments.of(what, mayLeave, request.request());
  }
}
