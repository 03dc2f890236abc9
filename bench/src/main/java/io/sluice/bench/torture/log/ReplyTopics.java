package io.sluice.bench.torture.log;

import io.sluice.bench.torture.pool.PoolSetup;
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
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Reply topics of services, which are made and deleted while the pool runs; what comes to them is
 * read into the journal. Thread-safe.
 */
public final class ReplyTopics implements AutoCloseable {
  /** Exists all the time. */
  public static final String ELSEWHERE = "sluice.replies.elsewhere";

  /** What the names of topics begin with that are deleted while they are used. */
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

  /** With as many copies as the pool's own topics; not read from here. */
  public void makeElsewhere() throws InterruptedException, TimeoutException {
    make(new NewTopic(ELSEWHERE, Optional.of(PARTITIONS), Optional.of(PoolSetup.REPLICATION)));
  }

  /** Makes a topic with as many copies as the pool's own, and begins to read it. */
  public void make(String name) throws InterruptedException, TimeoutException {
    make(new NewTopic(name, Optional.of(PARTITIONS), Optional.of(PoolSetup.REPLICATION)));
    read(name);
  }

  /** Makes a topic with copies on two brokers, of which both must have every record. */
  public void makeThin(String name, int first, int second)
      throws InterruptedException, TimeoutException {
    make(new NewTopic(name, Map.of(0, List.of(first, second), 1, List.of(second, first))));
    read(name);
  }

  private void make(NewTopic topic) throws InterruptedException, TimeoutException {
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
        throw failed("made", topic.name(), e);
      }
    }
  }

  private void read(String name) {
    readers.put(name, LogReader.following(kafka, List.of(name), journal));
  }

  /** Deletes a topic with all that is in it. */
  public void delete(String name) throws InterruptedException, TimeoutException {
    Optional.ofNullable(readers.remove(name)).ifPresent(LogReader::close);
    try {
      admin.deleteTopics(List.of(name)).all().get(WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
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
