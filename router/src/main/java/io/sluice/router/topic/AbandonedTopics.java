package io.sluice.router.topic;

import io.sluice.common.protocol.Topics;
import io.sluice.common.time.RepeatingThread;
import io.sluice.router.fleet.FleetSnapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the topics of workers that have been gone for an hour, so that they do not pile up where
 * workers get new names. The router that owns partition 0 does this. It counts only time in which
 * it could have seen the worker: an unreachable registry, a change of the owner or a pause restart
 * the hour. A worker that is alive but cut off from the registry, or that returns at this moment,
 * creates its topic again. Not thread-safe.
 */
public final class AbandonedTopics implements AutoCloseable {
  static final Duration KEPT = Duration.ofHours(1);
  static final Duration INTERVAL = Duration.ofMinutes(1);
  private static final Logger log = LoggerFactory.getLogger(AbandonedTopics.class);

  private final BooleanSupplier isOurTask;
  private final Supplier<FleetSnapshot> fleet;
  private final Supplier<Set<String>> topics;
  private final Consumer<List<String>> delete;
  private final LongSupplier nanoClock;
  private final Runnable onClose;
  private final Map<String, Long> goneSinceNanos = new HashMap<>();
  private long checkedNanos;

  /**
   * A keeper whose {@link #deleteDue} somebody else calls, every {@link #INTERVAL}.
   *
   * @param topics the names of all workers' topics
   * @param delete must not block
   */
  AbandonedTopics(
      BooleanSupplier isOurTask,
      Supplier<FleetSnapshot> fleet,
      Supplier<Set<String>> topics,
      Consumer<List<String>> delete,
      LongSupplier nanoClock,
      Runnable onClose) {
    this.isOurTask = isOurTask;
    this.fleet = fleet;
    this.topics = topics;
    this.delete = delete;
    this.nanoClock = nanoClock;
    this.onClose = onClose;
    this.checkedNanos = nanoClock.getAsLong();
  }

  /** Creates an instance with its own thread. */
  public static AbandonedTopics start(
      Admin admin, TopicMetadata topics, Supplier<FleetSnapshot> fleet, BooleanSupplier isOurTask) {
    var timer = new RepeatingThread("abandoned-topics");
    var keeper =
        new AbandonedTopics(
            isOurTask,
            fleet,
            () -> topics.named(Topics.WORKER_PREFIX),
            names -> delete(admin, names),
            System::nanoTime,
            timer::close);
    var _ = timer.repeat(INTERVAL, INTERVAL, keeper::deleteDue);
    return keeper;
  }

  /** Deletes the topics that are due. */
  void deleteDue() {
    long now = nanoClock.getAsLong();
    boolean wasAway = now - checkedNanos > INTERVAL.multipliedBy(3).toNanos();
    checkedNanos = now;
    FleetSnapshot seen = fleet.get();
    if (wasAway || !seen.fresh() || !isOurTask.getAsBoolean()) {
      goneSinceNanos.clear();
      return;
    }
    Set<String> known = topics.get();
    goneSinceNanos.keySet().retainAll(known);
    for (String topic : known) {
      if (seen.worker(topic.substring(Topics.WORKER_PREFIX.length())).isPresent()) {
        goneSinceNanos.remove(topic);
      } else {
        goneSinceNanos.putIfAbsent(topic, now);
      }
    }
    List<String> abandoned =
        goneSinceNanos.entrySet().stream()
            .filter(gone -> now - gone.getValue() >= KEPT.toNanos())
            .map(Map.Entry::getKey)
            .toList();
    if (!abandoned.isEmpty()) {
      log.info("event=worker_topics_deleted topics={}", abandoned);
      delete.accept(abandoned);
    }
  }

  @Override
  public void close() {
    onClose.run();
  }

  private static void delete(Admin admin, List<String> names) {
    admin
        .deleteTopics(names)
        .topicNameValues()
        .forEach(
            (name, deleted) -> {
              var _ =
                  deleted.whenComplete(
                      (none, failure) -> {
                        if (failure != null) {
                          log.warn(
                              "event=worker_topic_not_deleted topic={} effect=\"the deletion is retried in a minute\" reason=\"{}\"",
                              name,
                              failure.getMessage());
                        }
                      });
            });
  }
}
