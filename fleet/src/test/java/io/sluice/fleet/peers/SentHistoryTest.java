package io.sluice.fleet.peers;

import static io.sluice.fleet.redis.TestRedis.freePort;
import static io.sluice.fleet.redis.TestRedis.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.TestRedis;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.client.codec.StringCodec;

class SentHistoryTest {

  @Test
  void whatWasToldOfAWorkerIsReadInItsOrderByItsPoolOnly() {
    try (TestRedis redis = new TestRedis()) {
      // Given
      SentHistory history = new SentHistory(redis.client(), "pool");

      // When
      get(history.add(new PeerMessage("r1", List.of(entry("w1", 1), entry("w2", 2)))));
      get(history.add(new PeerMessage("r2", List.of(entry("w1", 3)))));

      // Then
      assertThat(get(history.read("w1"))).containsExactly(entry("w1", 1), entry("w1", 3));
      assertThat(get(history.read("w2"))).containsExactly(entry("w2", 2));
      assertThat(get(new SentHistory(redis.client(), "other").read("w1"))).isEmpty();
    }
  }

  @Test
  void onlyTheLatestAreKeptForALimitedTime() {
    try (TestRedis redis = new TestRedis()) {
      // Given
      SentHistory history = new SentHistory(redis.client(), "pool");

      // When
      for (int block = 1; block <= SentHistory.MOST + 10; block++) {
        get(history.add(new PeerMessage("r", List.of(entry("w", block)))));
      }

      // Then
      List<AtWorker> kept = get(history.read("w"));
      assertThat(kept).hasSize(SentHistory.MOST);
      assertThat(kept.getFirst()).isEqualTo(entry("w", 11));
      assertThat(redis.client().getBucket("sluice:{pool}:sent:w").remainTimeToLive()).isPositive();
    }
  }

  @Test
  void whatSaysNothingOfPromptsAndGarbageIsNotRead() {
    try (TestRedis redis = new TestRedis()) {
      // Given
      SentHistory history = new SentHistory(redis.client(), "pool");
      var raw = redis.client().<String>getList("sluice:{pool}:sent:w", StringCodec.INSTANCE);
      List.of("", "{", "null", "{\"worker\":\"w\",\"incarnation\":\"i\",\"blocks\":\"?\"}")
          .forEach(raw::add);

      // When
      get(history.add(new PeerMessage("r", List.of(new AtWorker("w", "i", 1, 2, 3, 64, "")))));
      get(history.add(new PeerMessage("r", List.of(entry("w", 1)))));

      // Then
      assertThat(get(history.read("w"))).containsExactly(entry("w", 1));
    }
  }

  @Test
  void anEngineThatWentDownIsForgotten() {
    try (TestRedis redis = new TestRedis()) {
      // Given
      SentHistory history = new SentHistory(redis.client(), "pool");
      get(history.add(new PeerMessage("r", List.of(entry("w", 1)))));

      // When
      get(history.forget("w"));

      // Then
      assertThat(get(history.read("w"))).isEmpty();
    }
  }

  @Test
  void withoutRedisItFailsInTime() throws Exception {
    var client = RedisConnection.open("redis://127.0.0.1:" + freePort());
    try {
      var read = new SentHistory(client, "pool").read("w").toCompletableFuture();
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(() -> read.get(10, TimeUnit.SECONDS));
    } finally {
      client.shutdown();
    }
  }

  private static AtWorker entry(String worker, long block) {
    return new AtWorker(worker, "i", 1, 2, 3, 64, AtWorker.encoded(new long[] {block}));
  }
}
