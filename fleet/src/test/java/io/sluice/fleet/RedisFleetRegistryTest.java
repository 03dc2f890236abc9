package io.sluice.fleet;

import static io.sluice.fleet.redis.TestRedis.freePort;
import static io.sluice.fleet.redis.TestRedis.get;
import static io.sluice.fleet.redis.TestRedis.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.sluice.fleet.breaker.BreakerState;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.RedisKeys;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import redis.embedded.RedisServer;

@Tag("slow")
public class RedisFleetRegistryTest {
  private static final Duration BOUND = Duration.ofSeconds(10);

  private static int port;
  private static RedisServer server;
  private static RedissonClient client;

  /** Another client, which writes what a registry never writes. */
  private static RedissonClient stranger;

  private String pool;
  private RedisFleetRegistry registry;

  @BeforeAll
  static void startRedis() throws IOException {
    port = freePort();
    server = start(port);
    client = RedisConnection.open("redis://127.0.0.1:" + port);
    stranger = RedisConnection.open("redis://127.0.0.1:" + port);
  }

  @AfterAll
  static void stopRedis() throws IOException {
    client.shutdown(0, 1, TimeUnit.SECONDS);
    stranger.shutdown(0, 1, TimeUnit.SECONDS);
    server.stop();
  }

  @BeforeEach
  void useAPoolOfItsOwn(TestInfo test) {
    String name = test.getTestMethod().orElseThrow().getName();
    pool = name.substring(0, Math.min(name.length(), 60));
    registry = new RedisFleetRegistry(client, pool);
  }

  @AfterEach
  void empty() {
    stranger.getKeys().flushall();
  }

  @Test
  void whatIsPublishedIsReadByEverybody() {
    // Given
    WorkerSnapshot one = snapshot("gpu-1", "boot-1", 1);
    WorkerSnapshot two = snapshot("gpu-2", "boot-1", 1);

    // When
    boolean stored = publish(one) && publish(two);

    // Then
    assertThat(stored).isTrue();
    assertThat(get(new RedisFleetRegistry(stranger, pool).readAll()).workers())
        .containsExactlyInAnyOrder(one, two);
  }

  @Test
  void aWorkerHearsTheLastOrderWheneverItPublishes() {
    // Given
    Optional<WorkerOrder> none = get(registry.publish(snapshot("gpu-1", "boot-1", 1))).order();

    // When
    get(registry.order("gpu-1", WorkerOrder.RESUME));
    get(registry.order("gpu-1", WorkerOrder.DRAIN));

    // Then
    assertThat(none).isEmpty();
    assertThat(get(registry.publish(snapshot("gpu-1", "boot-1", 2))).order())
        .contains(WorkerOrder.DRAIN);
    assertThat(get(registry.publish(snapshot("gpu-1", "boot-1", 1))).order())
        .as("also if its snapshot is refused")
        .contains(WorkerOrder.DRAIN);
    assertThat(get(registry.publish(snapshot("gpu-2", "boot-1", 1))).order()).isEmpty();
  }

  @Test
  void aDrainForATimeIsOneByTheClockOfRedis() {
    var order =
        new WorkerOrder(true, Optional.of(Duration.ofHours(1)), Optional.of(Duration.ofSeconds(9)));

    get(registry.order("gpu-1", order));

    WorkerOrder heard = get(registry.publish(snapshot("gpu-1", "boot-1", 1))).order().orElseThrow();
    assertThat(heard.isDrain()).isTrue();
    assertThat(heard.within()).isEqualTo(order.within());
    assertThat(heard.lasting().orElseThrow())
        .isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
  }

  @Test
  void anEmptyPoolHasNoWorkers() {
    assertThat(get(registry.readAll()).workers()).isEmpty();
  }

  @Test
  void poolsOnOneRedisDoNotSeeEachOther() {
    // When
    get(registry.publish(snapshot("gpu-1", "boot-1", 1)));

    // Then
    assertThat(get(new RedisFleetRegistry(client, "another").readAll()).workers()).isEmpty();
  }

  @Test
  void aStaleOrRepeatedSequenceIsRefused() {
    // Given
    WorkerSnapshot latest = snapshot("gpu-1", "boot-1", 10);
    get(registry.publish(latest));

    // When
    boolean repeated = publish(latest);
    boolean stale = publish(snapshot("gpu-1", "boot-1", 9));

    // Then
    assertThat(repeated).isFalse();
    assertThat(stale).isFalse();
    assertThat(get(registry.readAll()).workers()).containsExactly(latest);
  }

  @Test
  void aLaterSequenceReplacesTheOneBefore() {
    // Given
    get(registry.publish(snapshot("gpu-1", "boot-1", 9)));
    WorkerSnapshot later = snapshot("gpu-1", "boot-1", 10);

    // When
    boolean stored = publish(later);

    // Then
    assertThat(stored).isTrue();
    assertThat(get(registry.readAll()).workers()).containsExactly(later);
  }

  @Test
  void anotherIncarnationReplacesWhateverItsSequence() {
    // Given
    get(registry.publish(snapshot("gpu-1", "boot-1", 1000)));
    WorkerSnapshot reborn = snapshot("gpu-1", "boot-2", 1);

    // When
    boolean stored = publish(reborn);

    // Then
    assertThat(stored).isTrue();
    assertThat(get(registry.readAll()).workers()).containsExactly(reborn);
  }

  @Test
  void aWorkerThatRemovesItselfIsGone() {
    // Given
    get(registry.publish(snapshot("gpu-1", "boot-1", 1)));

    // When
    get(registry.remove("gpu-1", "boot-1"));

    // Then
    assertThat(get(registry.readAll()).workers()).isEmpty();
  }

  @Test
  void anOldIncarnationCannotRemoveItsSuccessor() {
    // Given
    WorkerSnapshot successor = snapshot("gpu-1", "boot-2", 1);
    get(registry.publish(successor));

    // When
    get(registry.remove("gpu-1", "boot-1"));

    // Then
    assertThat(get(registry.readAll()).workers()).containsExactly(successor);
  }

  @Test
  void removingAnAbsentWorkerSucceeds() {
    get(registry.remove("nobody", "boot-1"));
  }

  @Test
  void aWorkerWhoseKeyHasExpiredVanishes() {
    // Given
    get(registry.publish(snapshot("gpu-1", "boot-1", 1)));
    String key = new RedisKeys(pool).worker("gpu-1");
    assertThat(stranger.getBucket(key).remainTimeToLive()).isBetween(1L, 10_000L);

    // When
    stranger.getBucket(key).expire(Duration.ofMillis(1));

    // Then
    await().atMost(BOUND).until(() -> get(registry.readAll()).workers().isEmpty());
    assertThat(stranger.getSet(new RedisKeys(pool).workers()).isExists()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"not json", "null", "17", "{}", "{\"id\":\"gpu-1\"}"})
  void garbageUnderAWorkersKeyIsSkippedAndReplaced(String garbage) {
    // Given
    WorkerSnapshot other = snapshot("gpu-2", "boot-1", 1);
    WorkerSnapshot worker = snapshot("gpu-1", "boot-1", 2);
    get(registry.publish(other));
    get(registry.publish(snapshot("gpu-1", "boot-1", 1)));
    stranger.getBucket(new RedisKeys(pool).worker("gpu-1"), StringCodec.INSTANCE).set(garbage);

    // When
    List<WorkerSnapshot> before = get(registry.readAll()).workers();
    boolean stored = publish(worker);

    // Then
    assertThat(before).containsExactly(other);
    assertThat(stored).isTrue();
    assertThat(get(registry.readAll()).workers()).containsExactlyInAnyOrder(other, worker);
  }

  @Test
  void aSubscriberHearsOfEveryChange() throws Exception {
    // Given
    Heard heard = new Heard();
    WorkerSnapshot snapshot = snapshot("gpu-1", "boot-1", 1);
    try (AutoCloseable subscription = registry.subscribe(heard)) {
      assertThat(heard.next()).isEqualTo("resubscribed");

      // When
      get(registry.publish(snapshot));
      get(registry.publish(snapshot));
      get(registry.remove("gpu-1", "boot-0"));
      get(registry.remove("gpu-1", "boot-1"));

      // Then
      assertThat(heard.next()).isEqualTo("changed " + snapshot);
      assertThat(heard.next()).isEqualTo("removed gpu-1");
    }
  }

  @Test
  void aHeartbeatWithoutNewsIsReadWithoutAnEvent() throws Exception {
    // Given
    Heard heard = new Heard();
    WorkerSnapshot second = snapshot("gpu-1", "boot-1", 2);
    WorkerSnapshot third =
        WorkerSnapshotBuilder.builder(snapshot("gpu-1", "boot-1", 3)).running(7).build();
    try (AutoCloseable subscription = registry.subscribe(heard)) {
      assertThat(heard.next()).isEqualTo("resubscribed");
      get(registry.publish(snapshot("gpu-1", "boot-1", 1)));
      assertThat(heard.next()).startsWith("changed ");

      // When
      boolean stored = publish(second);
      List<WorkerSnapshot> read = get(registry.readAll()).workers();
      get(registry.publish(third));

      // Then
      assertThat(stored).isTrue();
      assertThat(read).containsExactly(second);
      assertThat(heard.next()).isEqualTo("changed " + third);
    }
  }

  @Test
  void aGarbledEventIsSkipped() throws Exception {
    // Given
    Heard heard = new Heard();
    try (AutoCloseable subscription = registry.subscribe(heard)) {
      assertThat(heard.next()).isEqualTo("resubscribed");
      var events = stranger.getTopic(new RedisKeys(pool).events(), StringCodec.INSTANCE);

      // When
      for (String garbage :
          List.of(
              "", "changed ", "changed null", "breaker", "breaker a", "breaker a {}", "hello")) {
        events.publish(garbage);
      }
      events.publish("removed gpu-9");

      // Then
      assertThat(heard.next()).isEqualTo("removed gpu-9");
    }
  }

  @Test
  void whoHasUnsubscribedHearsNothing() throws Exception {
    // Given
    Heard gone = new Heard();
    Heard there = new Heard();
    AutoCloseable subscription = registry.subscribe(gone);
    assertThat(gone.next()).isEqualTo("resubscribed");
    try (AutoCloseable other = registry.subscribe(there)) {
      assertThat(there.next()).isEqualTo("resubscribed");

      // When
      subscription.close();
      get(registry.publish(snapshot("gpu-1", "boot-1", 1)));

      // Then
      assertThat(there.next()).startsWith("changed ");
      assertThat(gone.queue).isEmpty();
    }
  }

  @Test
  void whileRedisIsAwayCallsFailInBoundedTimeAndItHealsByItself() throws Exception {
    // Given
    int ownPort = freePort();
    RedisServer own = start(ownPort);
    RedissonClient ownClient = RedisConnection.open("redis://127.0.0.1:" + ownPort);
    try {
      RedisFleetRegistry healing = new RedisFleetRegistry(ownClient, "healing");
      Heard heard = new Heard();
      healing.subscribe(heard);
      assertThat(heard.next()).isEqualTo("resubscribed");
      get(healing.publish(snapshot("gpu-1", "boot-1", 1)));
      assertThat(heard.next()).startsWith("changed ");

      // When
      own.stop();

      // Then
      List.of(
              healing.publish(snapshot("gpu-1", "boot-1", 2)),
              healing.readAll(),
              healing.remove("gpu-1", "boot-1"))
          .forEach(RedisFleetRegistryTest::assertThatFails);

      // When
      own = start(ownPort);

      // Then
      assertThat(heard.next()).isEqualTo("resubscribed");
      WorkerSnapshot again = snapshot("gpu-1", "boot-1", 3);
      assertThat(get(healing.publish(again)).stored()).isTrue();
      assertThat(heard.next()).isEqualTo("changed " + again);
    } finally {
      ownClient.shutdown(0, 1, TimeUnit.SECONDS);
      own.stop();
    }
  }

  @Test
  void aRegistryMayBeOpenedBeforeRedisIsThere() throws Exception {
    // Given
    int ownPort = freePort();
    RedissonClient ownClient = RedisConnection.open("redis://127.0.0.1:" + ownPort);
    RedisServer own = null;
    try {
      RedisFleetRegistry early = new RedisFleetRegistry(ownClient, "early");
      Heard heard = new Heard();

      // When
      CompletionStage<FleetRegistry.Published> publish =
          early.publish(snapshot("gpu-1", "boot-1", 1));
      AutoCloseable subscription = early.subscribe(heard);

      // Then
      assertThatFails(publish);

      // When
      own = start(ownPort);

      // Then
      assertThat(heard.next()).isEqualTo("resubscribed");
      assertThat(get(early.publish(snapshot("gpu-1", "boot-1", 2))).stored()).isTrue();
      assertThat(heard.next()).startsWith("changed ");
      subscription.close();
    } finally {
      ownClient.shutdown(0, 1, TimeUnit.SECONDS);
      if (own != null) {
        own.stop();
      }
    }
  }

  @Test
  void theDatabaseOfTheAddressIsUsed() {
    // Given
    RedissonClient third = RedisConnection.open("redis://127.0.0.1:" + port + "/3");
    try {
      // When
      get(new RedisFleetRegistry(third, pool).publish(snapshot("gpu-1", "boot-1", 1)));

      // Then
      assertThat(get(registry.readAll()).workers()).isEmpty();
      assertThat(get(new RedisFleetRegistry(third, pool).readAll()).workers()).hasSize(1);
    } finally {
      third.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "127.0.0.1:6379", "http://secret@127.0.0.1:6379", "redis://secret@a:1/x"})
  void anAddressThatIsNoneIsRefusedWithoutShowingItsPassword(String uri) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConnection.open(uri))
        .withMessageContaining("redis://")
        .withMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a{b}", "a:b", "\u4e2d"})
  void aPoolNameThatWouldNotKeepToItsHashSlotIsRefused(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RedisFleetRegistry(client, name))
        .withMessageContaining("'" + name + "'");
  }

  private static void assertThatFails(CompletionStage<?> stage) {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> stage.toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS));
  }

  public static WorkerSnapshot snapshot(String id, String incarnation, long sequence) {
    return WorkerSnapshotBuilder.builder()
        .id(id)
        .incarnation(incarnation)
        .sequence(sequence)
        .models(List.of("llama"))
        .cards(Map.of())
        .lanes(List.of("8k"))
        .maxModelLen(8192)
        .tokenBudget(200_000)
        .tokensInUse(0)
        .kvUsage(OptionalDouble.of(0.5))
        .running(1)
        .waiting(0)
        .slots(64)
        .held(Map.of("router-0", 1))
        .draining(false)
        .engineUp(true)
        .pace(EnginePace.UNKNOWN)
        .traits(EngineTraits.NONE)
        .version("0.1.0")
        .tier(Optional.of("fast"))
        .build();
  }

  private static final class Heard implements FleetListener {
    final BlockingQueue<String> queue = new LinkedBlockingQueue<>();

    @Override
    public void changed(WorkerSnapshot snapshot) {
      queue.add("changed " + snapshot);
    }

    @Override
    public void removed(String workerId) {
      queue.add("removed " + workerId);
    }

    @Override
    public void breakerChanged(String workerId, BreakerState breaker) {
      queue.add("breaker " + workerId + " " + breaker.phase());
    }

    @Override
    public void resubscribed() {
      queue.add("resubscribed");
    }

    String next() throws InterruptedException {
      String next = queue.poll(BOUND.toSeconds(), TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    }
  }

  private boolean publish(WorkerSnapshot snapshot) {
    return get(registry.publish(snapshot)).stored();
  }
}
