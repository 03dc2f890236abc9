package io.sluice.bench.torture.log;

import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.common.kafka.UnknownTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Creates and deletes reply topics while the pool runs, and reads them into the journal.
 * Thread-safe.
 */
public final class ReplyTopics implements AutoCloseable {
  /** A second reply topic that exists during the whole run. */
  public static final String ELSEWHERE = "sluice.replies.elsewhere";

  /** The prefix of topics that are deleted while they are in use. */
  public static final String LOST_PREFIX = "sluice.replies.lost-";

  private static final int PARTITIONS = 2;
  private static final long WITHIN_SECONDS = 60;

  private final String kafka;
  private final Journal journal;
  private final Admin admin;
  private final Map<String, LogReader> readers = new ConcurrentHashMap<>();

  public ReplyTopics(String kafka, Journal journal) {
    this.kafka = kafka;
    this.journal = journal;
    this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka));
  }

  /**
   * Creates it with as many replicas as the pool's own topics. The journal's own reader reads it.
   */
  public void createElsewhere() throws InterruptedException, TimeoutException {
    create(new NewTopic(ELSEWHERE, Optional.of(PARTITIONS), Optional.of(PoolSetup.REPLICATION)));
  }

  /** Creates a topic with as many replicas as the pool's own topics, and starts to read it. */
  public void create(String name) throws InterruptedException, TimeoutException {
    create(new NewTopic(name, Optional.of(PARTITIONS), Optional.of(PoolSetup.REPLICATION)));
    read(name);
  }

  /** Creates a topic with replicas on two brokers, both of which must be in sync for a write. */
  public void createOnTwoBrokers(String name, int first, int second)
      throws InterruptedException, TimeoutException {
    create(new NewTopic(name, Map.of(0, List.of(first, second), 1, List.of(second, first))));
    read(name);
  }

  private void create(NewTopic topic) throws InterruptedException, TimeoutException {
    topic.configs(
        Map.of(
            TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
            "2",
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            "LogAppendTime"));
    try {
      admin.createTopics(List.of(topic)).all().get(WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw failed("created", topic.name(), e);
      }
    }
  }

  private void read(String name) {
    readers.put(name, LogReader.following(kafka, List.of(name), journal));
  }

  /** Deletes a topic and its records. */
  public void delete(String name) throws InterruptedException, TimeoutException {
    Optional.ofNullable(readers.remove(name)).ifPresent(LogReader::close);
    try {
      admin.deleteTopics(List.of(name)).all().get(WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!UnknownTopic.isCauseOf(e)) {
        throw failed("deleted", name, e);
      }
    }
  }

  private static TimeoutException failed(String what, String topic, ExecutionException e) {
    return new TimeoutException("%s was not %s: %s".formatted(topic, what, e.getCause()));
  }

  @Override
  public void close() {
    new ArrayList<>(readers.values()).forEach(LogReader::close);
    admin.close(java.time.Duration.ofSeconds(2));
  }
}
