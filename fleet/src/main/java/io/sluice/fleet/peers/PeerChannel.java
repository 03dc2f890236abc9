package io.sluice.fleet.peers;

import io.sluice.fleet.redis.FleetSubscription;
import io.sluice.fleet.redis.RedisCalls;
import io.sluice.fleet.redis.RedisKeys;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The channel in Redis on which the routers of a pool tell each other what they have sent. Messages
 * are not stored: a router that is disconnected misses them. Thread-safe.
 */
public final class PeerChannel {
  private static final Logger log = LoggerFactory.getLogger(PeerChannel.class);

  private final RTopic topic;
  private final AtomicBoolean garbageNoted = new AtomicBoolean();

  /** Creates the channel of one pool. */
  public PeerChannel(RedissonClient redis, String pool) {
    this.topic = redis.getTopic(new RedisKeys(pool).sent(), StringCodec.INSTANCE);
  }

  /**
   * Publishes to all routers, including the sender. The stage fails, after a bounded time, if Redis
   * is not reachable; a failed message is not sent later.
   */
  public CompletionStage<Void> publish(PeerMessage message) {
    String json = message.toJson();
    return RedisCalls.call(() -> topic.publishAsync(json)).thenAccept(receivers -> {});
  }

  /**
   * Receives every message, in the order of each sender. Invalid messages are ignored. The
   * subscription is set up in the background, and restored when Redis comes back.
   *
   * @param listener called on a thread of the Redis client; must not block
   * @return closes the subscription
   */
  public AutoCloseable subscribe(Consumer<PeerMessage> listener) {
    return new FleetSubscription(topic, json -> deliver(json, listener), () -> {}).start();
  }

  private void deliver(String json, Consumer<PeerMessage> listener) {
    PeerMessage message;
    try {
      message = PeerMessage.parse(json);
    } catch (IllegalArgumentException e) {
      // Logged once: a newer router may send hundreds of them per second.
      log.atLevel(garbageNoted.getAndSet(true) ? Level.DEBUG : Level.WARN)
          .log("event=router_message_ignored reason=\"{}\"", e.getMessage());
      return;
    }
    listener.accept(message);
  }
}
