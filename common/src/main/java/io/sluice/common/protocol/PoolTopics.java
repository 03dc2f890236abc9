package io.sluice.common.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Creates a pool's topics. Creating what is there already is no error; of what exists only the
 * compression of the topics that callers write to is changed.
 *
 * @param partitions of every topic but the workers'; fixed for a pool's life
 * @param replication 3 in production; 1 on a single broker
 */
public record PoolTopics(Lanes lanes, int partitions, short replication) {
  /** Requests of up to 8 MiB, so that a prompt of 128k tokens passes. */
  public static final int MAX_REQUEST_BYTES = 8 * 1024 * 1024;

  /** On its way through the pool a request gathers headers, for which there must be room. */
  public static final int MAX_RECORD_BYTES = MAX_REQUEST_BYTES + 512 * 1024;

  /** A control message names a request, and says little of it. */
  private static final int MAX_CONTROL_BYTES = 64 * 1024;

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration ASK_AGAIN = Duration.ofMillis(50);
  private static final Duration RETENTION = Duration.ofDays(2);
  private static final Duration SHORT_RETENTION = Duration.ofHours(1);

  /**
   * Creates the topics that everybody shares, and waits until the brokers have them.
   *
   * @throws IllegalStateException if they cannot be created, or have another number of partitions
   *     already
   */
  public void create(Admin admin) {
    List<NewTopic> topics = new ArrayList<>();
    lanes.all().forEach(lane -> topics.add(topic(Topics.requests(lane), partitions, RETENTION)));
    topics.add(topic(Topics.BULK, partitions, RETENTION));
    topics.add(topic(Topics.CONTROL, partitions, RETENTION));
    topics.add(topic(Topics.OUTCOMES, partitions, RETENTION));
    topics.add(topic(Topics.REPLIES, partitions, RETENTION));
    topics.add(topic(Topics.DEAD_LETTERS, partitions, RETENTION));
    topics.add(topic(Topics.DECISIONS, partitions, SHORT_RETENTION));
    List<String> found = create(admin, topics);
    checkPartitions(admin, topics.stream().map(NewTopic::name).toList());
    new UnpackedTopics(ofCallers().stream().filter(found::contains).toList()).ensure(admin);
  }

  /** Those that callers write to. */
  private List<String> ofCallers() {
    return Stream.concat(
            lanes.all().stream().map(Topics::requests), Stream.of(Topics.BULK, Topics.CONTROL))
        .toList();
  }

  /** Creates one worker's topic: a single partition, short-lived, for it is only transport. */
  public void createWorkerTopic(Admin admin, String workerId) {
    create(admin, List.of(topic(Topics.worker(workerId), 1, SHORT_RETENTION)));
  }

  private NewTopic topic(String name, int partitionCount, Duration retention) {
    Map<String, String> configs =
        Map.of(
            TopicConfig.COMPRESSION_TYPE_CONFIG,
            ofCallers().contains(name) ? UnpackedTopics.UNCOMPRESSED : "producer",
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            "LogAppendTime",
            TopicConfig.RETENTION_MS_CONFIG,
            Long.toString(retention.toMillis()),
            TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
            Integer.toString(maxBytes(name)),
            TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
            replication >= 3 ? "2" : "1");
    return new NewTopic(name, Optional.of(partitionCount), Optional.of(replication))
        .configs(configs);
  }

  private static int maxBytes(String name) {
    return switch (name) {
      case Topics.BULK -> MAX_REQUEST_BYTES;
      case Topics.CONTROL -> MAX_CONTROL_BYTES;
      default -> MAX_RECORD_BYTES;
    };
  }

  /** Returns those that were there. */
  private static List<String> create(Admin admin, List<NewTopic> topics) {
    List<String> found = new ArrayList<>();
    var created = admin.createTopics(topics).values();
    for (var topic : created.entrySet()) {
      try {
        topic.getValue().get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw cannotCreate(topic.getKey(), e.getCause());
        }
        found.add(topic.getKey());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw cannotCreate(topic.getKey(), e);
      } catch (TimeoutException e) {
        throw cannotCreate(topic.getKey(), e);
      }
    }
    return found;
  }

  private void checkPartitions(Admin admin, List<String> names) {
    try {
      describe(admin, names)
          .forEach(
              (name, description) -> {
                int found = description.partitions().size();
                if (found != partitions) {
                  throw new IllegalStateException(
                      "topic %s has %d partitions, but this pool is configured for %d; set the number of partitions to %d (it is fixed for a pool's life)"
                          .formatted(name, found, partitions, found));
                }
              });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking the pool's topics", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("cannot read the pool's topics: " + e, e);
    }
  }

  /** The controller says that a topic is created before every broker has heard of it. */
  private static Map<String, TopicDescription> describe(Admin admin, List<String> names)
      throws InterruptedException, ExecutionException, TimeoutException {
    long end = System.nanoTime() + WAIT.toNanos();
    while (true) {
      try {
        return admin
            .describeTopics(names)
            .allTopicNames()
            .get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        boolean isKnownLater = e.getCause() instanceof UnknownTopicOrPartitionException;
        if (!isKnownLater || System.nanoTime() - end > 0) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(ASK_AGAIN.toNanos());
      }
    }
  }

  private static IllegalStateException cannotCreate(String topic, @Nullable Throwable cause) {
    String reason =
        switch (cause) {
          case TimeoutException _ -> "the brokers did not answer within " + WAIT.toSeconds() + " s";
          case InvalidReplicationFactorException _ ->
              "there are fewer brokers than replicas; set SLUICE_REPLICATION to 1 on a single broker";
          case null, default -> String.valueOf(cause);
        };
    return new IllegalStateException("cannot create topic " + topic + ": " + reason, cause);
  }
}
