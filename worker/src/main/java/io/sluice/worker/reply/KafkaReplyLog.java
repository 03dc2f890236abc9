package io.sluice.worker.reply;

import io.sluice.common.kafka.RecordSend;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ProgressReport;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reply log in Kafka, over one idempotent producer. Callers that write to a partition without
 * acknowledgements fail; callers that write elsewhere do not wait for them. Thread-safe.
 */
public final class KafkaReplyLog implements ReplyLog {
  /** Approximate size of headers and bookkeeping of a record. */
  private static final long OVERHEAD_BYTES = 500;

  private static final Duration GATHER_PROGRESS = Duration.ofMillis(50);
  private static final Logger log = LoggerFactory.getLogger(KafkaReplyLog.class);

  private final Producer<String, byte[]> producer;
  private final InFlightRecords inFlight;
  private final Executor later;
  private final PromptSend prompt;
  private final ProgressBatch gathered = new ProgressBatch();

  /** A log that owns its producer. */
  public KafkaReplyLog(Producer<String, byte[]> producer, Ticker ticker) {
    this(
        producer,
        ticker,
        CompletableFuture.delayedExecutor(
            GATHER_PROGRESS.toMillis(), TimeUnit.MILLISECONDS, Thread::startVirtualThread),
        Thread::startVirtualThread);
  }

  /**
   * The same with other executors.
   *
   * @param later runs a task after progress has been gathered for a moment, and not on the caller's
   *     thread
   * @param threads runs a task that blocks
   */
  KafkaReplyLog(
      Producer<String, byte[]> producer, Ticker ticker, Executor later, Executor threads) {
    this.producer = producer;
    this.inFlight = new InFlightRecords(ticker);
    this.later = later;
    this.prompt = new PromptSend(producer, threads);
  }

  @Override
  public CompletableFuture<Long> append(ReplyRecord record) {
    var message =
        new ProducerRecord<>(
            record.address().topic(),
            record.address().partition(),
            record.headers().requestId(),
            record.value());
    record.headers().writeTo(message.headers());
    record
        .correlationId()
        .ifPresent(id -> message.headers().add(HeaderNames.SPRING_CORRELATION_ID, id));
    CompletableFuture<Long> written = send(message);
    if (isAwaited(record.headers())) {
      prompt.now();
    }
    return written;
  }

  /** Somebody waits for a claim, a first token and a whole answer; other records may linger. */
  private static boolean isAwaited(ReplyHeaders headers) {
    return headers.kind() == ReplyKind.CLAIM || headers.index() == 0;
  }

  @Override
  public CompletableFuture<Long> report(int requestPartition, Outcome outcome) {
    gathered.drop(requestPartition, outcome.lease());
    return report(
        requestPartition, outcome.lease().requestId(), List.of(outcome), outcome.toJson());
  }

  @Override
  public void progress(int requestPartition, LeaseRef lease, Outcome.Progress progress) {
    if (gathered.add(requestPartition, new Outcome(lease, progress))) {
      later.execute(this::reportProgress);
    }
  }

  private void reportProgress() {
    gathered
        .take()
        .forEach(
            (partition, outcomes) -> {
              var _ =
                  report(
                      partition,
                      outcomes.getFirst().lease().worker(),
                      outcomes,
                      ProgressReport.toJson(outcomes));
            });
  }

  private CompletableFuture<Long> report(
      int partition, String key, List<Outcome> outcomes, byte[] json) {
    var message = new ProducerRecord<>(Topics.OUTCOMES, partition, key, json);
    HeaderText.put(message.headers(), HeaderNames.VERSION, HeaderNames.VERSION_1);
    return send(message)
        .whenComplete(
            (offset, failure) -> {
              if (failure != null) {
                outcomes.forEach(outcome -> lost(outcome, failure));
              }
            });
  }

  private static void lost(Outcome outcome, Throwable failure) {
    log.warn(
        "event=outcome_lost request={} lease={} outcome={} reason=\"{}\"",
        outcome.lease().requestId(),
        outcome.lease().lease(),
        outcome.event().getClass().getSimpleName(),
        failure.getMessage());
  }

  /** Writes the records in flight, for at most this long, then closes the producer. */
  public void close(Duration atMost) {
    producer.close(atMost);
  }

  private CompletableFuture<Long> send(ProducerRecord<String, byte[]> message) {
    var written = new CompletableFuture<Long>();
    var partition = new TopicPartition(message.topic(), message.partition());
    long bytes = message.value().length + OVERHEAD_BYTES;
    if (!inFlight.tryAdd(partition, bytes)) {
      written.completeExceptionally(
          new KafkaException(
              partition
                  + " has acknowledged nothing for a while and its share of the buffer is used up"));
      return written;
    }
    RecordSend.send(
        producer,
        message,
        (metadata, failure) -> {
          inFlight.remove(partition, bytes);
          if (failure == null) {
            written.complete(metadata.offset());
          } else {
            written.completeExceptionally(named(failure, message));
          }
        });
    return written;
  }

  /** The record was too large for this producer, or for a topic with a lower limit. */
  private static Exception named(Exception failure, ProducerRecord<String, byte[]> message) {
    return failure instanceof RecordTooLargeException
        ? new ReplyTooLargeException(message.topic(), message.value().length, failure)
        : failure;
  }
}
