package io.sluice.router.topic;

import io.sluice.common.kafka.UnknownTopic;
import io.sluice.common.protocol.Topics;
import io.sluice.common.time.RepeatingThread;
import io.sluice.router.catalog.TopicDirectory;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TopicListing;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool's topics as the brokers recently listed them. A topic is known within {@value
 * #REFRESH_MILLIS} ms of its creation, and more partitions of a service's reply topic within half a
 * minute. It is forgotten after it was missing from three lists in a row, so neither a broker that
 * is behind nor a failed list makes a topic disappear. Thread-safe.
 */
public final class TopicMetadata implements TopicDirectory, AutoCloseable {
  private static final long REFRESH_MILLIS = 500;
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final Logger log = LoggerFactory.getLogger(TopicMetadata.class);

  private final Admin admin;
  private final RepeatingThread refresher = new RepeatingThread("topic-metadata");
  private volatile KnownTopics topics = KnownTopics.NONE;
  private int refreshes;

  /** Reads the topics once, then periodically. */
  public TopicMetadata(Admin admin) {
    this.admin = admin;
    refresh();
    var pause = Duration.ofMillis(REFRESH_MILLIS);
    var _ = refresher.repeat(pause, pause, this::refresh);
  }

  @Override
  public OptionalInt partitions(String topic) {
    return topics.partitions(topic);
  }

  /** Returns the names of all topics with this prefix. */
  public Set<String> named(String prefix) {
    return topics.named(prefix);
  }

  @Override
  public void close() {
    refresher.close();
  }

  private void refresh() {
    try {
      Map<String, Uuid> listed =
          answer(admin.listTopics().listings()).stream()
              .filter(listing -> listing.name().startsWith(Topics.PREFIX))
              .collect(Collectors.toMap(TopicListing::name, TopicListing::topicId));
      KnownTopics left = topics.after(listed);
      topics.named("").stream()
          .filter(name -> left.partitions(name).isEmpty() && !listed.containsKey(name))
          .forEach(name -> log.info("event=topic_gone topic={}", name));
      topics = left.with(described(left.toDescribe(listed, refreshes++)));
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      log.warn("event=topics_not_read reason=\"{}\"", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Map<String, KnownTopics.Topic> described(Collection<String> names)
      throws ExecutionException, TimeoutException, InterruptedException {
    Map<String, KnownTopics.Topic> described = new HashMap<>();
    if (names.isEmpty()) {
      return described;
    }
    for (var topic : admin.describeTopics(names).topicNameValues().entrySet()) {
      try {
        TopicDescription description = answer(topic.getValue());
        int partitions = description.partitions().size();
        described.put(topic.getKey(), new KnownTopics.Topic(description.topicId(), partitions, 0));
      } catch (ExecutionException e) {
        // The topic was deleted since it was listed, or the asked broker does not know it yet.
        if (!UnknownTopic.isCauseOf(e)) {
          throw e;
        }
      }
    }
    return described;
  }

  private static <T> T answer(KafkaFuture<T> future)
      throws ExecutionException, TimeoutException, InterruptedException {
    return future.get(WAIT.toMillis(), TimeUnit.MILLISECONDS);
  }
}
