package io.sluice.fleet;

import static io.sluice.fleet.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.common.protocol.Json;
import io.sluice.fleet.breaker.Breaker;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerEvent.EngineDown;
import io.sluice.fleet.breaker.BreakerEvent.EngineUp;
import io.sluice.fleet.breaker.BreakerEvent.Failed;
import io.sluice.fleet.breaker.BreakerEvent.Overridden;
import io.sluice.fleet.breaker.BreakerEvent.Restored;
import io.sluice.fleet.breaker.BreakerEvent.Succeeded;
import io.sluice.fleet.breaker.BreakerEvent.Ticked;
import io.sluice.fleet.breaker.BreakerEvent.Timed;
import io.sluice.fleet.breaker.BreakerEvent.Tripped;
import io.sluice.fleet.breaker.BreakerEvent.Usage;
import io.sluice.fleet.breaker.BreakerEvent.WorkerStarted;
import io.sluice.fleet.breaker.BreakerPhase;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.fleet.redis.RedisKeys;
import io.sluice.fleet.redis.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.redisson.client.codec.StringCodec;

/** Breakers in Redis: the same results as in Java, shared, published, and repaired. */
@Tag("slow")
class RedisBreakerTest {
  private static final long T = 1_700_000_000_000L;
  private static TestRedis redis;

  private final String pool = UUID.randomUUID().toString();
  private final RedisFleetRegistry registry = new RedisFleetRegistry(redis.client(), pool);

  @BeforeContainer
  static void startRedis() {
    redis = new TestRedis();
  }

  @AfterContainer
  static void stopRedis() {
    redis.close();
  }

  @Property(tries = 300, shrinking = ShrinkingMode.BOUNDED)
  void whateverHappensJavaAndRedisAgree(@ForAll("histories") List<Timed> events) {
    RedisFleetRegistry own = new RedisFleetRegistry(redis.client(), UUID.randomUUID().toString());
    BreakerState inJava = BreakerState.NEW;
    for (List<Timed> batch : batches(events)) {
      inJava = Breaker.next(inJava, batch);
      assertThat(get(own.applyToBreaker("gpu-1", batch))).isEqualTo(inJava);
    }
  }

  @Example
  void aCallThatTheClientRepeatsCountsOnce() {
    // Given
    List<Timed> failure = List.of(new Timed(new Failed(), T));

    // When
    BreakerState first = get(registry.applyToBreaker("gpu-1", failure, "call-1"));
    BreakerState again = get(registry.applyToBreaker("gpu-1", failure, "call-1"));
    BreakerState next = get(registry.applyToBreaker("gpu-1", failure, "call-2"));

    // Then
    assertThat(again).isEqualTo(first);
    assertThat(first.circuit().failures()).isEqualTo(1);
    assertThat(next.circuit().failures()).isEqualTo(2);
  }

  @Property(tries = 2_000)
  void epochsOnlyGrowAndTripsNeverShortenAnOpenTime(@ForAll("histories") List<Timed> events) {
    BreakerState state = BreakerState.NEW;
    for (Timed timed : events) {
      BreakerState next = Breaker.next(state, timed.event(), timed.atMillis());
      assertThat(next.epoch()).isGreaterThanOrEqualTo(state.epoch());
      assertThat(next.equals(state)).isEqualTo(next.epoch() == state.epoch());
      if (timed.event() instanceof Tripped && state.circuit().phase() == BreakerPhase.OPEN) {
        assertThat(next.circuit().openUntilMillis())
            .isGreaterThanOrEqualTo(state.circuit().openUntilMillis());
      }
      state = next;
    }
  }

  @Provide
  Arbitrary<List<Timed>> histories() {
    Arbitrary<BreakerEvent> evidence =
        Arbitraries.frequencyOf(
            weighted(8, Arbitraries.just(new Failed())),
            weighted(3, Arbitraries.just(new Succeeded())),
            weighted(3, Arbitraries.just(new Ticked())),
            weighted(2, Arbitraries.just(new Tripped())),
            weighted(1, Arbitraries.just(new EngineDown())),
            weighted(1, Arbitraries.just(new EngineUp())),
            weighted(1, Arbitraries.just(new WorkerStarted())),
            weighted(2, Arbitraries.doubles().between(0.7, 1.0).map(Usage::new)),
            weighted(
                1,
                Combinators.combine(
                        Arbitraries.of(OperatorOverride.class),
                        Arbitraries.strings().withChars("ab \"\\/\n\u00e9").ofMaxLength(6))
                    .as(Overridden::new)));
    Arbitrary<Timed> timed = Combinators.combine(evidence, times()).as(Timed::new);
    Arbitrary<Timed> restored =
        timed
            .list()
            .ofMinSize(1)
            .ofMaxSize(12)
            .flatMap(
                past ->
                    times()
                        .map(
                            at ->
                                new Timed(new Restored(Breaker.next(BreakerState.NEW, past)), at)));
    return Arbitraries.frequencyOf(weighted(12, timed), weighted(1, restored)).list().ofMaxSize(40);
  }

  /** Returns the clocks of several machines: close to each other, and not in order. */
  private static Arbitrary<Long> times() {
    return Arbitraries.longs().between(T, T + 1_200_000);
  }

  private static <E> Tuple2<Integer, Arbitrary<? extends E>> weighted(
      int weight, Arbitrary<? extends E> of) {
    return Tuple.<Integer, Arbitrary<? extends E>>of(weight, of);
  }

  @Example
  void aBreakerIsReadWithItsWorker() {
    get(registry.publish(snapshot("gpu-1")));
    get(registry.publish(snapshot("gpu-2")));
    BreakerState tripped =
        get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Tripped(), T))));

    FleetReading reading = get(registry.readAll());

    assertThat(reading.breaker("gpu-1")).isEqualTo(tripped);
    assertThat(reading.breaker("gpu-2")).isEqualTo(BreakerState.NEW);
    assertThat(redis.client().getBucket(new RedisKeys(pool).breaker("gpu-1")).remainTimeToLive())
        .isBetween(1L, 3_600_000L);
  }

  @Example
  void evidenceThatChangesNothingOfAnUnknownBreakerLeavesNoKey() {
    BreakerState state = get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Ticked(), T))));

    assertThat(state).isEqualTo(BreakerState.NEW);
    assertThat(redis.client().getBucket(new RedisKeys(pool).breaker("gpu-1")).isExists()).isFalse();
  }

  @Example
  void aChangeIsPushedOnceAndWhatChangesNothingIsNot() throws Exception {
    Heard heard = new Heard();
    try (AutoCloseable subscription = registry.subscribe(heard)) {
      assertThat(heard.next()).isEqualTo("resubscribed");

      get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Usage(0.95), T))));
      get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Usage(0.96), T))));
      get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Usage(0.5), T))));

      assertThat(heard.next()).isEqualTo("gpu-1 OPEN [MEMORY]");
      assertThat(heard.next()).isEqualTo("gpu-1 CLOSED []");
    }
  }

  @Example
  void ofTwoWritersTheOneWithTheStaleEpochLoses() {
    BreakerState stale =
        get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Tripped(), T))));
    BreakerState latest =
        get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Usage(0.95), T + 1))));

    BreakerState found =
        get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Restored(stale), T + 2))));

    assertThat(found).isEqualTo(latest);
  }

  @Example
  void whatAnEmptiedRedisForgotItsWorkerTellsAgainAndEverybodyHears() throws Exception {
    BreakerState known =
        get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Tripped(), T))));
    redis.client().getKeys().flushall();
    Heard heard = new Heard();
    try (AutoCloseable subscription = registry.subscribe(heard)) {
      assertThat(heard.next()).isEqualTo("resubscribed");

      BreakerState found =
          get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Restored(known), T + 500))));

      assertThat(found).isEqualTo(known);
      assertThat(heard.next()).isEqualTo("gpu-1 OPEN [FAILURES]");
    }
  }

  @Example
  void garbageUnderABreakersKeyIsReplaced() {
    get(registry.publish(snapshot("gpu-1")));
    for (String garbage : List.of("not json", "17", "{}", "{\"epoch\":\"x\"}", "[]")) {
      redis
          .client()
          .getBucket(new RedisKeys(pool).breaker("gpu-1"), StringCodec.INSTANCE)
          .set(garbage);

      assertThat(get(registry.readAll()).breaker("gpu-1")).isEqualTo(BreakerState.NEW);
      assertThat(get(registry.applyToBreaker("gpu-1", List.of(new Timed(new Tripped(), T)))))
          .isEqualTo(Breaker.next(BreakerState.NEW, new Tripped(), T));
    }
  }

  @Example
  void aStateSurvivesItsJson() {
    BreakerState state =
        Breaker.next(
            BreakerState.NEW,
            List.of(
                new Timed(new Tripped(), T),
                new Timed(new Overridden(OperatorOverride.FORCED_CLOSED, "it's \"fine\""), T)));

    assertThat(BreakerState.parse(Json.text(state))).isEqualTo(state);
    assertThatIllegalArgumentException().isThrownBy(() -> BreakerState.parse("{}"));
    assertThatIllegalArgumentException().isThrownBy(() -> BreakerState.parse("null"));
  }

  /** Single events and pairs, because several events may arrive at once. */
  private static List<List<Timed>> batches(List<Timed> events) {
    List<List<Timed>> batches = new ArrayList<>();
    for (int at = 0; at < events.size(); ) {
      int end = Math.min(events.size(), at + 1 + at % 3);
      batches.add(events.subList(at, end));
      at = end;
    }
    return batches;
  }

  private static WorkerSnapshot snapshot(String id) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation("boot-1")
        .sequence(1)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of())
        .maxModelLen(8192)
        .tokenBudget(200_000)
        .tokensInUse(0)
        .kvUsage(OptionalDouble.empty())
        .running(0)
        .waiting(0)
        .slots(64)
        .held(Map.of())
        .draining(false)
        .engineUp(true)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("0.1.0")
        .build();
  }

  private static final class Heard implements FleetListener {
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

    @Override
    public void changed(WorkerSnapshot snapshot) {}

    @Override
    public void removed(String workerId) {}

    @Override
    public void breakerChanged(String workerId, BreakerState breaker) {
      queue.add(workerId + " " + breaker.phase() + " " + breaker.causes());
    }

    @Override
    public void resubscribed() {
      queue.add("resubscribed");
    }

    String next() throws InterruptedException {
      String next = queue.poll(10, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    }
  }
}
