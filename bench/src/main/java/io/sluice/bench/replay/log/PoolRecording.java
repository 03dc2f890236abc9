package io.sluice.bench.replay.log;

import io.sluice.cli.CommandFailedException;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.router.app.RouterConfig;
import io.sluice.router.classify.Classifier;
import io.sluice.router.parse.RequestReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** Reads what a pool's topics record about a period of time. */
public final class PoolRecording {
  /** A request may end a little later than its deadline. */
  private static final Duration AFTER_DEADLINE = Duration.ofMinutes(1);

  private PoolRecording() {}

  /**
   * The time that is read.
   *
   * @param warmUpMillis where the warm-up begins, in epoch milliseconds
   * @param fromMillis where the time begins that is compared
   * @param toMillis where it ends, exclusive
   */
  public record Span(long warmUpMillis, long fromMillis, long toMillis) {}

  /**
   * What was read.
   *
   * @param isCut whether requests of the beginning may be missing, because the lanes did not keep
   *     them
   */
  public record Reading(Recording recording, boolean isCut) {}

  /**
   * Reads the requests of a time and everything that happened to them.
   *
   * @param router the settings of the pool's routers
   * @param most requests to read
   * @throws CommandFailedException if there are more requests, or no lanes
   */
  public static Reading read(ClientConfig kafka, RouterConfig router, Span span, int most) {
    try (PoolLog log = new PoolLog(kafka)) {
      KnownTopics topics = log.topics();
      if (!topics.has(Topics.OUTCOMES)) {
        throw new CommandFailedException(
            "%s cannot be found in Kafka at %s, so the recorded traffic cannot be read: check --kafka, and that the user has the rights of an operator (./sluice acls)"
                .formatted(Topics.OUTCOMES, kafka.bootstrapServers()));
      }
      var stories = new Stories(reader(topics, router, kafka), most);
      boolean isCut = requests(log, topics, span, stories);
      long last = stories.latestDeadlineMillis().orElse(span.toMillis());
      long until = last + AFTER_DEADLINE.toMillis();
      log.read(of(topics, Topics.OUTCOMES), span.warmUpMillis(), until, stories::outcome);
      log.read(of(topics, Topics.DECISIONS), span.warmUpMillis(), until, stories::decision);
      Set<TopicPartition> replies = new HashSet<>(stories.openReplies());
      replies.retainAll(
          PoolLog.partitions(
              topics, replies.stream().map(TopicPartition::topic).collect(Collectors.toSet())));
      log.read(replies, stories.firstOpenMillis().orElse(until), until, stories::reply);
      return new Reading(stories.recording(span.fromMillis()), isCut);
    }
  }

  private static boolean requests(PoolLog log, KnownTopics topics, Span span, Stories stories) {
    boolean isBulkCut =
        log.read(of(topics, Topics.BULK), span.warmUpMillis(), span.toMillis(), stories::request);
    boolean isCut =
        log.read(
            PoolLog.partitions(topics, topics.lanesTopics()),
            span.warmUpMillis(),
            span.toMillis(),
            stories::request);
    return isCut || isBulkCut;
  }

  private static RequestReader reader(KnownTopics topics, RouterConfig router, ClientConfig kafka) {
    return RequestReader.forPool(
        topics
            .lanes()
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        "Kafka at %s has no topics of a pool (sluice.requests.*): check --kafka"
                            .formatted(kafka.bootstrapServers()))),
        router.models().catalogue(),
        new Classifier(router.tierSettings().rules()),
        router.rules(),
        topics,
        source -> true);
  }

  private static Set<TopicPartition> of(KnownTopics topics, String topic) {
    return PoolLog.partitions(topics, List.of(topic));
  }
}
