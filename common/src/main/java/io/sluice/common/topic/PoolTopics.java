package io.sluice.common.topic;

import io.sluice.common.kafka.UnknownTopic;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
import org.jspecify.annotations.Nullable;

/**
 * Creates a pool's topics. Existing topics are accepted. Of these, only a retention that is too
 * short is changed, segments that keep records for much longer, and the compression of the topics
 * that callers write to.
 *
 * @param partitions the number of partitions of every topic except the workers' topics; fixed for
 *     the life of the pool
 * @param replication 3 in production; 1 on a single broker
 * @param longestDeadline the longest time between a request and its deadline; requests and answers
 *     are kept for one day more
 */
public record PoolTopics(Lanes lanes, int partitions, short replication, Duration longestDeadline) {
  /**
   * The longest deadline unless another is configured, which is also the default of bulk requests.
   */
  public static final Duration LONGEST_DEADLINE = Priority.BULK.defaultTimeout();

  /** Requests of up to 8 MiB, so that a prompt of 128k tokens is accepted. */
  public static final int MAX_REQUEST_BYTES = 8 * 1024 * 1024;

  /** A request gains headers on its way through the pool, which need room in its records. */
  public static final int MAX_RECORD_BYTES = MAX_REQUEST_BYTES + 512 * 1024;

  /** A control message holds little more than a request id. */
  private static final int MAX_CONTROL_BYTES = 64 * 1024;

  private static final Duration WAIT = Duration.ofSeconds(30);
  private static final Duration ASK_AGAIN = Duration.ofMillis(50);
  private static final Duration KEPT_AFTER_DEADLINE = Duration.ofDays(1);
  private static final Duration BATCHES_RETENTION = Duration.ofDays(31);
  private static final Duration SHORT_RETENTION = Duration.ofHours(1);

  /** Describes a pool with the default for the longest deadline. */
  public PoolTopics(Lanes lanes, int partitions, short replication) {
    this(lanes, partitions, replication, LONGEST_DEADLINE);
  }

  /**
   * Creates the topics that all services share, and waits until the brokers know them.
   *
   * @throws IllegalStateException if they cannot be created, or exist with another number of
   *     partitions
   */
  public void create(Admin admin) {
    Map<String, Duration> least = new HashMap<>();
    lasting().forEach(lasting -> least.put(lasting.name(), retention()));
    List<String> found = create(admin, shared());
    checkPartitions(admin, shared().stream().map(NewTopic::name).toList());
    found.forEach(existing -> least.putIfAbsent(existing, Duration.ZERO));
    least.keySet().retainAll(found);
    TopicRetention.ensure(least, admin);
    new UncompressedTopics(ofCallers().stream().filter(found::contains).toList()).ensure(admin);
  }

  /** Returns the topics that all services share, with the settings that they are created with. */
  public List<NewTopic> shared() {
    List<NewTopic> topics = new ArrayList<>(lasting());
    topics.add(topic(Topics.DECISIONS, partitions, SHORT_RETENTION));
    topics.add(batches());
    return topics;
  }

  /** Returns the topics whose records must outlive the longest deadline. */
  private List<NewTopic> lasting() {
    return Stream.concat(
            lanes.all().stream().map(Topics::requests),
            Stream.of(
                Topics.BULK,
                Topics.CONTROL,
                Topics.OUTCOMES,
                Topics.REPLIES,
                Topics.RESPONSES,
                Topics.DELETED_RESPONSES,
                Topics.DEAD_LETTERS))
        .map(name -> topic(name, partitions, retention()))
        .toList();
  }

  private Duration retention() {
    return longestDeadline.plus(KEPT_AFTER_DEADLINE);
  }

  /** Returns the topics that callers write to. */
  private List<String> ofCallers() {
    return Stream.concat(
            lanes.all().stream().map(Topics::requests), Stream.of(Topics.BULK, Topics.CONTROL))
        .toList();
  }

  /**
   * Creates the topic of one worker: a single partition with a short retention, because it is only
   * transport.
   */
  public void createWorkerTopic(Admin admin, String workerId) {
    List<String> found = create(admin, List.of(topic(Topics.worker(workerId), 1, SHORT_RETENTION)));
    found.forEach(existing -> TopicRetention.ensure(Map.of(existing, Duration.ZERO), admin));
  }

  /** A batch can be asked for during a month; only its last progress is of interest. */
  private NewTopic batches() {
    NewTopic topic = topic(Topics.BATCHES, partitions, BATCHES_RETENTION);
    Map<String, String> configs = new HashMap<>(topic.configs());
    configs.put(
        TopicConfig.CLEANUP_POLICY_CONFIG,
        TopicConfig.CLEANUP_POLICY_COMPACT + "," + TopicConfig.CLEANUP_POLICY_DELETE);
    return topic.configs(configs);
  }

  private NewTopic topic(String name, int partitionCount, Duration retention) {
    Map<String, String> configs =
        Map.of(
            TopicConfig.COMPRESSION_TYPE_CONFIG,
            ofCallers().contains(name) ? UncompressedTopics.UNCOMPRESSED : "producer",
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            "LogAppendTime",
            TopicConfig.RETENTION_MS_CONFIG,
            Long.toString(retention.toMillis()),
            TopicConfig.SEGMENT_MS_CONFIG,
            Long.toString(TopicRetention.segment(retention).toMillis()),
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

  /** Returns the topics that existed already. */
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

  /**
   * The controller reports a topic as created before every broker knows it, so this waits for them.
   */
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
        if (!UnknownTopic.isCauseOf(e) || System.nanoTime() - end > 0) {
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
              "there are fewer brokers than requested replicas; unset SLUICE_REPLICATION (--replication), or set it to at most the number of brokers";
          case null, default -> String.valueOf(cause);
        };
    return new IllegalStateException("cannot create topic " + topic + ": " + reason, cause);
  }
}
