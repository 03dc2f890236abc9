package io.sluice.producer.attach;

import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.kafka.ConsumerPool;
import io.sluice.producer.reply.StoredAnswer;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** Reads answers of which it is known where they lie, several at a time. Thread-safe. */
final class PlacedAnswers {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration LOOKUP = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(100);

  private static final int MOST_REACHED = 1_000;

  private final ConsumerPool consumers;

  /** Offsets before which an answer has no record, of readings that took too long. */
  private final Map<String, Long> reached =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
              return size() > MOST_REACHED;
            }
          });

  PlacedAnswers(ConsumerPool consumers) {
    this.consumers = consumers;
  }

  /**
   * Reads an answer up to its end, or to the present end of the partition. If that takes too long,
   * the next reading of the answer continues.
   *
   * @param from an offset before which it has no record
   * @param end the offset of its last record, if it is known
   * @param result is completed with the answer, or with nothing if it is not there; the reading
   *     stops when somebody else completes it
   */
  void read(
      String requestId,
      TopicPartition partition,
      long from,
      OptionalLong end,
      CompletableFuture<Optional<StoredAnswer>> result) {
    try {
      result.complete(
          consumers.use(
              LIMIT,
              consumer -> {
                try {
                  consumer.assign(List.of(partition));
                  consumer.seek(partition, Math.max(from, reached.getOrDefault(requestId, 0L)));
                  return read(requestId, partition, end, consumer, result);
                } catch (InvalidOffsetException e) {
                  return Optional.empty();
                }
              }));
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  private Optional<StoredAnswer> read(
      String requestId,
      TopicPartition partition,
      OptionalLong end,
      Consumer<String, byte[]> consumer,
      CompletableFuture<?> result) {
    AnswerReading reading = new AnswerReading(requestId);
    long startNanos = System.nanoTime();
    long next = consumer.position(partition, LOOKUP);
    long stop = end.isPresent() ? end.getAsLong() + 1 : endOf(partition, consumer);
    while (next < stop && !reading.isOver() && !result.isDone()) {
      if (System.nanoTime() - startNanos > LIMIT.toNanos()) {
        reading
            .result(OptionalLong.of(next))
            .place()
            .from()
            .ifPresent(offset -> reached.put(requestId, offset));
        throw new TimeoutException("the answer was not read within " + LIMIT.toSeconds() + " s");
      }
      ConsumerRecords<String, byte[]> records = consumer.poll(POLL);
      for (ConsumerRecord<String, byte[]> record : records) {
        ReplyRecord.of(record).ifPresent(reading::accept);
      }
      next = consumer.position(partition, LOOKUP);
      // A partition that was created again may end before.
      stop = records.isEmpty() ? Math.min(stop, endOf(partition, consumer)) : stop;
    }
    boolean isThere = !reading.isTruncated() && (end.isEmpty() || reading.isOver());
    return isThere ? Optional.of(reading.result(OptionalLong.of(next))) : Optional.empty();
  }

  private static long endOf(TopicPartition partition, Consumer<String, byte[]> consumer) {
    return consumer.endOffsets(List.of(partition), LOOKUP).getOrDefault(partition, 0L);
  }
}
