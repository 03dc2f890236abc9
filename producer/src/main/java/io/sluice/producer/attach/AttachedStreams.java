package io.sluice.producer.attach;

import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.follow.EarliestTime;
import io.sluice.producer.follow.ReplyConsumers;
import io.sluice.producer.kafka.ConsumerPool;
import io.sluice.producer.reply.AnswerPlace;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.StoredAnswer;
import io.sluice.producer.stream.FoldedStream;
import io.sluice.producer.stream.LiveAnswer;
import io.sluice.producer.stream.Patience;
import io.sluice.producer.stream.StreamOwner;
import io.sluice.producer.stream.StreamTerms;
import io.sluice.producer.stream.Tail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;

/** Starts streams for requests of which only the ids are known. Thread-safe. */
public final class AttachedStreams {
  /** How many answers at known places are read at a time. */
  private static final int PLACING_CONSUMERS = 4;

  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(3);

  /**
   * How long after its deadline the pool itself may reject a request and write that to its replies.
   */
  private static final Duration REFUSAL_GRACE = Duration.ofSeconds(5);

  /**
   * Limits the wait for ids whose time is in the future, because of another clock or because it was
   * made up.
   */
  private static final Duration MOST_PATIENCE =
      Priority.INTERACTIVE.defaultTimeout().plus(REFUSAL_GRACE);

  private final Supplier<Consumer<String, byte[]>> consumers;
  private final String replyTopic;
  private final int partitionCount;
  private final Duration lookupTimeout;
  private final StreamOwner owner;
  private final ConsumerPool placing;
  private final PlacedAnswers placed;

  /**
   * @param replyTopic where answers are, unless options say otherwise
   * @param partitionCount of the reply topic
   */
  public AttachedStreams(
      ReplyConsumers consumers,
      String replyTopic,
      int partitionCount,
      Duration lookupTimeout,
      StreamOwner owner) {
    this.consumers = consumers.rereading();
    this.replyTopic = replyTopic;
    this.partitionCount = partitionCount;
    this.lookupTimeout = lookupTimeout;
    this.owner = owner;
    this.placing = new ConsumerPool(consumers.placing(), PLACING_CONSUMERS);
    this.placed = new PlacedAnswers(this.placing);
  }

  /**
   * Starts a stream.
   *
   * @throws IllegalArgumentException if the reply partition does not exist
   */
  public ReplyStream attach(String requestId, AttachOptions options, Instant now) {
    TopicPartition partition = partition(requestId, options);
    Instant since =
        options
            .since()
            .map(EarliestTime::notBeforeEpoch)
            .orElseGet(() -> EarliestTime.of(requestId));
    Duration patience =
        Patience.bounded(options.patience().orElseGet(() -> patience(requestId, now)));
    StreamTerms terms =
        StreamTerms.ofAttached(
            requestId,
            options.tenant(),
            options.fromIndex(),
            nothingFound(requestId, partition, since));
    FoldedStream stream =
        new FoldedStream(
            terms,
            partition,
            new LiveAnswer(requestId, options.isAssembled()),
            owner.nanoTime() + patience.toNanos(),
            owner);
    owner.follow(Tail.since(since, stream, partition, owner::nanoTime));
    return stream;
  }

  /** Reads what the default reply topic holds of an answer at present. */
  public CompletableFuture<StoredAnswer> read(String requestId) {
    Snapshot snapshot =
        new Snapshot(requestId, partition(requestId, AttachOptions.standard()), owner);
    owner.follow(snapshot);
    return snapshot.result();
  }

  /** Reads what is at a place of the default reply topic. */
  public CompletableFuture<Optional<StoredAnswer>> read(String requestId, AnswerPlace place) {
    if (place.from().isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    TopicPartition partition = partition(requestId, AttachOptions.standard());
    CompletableFuture<Optional<StoredAnswer>> result = new CompletableFuture<>();
    owner
        .executor()
        .execute(
            () -> placed.read(requestId, partition, place.from().getAsLong(), place.end(), result));
    return result;
  }

  /** Ends the readings at known places. */
  public void close() {
    placing.close();
  }

  private TopicPartition partition(String requestId, AttachOptions options) {
    String topic = options.replyTopic().orElse(replyTopic);
    if (!Topics.isReplyTopic(topic)) {
      throw new IllegalArgumentException(
          "'"
              + topic
              + "' is not a reply topic: reply topics are sluice.replies and sluice.replies.*");
    }
    int count = topic.equals(replyTopic) ? partitionCount : partitionsOf(topic);
    int partition = options.replyPartition().orElse(Partitions.of(requestId, count));
    if (partition < 0 || partition >= count) {
      throw new IllegalArgumentException(
          "topic %s has no partition %d: it has %d".formatted(topic, partition, count));
    }
    return new TopicPartition(topic, partition);
  }

  private int partitionsOf(String topic) {
    try (Consumer<String, byte[]> consumer = consumers.get()) {
      List<PartitionInfo> partitions = consumer.partitionsFor(topic, lookupTimeout);
      if (partitions == null || partitions.isEmpty()) {
        throw new IllegalArgumentException("reply topic '" + topic + "' does not exist");
      }
      return partitions.size();
    }
  }

  /** A waiting interactive request has no reply records until it is rejected at its deadline. */
  private static Duration patience(String requestId, Instant now) {
    Duration untilRefused =
        RequestId.timeOf(requestId)
            .map(made -> made.plus(MOST_PATIENCE))
            .map(refused -> Duration.between(now, refused))
            .orElse(LEAST_PATIENCE);
    if (untilRefused.compareTo(LEAST_PATIENCE) < 0) {
      return LEAST_PATIENCE;
    }
    return untilRefused.compareTo(MOST_PATIENCE) > 0 ? MOST_PATIENCE : untilRefused;
  }

  private static String nothingFound(String requestId, TopicPartition partition, Instant since) {
    return "no reply to request %s on partition %d of %s%s: check the id; the request may also still be waiting, or have another reply address"
        .formatted(
            requestId,
            partition.partition(),
            partition.topic(),
            since.isAfter(Instant.EPOCH) ? " since " + since : "");
  }
}
