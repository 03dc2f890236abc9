package io.sluice.fleet.redis;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.redisson.RedissonShutdownException;
import org.redisson.api.RTopic;
import org.redisson.api.listener.StatusListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A subscription to the fleet's events. It is set up in the background and retried every half
 * second until Redis is reachable, because a router must start while Redis is away. Once it is set
 * up, the Redis client restores it by itself. Nothing is delivered after {@link #close()}.
 * Thread-safe.
 */
public final class FleetSubscription implements AutoCloseable {
  private static final Duration RETRY_INTERVAL = Duration.ofMillis(500);

  private static final Logger log = LoggerFactory.getLogger(FleetSubscription.class);

  private final RTopic topic;
  private final Consumer<String> messages;
  private final Runnable subscribed;
  private final Set<Integer> listenerIds = ConcurrentHashMap.newKeySet();
  private final Thread setUp;
  private volatile boolean closed;

  /** Used only by the thread that sets up the subscription. */
  private boolean failureNoted;

  /**
   * Creates a subscription; {@link #start()} sets it up.
   *
   * @param messages receives every message
   * @param subscribed runs each time the subscription is in place
   */
  public FleetSubscription(RTopic topic, Consumer<String> messages, Runnable subscribed) {
    this.topic = topic;
    this.messages = messages;
    this.subscribed = subscribed;
    this.setUp = Thread.ofVirtual().name("fleet-subscription").unstarted(this::setUp);
  }

  public FleetSubscription start() {
    setUp.start();
    return this;
  }

  @Override
  public void close() {
    closed = true;
    setUp.interrupt();
    removeListeners();
  }

  private void setUp() {
    while (!closed && !isSetUp()) {
      try {
        Thread.sleep(RETRY_INTERVAL);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    if (closed) {
      removeListeners();
    }
  }

  private boolean isSetUp() {
    try {
      listenerIds.add(topic.addListener(String.class, (channel, message) -> deliver(message)));
      listenerIds.add(topic.addListener(new Restored()));
    } catch (RedissonShutdownException e) {
      return true;
    } catch (RuntimeException e) {
      // Not only RedisException: a thread that waits for another thread's connect gets a
      // CompletionException.
      noteFailure(e);
      removeListeners();
      return false;
    }
    // The client notifies a status listener only of later subscriptions.
    announce();
    return true;
  }

  /** Logs the first failure only, because Redis may be away for hours. */
  private void noteFailure(RuntimeException e) {
    log.atLevel(failureNoted ? Level.DEBUG : Level.WARN)
        .log(
            "event=fleet_subscribe_failed retry_ms={} reason=\"{}\"",
            RETRY_INTERVAL.toMillis(),
            e.getMessage());
    failureNoted = true;
  }

  private void deliver(String message) {
    if (!closed) {
      messages.accept(message);
    }
  }

  private void announce() {
    if (!closed) {
      subscribed.run();
    }
  }

  private void removeListeners() {
    Integer[] ids = listenerIds.toArray(Integer[]::new);
    if (ids.length > 0) {
      topic
          .removeListenerAsync(ids)
          .whenComplete(
              (removed, error) -> {
                if (error != null) {
                  log.debug("event=fleet_unsubscribe_failed reason=\"{}\"", error.getMessage());
                }
              });
      listenerIds.removeAll(Set.of(ids));
    }
  }

  private final class Restored implements StatusListener {
    @Override
    public void onSubscribe(String channel) {
      announce();
    }

    @Override
    public void onUnsubscribe(String channel) {
      log.info("event=fleet_unsubscribed channel={}", channel);
    }
  }
}
