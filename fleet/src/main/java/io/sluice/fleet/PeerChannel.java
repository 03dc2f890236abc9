package io.sluice.fleet;

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
 * The channel in Redis on which the routers of a pool tell each other what they have sent. Nothing
 * is kept: a router that is away misses what is said meanwhile. Thread-safe.
 */
public final class PeerChannel {
  private static final Logger log = LoggerFactory.getLogger(PeerChannel.class);

  private final RTopic topic;
  private final AtomicBoolean garbageNoted = new AtomicBoolean();

  /** The channel of one pool. */
  public PeerChannel(RedissonClient redis, String pool) {
    this.topic = redis.getTopic(new RedisKeys(pool).sent(), StringCodec.INSTANCE);
  }

  /**
   * Tells everybody, the sender included. The stage fails, after a bounded time, when Redis is
   * away; a message that failed is not sent later.
   */
  public CompletionStage<Void> publish(PeerMessage message) {
    String json = message.toJson();
    return RedisCalls.call(() -> topic.publishAsync(json)).thenAccept(receivers -> {});
  }

  /**
   * Hears every message, in each sender's order; what is none is ignored. Set up in the background,
   * and restored whenever Redis comes back.
   *
   * @param listener called on a thread of the client's; must not block
   * @return ends it
   */
  public AutoCloseable subscribe(Consumer<PeerMessage> listener) {
    return new FleetSubscription(topic, json -> deliver(json, listener), () -> {}).start();
  }

  private void deliver(String json, Consumer<PeerMessage> listener) {
    PeerMessage message;
    try {
      message = PeerMessage.parse(json);
    } catch (IllegalArgumentException e) {
      // Once is enough: a newer router may say hundreds of them a second.
      log.atLevel(garbageNoted.getAndSet(true) ? Level.DEBUG : Level.WARN)
          .log("event=router_message_ignored reason=\"{}\"", e.getMessage());
      return;
    }
    listener.accept(message);
  }
}
