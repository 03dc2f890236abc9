package io.sluice.fleet.peers;

import static io.sluice.fleet.redis.TestRedis.freePort;
import static io.sluice.fleet.redis.TestRedis.get;
import static io.sluice.fleet.redis.TestRedis.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sluice.fleet.peers.PeerMessage.AtWorker;
import io.sluice.fleet.redis.RedisConnection;
import io.sluice.fleet.redis.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import redis.embedded.RedisServer;

@Tag("slow")
class PeerChannelTest {
  private static final Duration BOUND = Duration.ofSeconds(10);
  private static final String CHANNEL = "sluice:{pool}:sent";

  private final BlockingQueue<PeerMessage> heard = new LinkedBlockingQueue<>();

  @Test
  void whatARouterSaysIsHeardByAllOfItsPoolInOrder() throws Exception {
    try (TestRedis redis = new TestRedis()) {
      // Given
      PeerChannel channel = new PeerChannel(redis.client(), "pool");
      BlockingQueue<PeerMessage> elsewhere = new LinkedBlockingQueue<>();
      new PeerChannel(redis.client(), "other").subscribe(elsewhere::add);
      channel.subscribe(heard::add);
      awaitHearing(channel);

      // When
      for (int leases = 1; leases <= 100; leases++) {
        get(channel.publish(message(leases)));
      }

      // Then
      for (int leases = 1; leases <= 100; leases++) {
        assertThat(next()).isEqualTo(message(leases));
      }
      assertThat(elsewhere).isEmpty();
    }
  }

  @Test
  void garbageIsPassedOver() throws Exception {
    try (TestRedis redis = new TestRedis()) {
      // Given
      PeerChannel channel = new PeerChannel(redis.client(), "pool");
      channel.subscribe(heard::add);
      awaitHearing(channel);
      var raw = redis.client().getTopic(CHANNEL, StringCodec.INSTANCE);

      // When
      for (String garbage : List.of("", "{", "null", "{\"version\":9,\"router\":\"r\"}")) {
        raw.publish(garbage);
      }
      get(channel.publish(message(1)));

      // Then
      assertThat(next()).isEqualTo(message(1));
    }
  }

  @Test
  void nothingIsHeardAfterTheEnd() throws Exception {
    try (TestRedis redis = new TestRedis()) {
      // Given
      PeerChannel channel = new PeerChannel(redis.client(), "pool");
      BlockingQueue<PeerMessage> ended = new LinkedBlockingQueue<>();
      channel.subscribe(ended::add).close();
      channel.subscribe(heard::add);
      awaitHearing(channel);

      // When
      get(channel.publish(message(1)));

      // Then
      assertThat(next()).isEqualTo(message(1));
      assertThat(ended).isEmpty();
    }
  }

  @Test
  void aRedisThatIsAwayFailsTheCallAndIsHeardAgainWhenItIsBack() throws Exception {
    // Given
    int port = freePort();
    RedissonClient client = RedisConnection.open("redis://127.0.0.1:" + port);
    RedisServer server = start(port);
    try {
      PeerChannel channel = new PeerChannel(client, "pool");
      channel.subscribe(heard::add);
      awaitHearing(channel);

      // When
      server.stop();

      // Then
      assertThatExceptionOfType(ExecutionException.class)
          .isThrownBy(
              () ->
                  channel
                      .publish(message(1))
                      .toCompletableFuture()
                      .get(BOUND.toSeconds(), TimeUnit.SECONDS));

      // When
      server = start(port);

      // Then
      awaitHearing(channel);
      assertThat(heard).doesNotContain(message(1));
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
      server.stop();
    }
  }

  /** Waits for the subscription, which is set up in the background. */
  private void awaitHearing(PeerChannel channel) {
    PeerMessage probe = message(0);
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(
            () -> {
              channel.publish(probe).toCompletableFuture().get(BOUND.toSeconds(), TimeUnit.SECONDS);
              return heard.contains(probe);
            });
  }

  /** Returns the next message that is not a probe. */
  private PeerMessage next() throws InterruptedException {
    PeerMessage next;
    do {
      next = heard.poll(BOUND.toSeconds(), TimeUnit.SECONDS);
      assertThat(next).isNotNull();
    } while (next.equals(message(0)));
    return next;
  }

  private static PeerMessage message(int leases) {
    return new PeerMessage(
        "router-1",
        List.of(new AtWorker("w1", "boot-1", leases, 900, 500, 64, AtWorker.encoded(new long[2]))));
  }
}
