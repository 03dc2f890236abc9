package io.sluice.fleet.redis;

import static io.sluice.fleet.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.fleet.FleetReading;
import io.sluice.fleet.FleetRegistry;
import io.sluice.fleet.RedisFleetRegistry;
import io.sluice.fleet.RedisFleetRegistryTest;
import io.sluice.fleet.WorkerOrder;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.breaker.BreakerEvent;
import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.breaker.OperatorOverride;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReports;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.client.codec.StringCodec;

/** A key of a wrong type, or with a wrong value, hides no other key. */
class BadKeysTest {
  private static final String POOL = "bad-keys";
  private static final RedisKeys KEYS = new RedisKeys(POOL);
  private static final WorkerSnapshot GOOD = RedisFleetRegistryTest.snapshot("good", "boot-1", 1);
  private static final RouterReport REPORT = report("good");

  private static TestRedis redis;

  private RedisFleetRegistry registry;
  private RouterReports reports;

  @BeforeAll
  static void startRedis() {
    redis = new TestRedis();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  private static RouterReport report(String id) {
    return new RouterReport(id, List.of(), Map.of(), List.of(), List.of(), List.of(), 0, List.of());
  }

  @BeforeEach
  void publish() {
    redis.client().getKeys().flushall();
    registry = new RedisFleetRegistry(redis.client(), POOL);
    reports = new RouterReports(redis.client(), POOL);
    get(registry.publish(GOOD));
    get(reports.publish(REPORT));
  }

  @Test
  void otherWorkersAreReadAndTheWorkerReplacesItsKey() {
    // Given
    WorkerSnapshot worker = RedisFleetRegistryTest.snapshot("gpu-1", "boot-1", 2);
    get(registry.publish(RedisFleetRegistryTest.snapshot("gpu-1", "boot-1", 1)));
    makeList(KEYS.worker("gpu-1"));

    // When
    List<WorkerSnapshot> before = get(registry.readAll()).workers();
    boolean isStored = get(registry.publish(worker)).stored();

    // Then
    assertThat(before).containsExactly(GOOD);
    assertThat(isStored).isTrue();
    assertThat(get(registry.readAll()).workers()).containsExactlyInAnyOrder(GOOD, worker);
  }

  @Test
  void aWorkerThatSignsOffRemovesItsKeyWhateverItIs() {
    // Given
    makeList(KEYS.worker("good"));

    // When
    get(registry.remove("good", "boot-1"));

    // Then
    assertThat(redis.client().getKeys().countExists(KEYS.worker("good"))).isZero();
  }

  @Test
  void theSetOfWorkersIsWrittenAgainByTheNextHeartbeat() {
    // Given
    makeList(KEYS.workers());
    makeList(KEYS.routers());

    // When
    get(registry.publish(RedisFleetRegistryTest.snapshot("good", "boot-1", 2)));
    get(reports.publish(REPORT));

    // Then
    assertThat(get(registry.readAll()).workers()).hasSize(1);
    assertThat(get(reports.readAll())).hasSize(1);
  }

  @Test
  void aBreakerCountsAsNewUntilItsNextEvent() {
    // Given
    makeList(KEYS.breaker("good"));

    // When
    FleetReading before = get(registry.readAll());
    BreakerState opened =
        get(
            registry.applyToBreaker(
                "good",
                List.of(
                    new BreakerEvent.Timed(
                        new BreakerEvent.Overridden(OperatorOverride.FORCED_OPEN, "fan"), 1_000))));

    // Then
    assertThat(before.workers()).containsExactly(GOOD);
    assertThat(before.breaker("good")).isEqualTo(BreakerState.NEW);
    assertThat(get(registry.readAll()).breaker("good")).isEqualTo(opened);
  }

  @Test
  void anOrderIsNoneUntilTheNextOne() {
    // Given
    makeList(KEYS.order("good"));

    // When
    FleetRegistry.Published before =
        get(registry.publish(RedisFleetRegistryTest.snapshot("good", "boot-1", 2)));
    get(registry.order("good", WorkerOrder.DRAIN));

    // Then
    assertThat(before.stored()).isTrue();
    assertThat(before.order()).isEmpty();
    assertThat(get(registry.publish(RedisFleetRegistryTest.snapshot("good", "boot-1", 3))).order())
        .contains(WorkerOrder.DRAIN);
  }

  @Test
  void theReportsOfOtherRoutersAreRead() {
    // Given
    for (String bad : List.of("{}", "not json", "{\"id\":\"r\",\"waiting\":[{}]}")) {
      get(reports.publish(report("bad")));
      redis.client().getBucket(KEYS.router("bad"), StringCodec.INSTANCE).set(bad);

      // Then
      assertThat(get(reports.readAll())).containsExactly(REPORT);
    }
    makeList(KEYS.router("bad"));
    assertThat(get(reports.readAll())).containsExactly(REPORT);
  }

  @Test
  void eachKeyIsNamedOnceInTenMinutes() {
    // Given
    AtomicLong nanos = new AtomicLong(-7);
    BadKeys keys = new BadKeys(nanos::get);

    // Then
    assertThat(keys.found("a", "WRONGTYPE")).isTrue();
    assertThat(keys.found("a", "WRONGTYPE")).isFalse();
    assertThat(keys.found("b", "WRONGTYPE")).isTrue();
    nanos.addAndGet(Duration.ofMinutes(10).toNanos());
    assertThat(keys.found("a", "WRONGTYPE")).isTrue();
  }

  @Test
  void thereIsABoundOnWhatIsNamed() {
    // Given
    BadKeys keys = new BadKeys(() -> 0);

    // When
    for (int i = 0; i < 100; i++) {
      keys.found("key " + i, "WRONGTYPE");
    }

    // Then
    assertThat(keys.found("one more", "WRONGTYPE")).isFalse();
  }

  private static void makeList(String key) {
    redis.client().getKeys().delete(key);
    redis.client().getList(key, StringCodec.INSTANCE).add("wrong");
  }
}
