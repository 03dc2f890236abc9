package io.sluice.worker.evict;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.BulkLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class EvictorPropertiesTest {

  @Property
  void onlyBulkThatMayLeaveDoesAndNoMoreThanIsNeeded(
      @ForAll("running") List<RunningRequest> running,
      @ForAll @DoubleRange(max = 1) double usage,
      @ForAll @IntRange(min = 1, max = 40) int slots) {
    // When
    List<RunningRequest> chosen = new Evictor().choose(running, OptionalDouble.of(usage), slots, 0);

    // Then
    assertThat(chosen).doesNotHaveDuplicates().isSubsetOf(running).allMatch(r -> r.isBulk());
    assertThat(chosen).allMatch(r -> r.evictions() < 3);
    assertThat(chosen).allMatch(r -> r.evictions() == 0 || r.addedTokens() >= 256);
    if (!chosen.isEmpty()) {
      List<RunningRequest> butOne = chosen.subList(0, chosen.size() - 1);
      assertThat(isRoomEnough(running, butOne, usage, slots)).isFalse();
    }
  }

  /** However long the pressure lasts, each request is sent away three times at most. */
  @Property(tries = 200)
  void evictionEnds(@ForAll("running") List<RunningRequest> running) {
    // Given
    Evictor evictor = new Evictor();
    List<RunningRequest> now = new ArrayList<>(running);
    int evictions = 0;

    // When
    for (long second = 1; second <= 200; second++) {
      List<RunningRequest> chosen =
          evictor.choose(now, OptionalDouble.of(0.95), 4, second * 2_000_000_000L);
      evictions += chosen.size();
      for (RunningRequest gone : chosen) {
        now.remove(gone);
        now.add(resumed(gone, second));
      }
    }

    // Then
    assertThat(evictions).isLessThanOrEqualTo(3 * running.size());
    assertThat(evictor.choose(now, OptionalDouble.of(0.95), 4, Long.MAX_VALUE / 2)).isEmpty();
  }

  private static boolean isRoomEnough(
      List<RunningRequest> running, List<RunningRequest> gone, double usage, int slots) {
    double all = running.stream().mapToLong(RunningRequest::contextTokens).sum();
    double freed = gone.stream().mapToLong(RunningRequest::contextTokens).sum();
    boolean isMemoryShort =
        usage > BulkLimits.EVICT_FROM_KV_USAGE && freed < all * (1 - 0.75 / usage);
    boolean areSlotsShort =
        running.size() > BulkLimits.crowdedSlots(slots)
            && running.size() - gone.size() > BulkLimits.slotsForBulk(slots);
    return !isMemoryShort && !areSlotsShort;
  }

  /** It comes back, and makes enough to be evicted once more. */
  private static RunningRequest resumed(RunningRequest gone, long second) {
    return new RunningRequest(
        gone.lease(),
        true,
        gone.isResumable(),
        second,
        gone.contextTokens(),
        gone.outputTokens() + 300,
        300,
        gone.maxTokens(),
        gone.evictions() + 1);
  }

  @Provide
  static Arbitrary<List<RunningRequest>> running() {
    Arbitrary<RunningRequest> requests =
        Combinators.combine(
                Arbitraries.of(true, true, false),
                Arbitraries.of(true, false),
                Arbitraries.longs().between(0, 100),
                Arbitraries.longs().between(1, 8_000),
                Arbitraries.integers().between(0, 3_000),
                Arbitraries.integers().between(0, 3_000),
                Arbitraries.integers().between(1, 4_000).optional(),
                Arbitraries.integers().between(0, 4))
            .as(
                (isBulk, isResumable, since, context, earlier, added, max, evictions) ->
                    new RunningRequest(
                        "",
                        isBulk,
                        isResumable,
                        since,
                        context,
                        earlier + added,
                        added,
                        max.map(OptionalInt::of).orElse(OptionalInt.empty()),
                        evictions));
    return requests.list().ofMaxSize(30).map(EvictorPropertiesTest::named);
  }

  private static List<RunningRequest> named(List<RunningRequest> all) {
    List<RunningRequest> named = new ArrayList<>();
    for (RunningRequest one : all) {
      named.add(
          new RunningRequest(
              "lease-" + named.size(),
              one.isBulk(),
              one.isResumable(),
              one.sinceNanos(),
              one.contextTokens(),
              one.outputTokens(),
              one.addedTokens(),
              one.maxTokens(),
              one.evictions()));
    }
    return named;
  }
}
