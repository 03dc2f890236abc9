package io.sluice.producer.deadletter;

import io.sluice.common.dependency.Reasons;
import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.ClientException;
import io.sluice.producer.kafka.KafkaErrors;
import io.sluice.producer.kafka.KafkaSettings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Sends the requests of dead letters again, each as a new request with the old body and headers.
 * The new id is derived from the dead letter's id and the number of redrives of its lineage. If
 * redriving is interrupted after a request was sent and before it was marked, the next run sends it
 * under the same id, and the pool treats it as a repeat. Not thread-safe.
 */
public final class Redrive implements AutoCloseable {
  private static final int BATCH_LETTERS = 200;
  private static final int BATCH_BYTES = 8 * 1024 * 1024;

  /**
   * The result for one dead letter.
   *
   * @param newId the id under which it was sent, or would have been
   * @param problem why it was not sent; empty if it was
   * @param replyTo the reply topic, if it is not {@code sluice.replies}
   * @param replyPartition the reply partition, if it does not follow from the new id
   */
  public record Result(
      String requestId,
      String newId,
      Optional<String> problem,
      Optional<String> replyTo,
      OptionalInt replyPartition) {
    static Result of(DeadLetter deadLetter, Optional<String> problem) {
      boolean isDefault = isAnsweredByDefault(deadLetter);
      return new Result(
          deadLetter.requestId(),
          Redrive.newId(deadLetter),
          problem,
          isDefault ? Optional.empty() : deadLetter.replyTo(),
          isDefault ? OptionalInt.empty() : deadLetter.replyPartition());
    }

    /** Returns the expected result for a dead letter. */
    public static Result expected(DeadLetter deadLetter) {
      return of(deadLetter, Optional.empty());
    }
  }

  private record Sent(
      DeadLetterLog.Located located, String newId, Future<RecordMetadata> written) {}

  private final ClientConfig config;
  private final DeadLetterLog log;
  private final Producer<String, byte[]> producer;
  private final Clock clock;

  Redrive(ClientConfig config, DeadLetterLog log, Producer<String, byte[]> producer, Clock clock) {
    this.config = config;
    this.log = log;
    this.producer = producer;
    this.clock = clock;
  }

  /**
   * Opens the Kafka clients; nothing is sent yet.
   *
   * @throws ClientException if the configuration is invalid
   */
  public static Redrive open(ClientConfig config) {
    DeadLetterLog log = DeadLetterLog.open(config);
    try {
      return new Redrive(config, log, KafkaSettings.producer(config), Clock.systemUTC());
    } catch (KafkaException e) {
      log.close();
      throw KafkaErrors.connecting(e, config.bootstrapServers());
    }
  }

  /** Returns the selected dead letters, whether they were redriven or not. */
  public List<DeadLetter> find(DeadLetterFilter filter) {
    return log.list(filter);
  }

  /** Returns the id under which a dead letter is sent again. */
  public static String newId(DeadLetter deadLetter) {
    // Not derived from the lineage's first id: a caller that copies headers makes two requests of
    // the same lineage and count.
    return RequestId.derived(
        Instant.ofEpochMilli(deadLetter.sentEpochMillis()),
        deadLetter.requestId() + "~" + (deadLetter.redriveCount() + 1));
  }

  /** Returns whether the answer goes to {@code sluice.replies}. */
  private static boolean isAnsweredByDefault(DeadLetter deadLetter) {
    return deadLetter.replyTo().filter(topic -> !topic.equals(Topics.REPLIES)).isEmpty();
  }

  /** Returns whether the dead letter is a request that can be sent again and was not yet. */
  public static boolean isOpen(DeadLetter deadLetter) {
    return deadLetter.redrivenAs().isEmpty() && !deadLetter.isUnprocessed();
  }

  /**
   * Sends the selected dead letters that were not redriven before.
   *
   * @param timeout the time until the new deadline; empty to keep the deadlines of the requests, or
   *     for the pool's default if the deadline has passed
   * @throws ClientException if the pool cannot be read; requests that were sent before that are
   *     marked
   */
  public List<Result> redrive(DeadLetterFilter filter, Optional<Duration> timeout) {
    List<Result> results = new ArrayList<>();
    List<Sent> batch = new ArrayList<>();
    List<DeadLetterLog.Located> deadLetters =
        log.located(filter).stream().filter(located -> isOpen(located.deadLetter())).toList();
    try {
      redrive(deadLetters, timeout, batch, results);
    } finally {
      results.addAll(mark(batch));
    }
    return results;
  }

  private void redrive(
      List<DeadLetterLog.Located> deadLetters,
      Optional<Duration> timeout,
      List<Sent> batch,
      List<Result> results) {
    int[] batchBytes = {0};
    log.visit(
        deadLetters,
        (located, record) -> {
          Optional<String> problem = problem(record);
          if (problem.isPresent()) {
            results.add(Result.of(located.deadLetter(), problem));
            return;
          }
          batch.add(send(located, record, timeout));
          batchBytes[0] += DeadLetterLog.valueOf(record).length;
          if (batch.size() >= BATCH_LETTERS || batchBytes[0] >= BATCH_BYTES) {
            List<Sent> full = List.copyOf(batch);
            batch.clear();
            batchBytes[0] = 0;
            results.addAll(mark(full));
          }
        });
  }

  private static Optional<String> problem(ConsumerRecord<String, byte[]> record) {
    Optional<String> omitted = HeaderText.get(record.headers(), HeaderNames.OMITTED_BYTES);
    if (omitted.isPresent()) {
      return Optional.of(
          "its " + omitted.get() + " bytes were too many to be stored; it is still at its source");
    }
    if (DeadLetterLog.valueOf(record).length == 0) {
      return Optional.of("it has no body");
    }
    boolean hasLane =
        HeaderText.get(record.headers(), HeaderNames.SOURCE_TOPIC)
            .filter(topic -> topic.startsWith(Topics.REQUESTS_PREFIX))
            .isPresent();
    return hasLane ? Optional.empty() : Optional.of("it does not say which lane it came from");
  }

  private Sent send(
      DeadLetterLog.Located located,
      ConsumerRecord<String, byte[]> record,
      Optional<Duration> timeout) {
    DeadLetter deadLetter = located.deadLetter();
    String newId = newId(deadLetter);
    String topic =
        deadLetter.priority() == Priority.BULK
            ? Topics.BULK
            : HeaderText.get(record.headers(), HeaderNames.SOURCE_TOPIC).orElseThrow();
    var request =
        new ProducerRecord<>(
            topic,
            Partitions.of(newId, log.partitionCount()),
            newId,
            DeadLetterLog.valueOf(record),
            headers(deadLetter, record.headers(), newId, timeout));
    return new Sent(located, newId, RecordSend.send(producer, request));
  }

  /** Returns the request's own headers, without those of the first sending. */
  private Headers headers(
      DeadLetter deadLetter, Headers old, String newId, Optional<Duration> timeout) {
    Headers headers = new RecordHeaders();
    for (Header header : old) {
      boolean isReplaced =
          switch (header.key()) {
            case HeaderNames.VERSION,
                HeaderNames.REQUEST_ID,
                HeaderNames.REDRIVE_OF,
                HeaderNames.REDRIVE_COUNT ->
                true;
            case HeaderNames.TIMEOUT_MS -> timeout.isPresent();
            case HeaderNames.DEADLINE ->
                timeout.isPresent()
                    || HeaderText.getLong(old, HeaderNames.DEADLINE).orElse(0) <= clock.millis();
            // The partition where the first sender read. The new id is not looked for there.
            case HeaderNames.REPLY_PARTITION, HeaderNames.SPRING_REPLY_PARTITION ->
                isAnsweredByDefault(deadLetter);
            default -> HeaderNames.OF_DEAD_LETTERS.contains(header.key());
          };
      if (!isReplaced) {
        headers.add(header);
      }
    }
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, HeaderNames.REQUEST_ID, newId);
    HeaderText.put(
        headers, HeaderNames.REDRIVE_OF, deadLetter.redriveOf().orElse(deadLetter.requestId()));
    HeaderText.put(headers, HeaderNames.REDRIVE_COUNT, deadLetter.redriveCount() + 1L);
    timeout.ifPresent(time -> HeaderText.put(headers, HeaderNames.TIMEOUT_MS, time.toMillis()));
    return headers;
  }

  /** Waits until the batch is in the log, and marks the requests that are. */
  private List<Result> mark(List<Sent> batch) {
    List<Result> results = new ArrayList<>();
    List<Sent> marks = new ArrayList<>();
    for (Sent sent : batch) {
      Optional<String> problem = await(sent.written());
      results.add(Result.of(sent.located().deadLetter(), problem));
      if (problem.isEmpty()) {
        marks.add(new Sent(sent.located(), sent.newId(), RecordSend.send(producer, markOf(sent))));
      }
    }
    for (Sent mark : marks) {
      await(mark.written())
          .ifPresent(
              problem -> {
                throw new ClientException(
                    ClientException.Kind.UNREACHABLE,
                    "%s was redriven as %s, but could not be marked (%s): redrive again within the hour, and it is not run twice"
                        .formatted(mark.located().deadLetter().requestId(), mark.newId(), problem));
              });
    }
    return results;
  }

  private static ProducerRecord<String, byte[]> markOf(Sent sent) {
    String id = sent.located().deadLetter().requestId();
    var mark =
        new ProducerRecord<>(
            Topics.DEAD_LETTERS, sent.located().partition().partition(), id, new byte[0]);
    HeaderText.put(mark.headers(), HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(mark.headers(), HeaderNames.REQUEST_ID, id);
    HeaderText.put(mark.headers(), HeaderNames.REDRIVEN_AS, sent.newId());
    return mark;
  }

  private Optional<String> await(Future<RecordMetadata> written) {
    try {
      written.get();
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(
          e.getCause() instanceof Exception cause
              ? KafkaErrors.sending(cause, config.bootstrapServers())
              : Reasons.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClientException(ClientException.Kind.BUSY, "interrupted while redriving", e);
    }
  }

  @Override
  public void close() {
    producer.close(config.connectTimeout());
    log.close();
  }
}
