package io.sluice.producer.deadletter;

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
import java.util.concurrent.CompletableFuture;
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
 * Sends dead letters again, each as a request of its own with the old body and headers. Its id
 * follows from the letter's own id and how often its lineage was redriven: should the redriving end
 * between a request and the mark that it was sent, then the next one sends it under the same id,
 * and the pool takes it for a repeat. Not thread-safe.
 */
public final class Redrive implements AutoCloseable {
  private static final int BATCH_LETTERS = 200;
  private static final int BATCH_BYTES = 8 * 1024 * 1024;
  private static final String REQUESTS = "sluice.requests.";

  /**
   * What became of one letter.
   *
   * @param newId under which it was sent, or would have been
   * @param problem why it was not; empty if it was
   * @param replyTo where its answer goes, if that is not {@code sluice.replies}
   * @param replyPartition the partition there, if that does not follow from the new id
   */
  public record Result(
      String requestId,
      String newId,
      Optional<String> problem,
      Optional<String> replyTo,
      OptionalInt replyPartition) {
    static Result of(DeadLetter letter, Optional<String> problem) {
      boolean isDefault = isAnsweredByDefault(letter);
      return new Result(
          letter.requestId(),
          Redrive.newId(letter),
          problem,
          isDefault ? Optional.empty() : letter.replyTo(),
          isDefault ? OptionalInt.empty() : letter.replyPartition());
    }

    /** What would become of a letter. */
    public static Result expected(DeadLetter letter) {
      return of(letter, Optional.empty());
    }
  }

  private record Sent(
      DeadLetterLog.Standing standing, String newId, Future<RecordMetadata> written) {}

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
   * Opens what is needed; nothing is sent yet.
   *
   * @throws ClientException if the configuration is no good
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

  /** The letters that are meant, whether they were redriven or not. */
  public List<DeadLetter> find(LetterFilter filter) {
    return log.list(filter);
  }

  /** The id under which a letter is sent again. */
  public static String newId(DeadLetter letter) {
    // Not the lineage's first id: who copies headers makes two requests of one lineage and count.
    return RequestId.derived(
        Instant.ofEpochMilli(letter.sentEpochMillis()),
        letter.requestId() + "~" + (letter.redriveCount() + 1));
  }

  /** Whether it is answered on {@code sluice.replies}. */
  private static boolean isAnsweredByDefault(DeadLetter letter) {
    return letter.replyTo().filter(topic -> !topic.equals(Topics.REPLIES)).isEmpty();
  }

  /** Whether it is a request that could be sent again, and was not yet. */
  public static boolean isOpen(DeadLetter letter) {
    return letter.redrivenAs().isEmpty() && !letter.code().equals(DeadLetter.UNPROCESSED);
  }

  /**
   * Sends the letters that are meant and were not redriven before.
   *
   * @param timeout how long their answers are wanted from now on; empty for what the requests asked
   *     for, or the pool's default where the deadline has passed
   * @throws ClientException if the pool cannot be read; what was sent until then is marked
   */
  public List<Result> redrive(LetterFilter filter, Optional<Duration> timeout) {
    List<Result> results = new ArrayList<>();
    List<Sent> batch = new ArrayList<>();
    List<DeadLetterLog.Standing> letters =
        log.standing(filter).stream().filter(standing -> isOpen(standing.letter())).toList();
    try {
      redrive(letters, timeout, batch, results);
    } finally {
      results.addAll(mark(batch));
    }
    return results;
  }

  private void redrive(
      List<DeadLetterLog.Standing> letters,
      Optional<Duration> timeout,
      List<Sent> batch,
      List<Result> results) {
    int[] batchBytes = {0};
    log.visit(
        letters,
        (standing, record) -> {
          Optional<String> problem = problem(record);
          if (problem.isPresent()) {
            results.add(Result.of(standing.letter(), problem));
            return;
          }
          batch.add(send(standing, record, timeout));
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
          "its " + omitted.get() + " bytes were too many to be kept; it is still at its source");
    }
    if (DeadLetterLog.valueOf(record).length == 0) {
      return Optional.of("it has no body");
    }
    boolean hasLane =
        HeaderText.get(record.headers(), HeaderNames.SOURCE_TOPIC)
            .filter(topic -> topic.startsWith(REQUESTS))
            .isPresent();
    return hasLane ? Optional.empty() : Optional.of("it does not say which lane it came from");
  }

  private Sent send(
      DeadLetterLog.Standing standing,
      ConsumerRecord<String, byte[]> record,
      Optional<Duration> timeout) {
    DeadLetter letter = standing.letter();
    String newId = newId(letter);
    String topic =
        letter.priority() == Priority.BULK
            ? Topics.BULK
            : HeaderText.get(record.headers(), HeaderNames.SOURCE_TOPIC).orElseThrow();
    var request =
        new ProducerRecord<>(
            topic,
            Partitions.of(newId, log.partitionCount()),
            newId,
            DeadLetterLog.valueOf(record),
            headers(letter, record.headers(), newId, timeout));
    return new Sent(standing, newId, send(request));
  }

  private Future<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
    try {
      return producer.send(record);
    } catch (KafkaException | IllegalStateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The request's own headers, except those that are about the first sending. */
  private Headers headers(
      DeadLetter letter, Headers old, String newId, Optional<Duration> timeout) {
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
            // There it was where the first sender read; nobody looks for the new id there.
            case HeaderNames.REPLY_PARTITION, HeaderNames.SPRING_REPLY_PARTITION ->
                isAnsweredByDefault(letter);
            default -> HeaderNames.OF_DEAD_LETTERS.contains(header.key());
          };
      if (!isReplaced) {
        headers.add(header);
      }
    }
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, HeaderNames.REQUEST_ID, newId);
    HeaderText.put(headers, HeaderNames.REDRIVE_OF, letter.redriveOf().orElse(letter.requestId()));
    HeaderText.put(headers, HeaderNames.REDRIVE_COUNT, letter.redriveCount() + 1L);
    timeout.ifPresent(time -> HeaderText.put(headers, HeaderNames.TIMEOUT_MS, time.toMillis()));
    return headers;
  }

  /** Waits until the batch is in the log, and marks what is. */
  private List<Result> mark(List<Sent> batch) {
    List<Result> results = new ArrayList<>();
    List<Sent> marks = new ArrayList<>();
    for (Sent sent : batch) {
      Optional<String> problem = await(sent.written());
      results.add(Result.of(sent.standing().letter(), problem));
      if (problem.isEmpty()) {
        marks.add(new Sent(sent.standing(), sent.newId(), send(markOf(sent))));
      }
    }
    for (Sent mark : marks) {
      await(mark.written())
          .ifPresent(
              problem -> {
                throw new ClientException(
                    ClientException.Kind.UNREACHABLE,
                    "%s was redriven as %s, but that cannot be noted (%s): redrive again within the hour, and it is not run twice"
                        .formatted(mark.standing().letter().requestId(), mark.newId(), problem));
              });
    }
    return results;
  }

  private static ProducerRecord<String, byte[]> markOf(Sent sent) {
    String id = sent.standing().letter().requestId();
    var mark =
        new ProducerRecord<>(
            Topics.DEAD_LETTERS, sent.standing().partition().partition(), id, new byte[0]);
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
              : KafkaErrors.rootMessage(e));
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
