package io.sluice.router.stream;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.Scheduler;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.write.RecordWriter;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the effects of one task's scheduler into Kafka records. All of them go through {@link
 * RecordWriter}. The results of the writes that the scheduler waits for are queued in {@link
 * #reports()} for the task's thread.
 *
 * <p>Kafka Streams does not wait for these writes when it commits, and need not: the scheduler's
 * decisions are in the changelog, for which it does wait. A router that finds a request not ended
 * writes the end again. An assignment that was lost with its router is a lease without reports: the
 * lease watch ends it like that of a dead worker, when it is not accepted in time, or, in a router
 * that took the lease over, within {@code PROGRESS_WITHIN} and the settle time. A lost revocation
 * is sent again at the worker's next report.
 */
final class StreamEffects implements Effects {
  /** Less than the time within which any worker is expected to accept an assignment. */
  static final Duration ASSIGN_WITHIN = Duration.ofMillis(1_500);

  /** As long as the producer retries. */
  static final Duration WRITE_WITHIN = Duration.ofSeconds(30);

  /** The result of a write, to be reported on the task's thread. */
  interface Report {
    /** Reports it. */
    void tell(Scheduler scheduler, TimePoint now);
  }

  private static final Logger log = LoggerFactory.getLogger(StreamEffects.class);

  private final LongSupplier epochMillis;
  private final RecordWriter writer;
  private final TopicPartition changelog;
  private final Queue<Report> reports = new ConcurrentLinkedQueue<>();

  /**
   * Creates the effects of one task.
   *
   * @param epochMillis the pool's time
   * @param changelog where the task's requests are stored
   */
  StreamEffects(LongSupplier epochMillis, RecordWriter writer, TopicPartition changelog) {
    this.epochMillis = epochMillis;
    this.writer = writer;
    this.changelog = changelog;
  }

  /** The task's thread empties this queue. */
  Queue<Report> reports() {
    return reports;
  }

  @Override
  public void assign(Assignment assignment, RequestBody body) {
    Headers headers = copy(body.headers());
    assignment.writeTo(headers);
    LeaseRef lease = assignment.lease();
    var _ =
        writer
            .write(toWorker(lease, body.value(), headers), ASSIGN_WITHIN)
            .whenComplete(
                (none, failure) -> {
                  if (failure != null) {
                    reports.add((scheduler, now) -> scheduler.notAssigned(lease, now));
                  }
                });
  }

  @Override
  public void amend(Amendment amendment) {
    Headers headers = new RecordHeaders();
    amendment.writeTo(headers);
    tell(amendment.lease(), headers);
  }

  @Override
  public void revoke(LeaseRef lease) {
    Headers headers = new RecordHeaders();
    Assignment.writeRevoke(headers, lease);
    tell(lease, headers);
  }

  private void tell(LeaseRef lease, Headers headers) {
    // A worker that is gone need not be told.
    if (writer.partitions(Topics.worker(lease.worker())).isPresent()) {
      var _ = writer.write(toWorker(lease, new byte[0], headers), WRITE_WITHIN);
    }
  }

  private static ProducerRecord<String, byte[]> toWorker(
      LeaseRef lease, byte[] value, Headers headers) {
    return record(
        new ReplyAddress(Topics.worker(lease.worker()), 0), lease.requestId(), value, headers);
  }

  @Override
  public void end(
      TrackedRequest tracked,
      Ending ending,
      EndRecord record,
      CompletableFuture<RequestBody> body) {
    String requestId = tracked.requestId();
    OptionalLong latency = latency(tracked.metadata());
    var _ =
        body.thenCompose(
                read ->
                    switch (record) {
                      case TERMINAL ->
                          writer.write(terminal(tracked, ending, read, latency), WRITE_WITHIN);
                      case DEAD_LETTER -> writeDeadLetter(tracked, ending, read);
                    })
            .whenComplete(
                (none, failure) ->
                    reports.add(
                        failure == null
                            ? (scheduler, now) -> scheduler.endWritten(requestId, record, now)
                            : (scheduler, now) -> scheduler.endNotWritten(requestId, record, now)));
  }

  /** If the topic does not accept a body of this size, the body stays at its place in the log. */
  private CompletableFuture<Void> writeDeadLetter(
      TrackedRequest tracked, Ending ending, RequestBody body) {
    return writer
        .write(deadLetter(tracked, ending, body), WRITE_WITHIN)
        .exceptionallyCompose(
            failure ->
                failure instanceof RecordTooLargeException
                    ? writer.write(deadLetter(tracked, ending, body.omitted()), WRITE_WITHIN)
                    : CompletableFuture.failedFuture(failure));
  }

  private static ProducerRecord<String, byte[]> terminal(
      TrackedRequest tracked, Ending ending, RequestBody body, OptionalLong latency) {
    RequestMetadata metadata = tracked.metadata();
    LeaseRef lease = ending.lease();
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(
            metadata.requestId(),
            ReplyKind.ERROR,
            lease.attempt(),
            lease.lease(),
            tracked.history().tokens())
        .ofTenant(metadata.tenant())
        .after(latency)
        .writeTo(headers);
    Header correlationId = body.headers().lastHeader(HeaderNames.SPRING_CORRELATION_ID);
    boolean isEchoed =
        correlationId != null
            && correlationId.value() != null
            && correlationId.value().length <= RequestReader.MAX_CORRELATION_ID_BYTES;
    if (isEchoed) {
      headers.add(correlationId);
    }
    byte[] reply = ending.kind().toJson(ending.message(), ending.retryAfterMillis());
    return record(metadata.replyTo(), metadata.requestId(), reply, headers);
  }

  private ProducerRecord<String, byte[]> deadLetter(
      TrackedRequest tracked, Ending ending, RequestBody body) {
    RequestMetadata metadata = tracked.metadata();
    Headers headers = copy(body.headers());
    headers.remove(HeaderNames.VERSION).remove(HeaderNames.REQUEST_ID);
    HeaderNames.OF_DEAD_LETTERS.forEach(headers::remove);
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, HeaderNames.REQUEST_ID, metadata.requestId());
    HeaderText.put(headers, HeaderNames.ERROR_CODE, ending.kind().code());
    HeaderText.put(headers, HeaderNames.ERROR_MESSAGE, ending.message());
    HeaderText.put(headers, HeaderNames.SOURCE_TOPIC, metadata.source().topic());
    HeaderText.put(headers, HeaderNames.SOURCE_PARTITION, metadata.source().partition());
    HeaderText.put(headers, HeaderNames.SOURCE_OFFSET, metadata.source().offset());
    HeaderText.put(headers, HeaderNames.APPEND_TIME, metadata.appendTimeMillis());
    if (!metadata.model().isEmpty()) {
      HeaderText.put(headers, HeaderNames.MODEL, metadata.model());
    }
    HeaderText.put(headers, HeaderNames.HISTORY, tracked.history().forDeadLetter().toJson());
    int partition = writer.partition(Topics.DEAD_LETTERS, metadata.requestId());
    return record(
        new ReplyAddress(Topics.DEAD_LETTERS, partition),
        metadata.requestId(),
        body.value(),
        headers);
  }

  @Override
  public void pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(requestId, ReplyKind.POINTER, 0, "none", 0).writeTo(headers);
    var _ = writer.write(record(sender, requestId, answer.toJson(), headers), WRITE_WITHIN);
  }

  /**
   * Attempt 0 is not part of any answer for its readers. The tenant header, which ends of answers
   * have too, tells whom it concerns.
   */
  @Override
  public void idInUse(RequestMetadata refused, String message, RequestBody body) {
    LeaseRef lease = new LeaseRef(refused.requestId(), 0, UUID.randomUUID().toString(), "", "");
    Ending ending =
        Pending.received()
            .end(lease, ErrorKind.REQUEST_ID_IN_USE, message, OptionalLong.empty(), List.of());
    TrackedRequest tracked = new TrackedRequest(refused, History.NONE, ending);
    ProducerRecord<String, byte[]> reply = terminal(tracked, ending, body, latency(refused));
    var _ = writeDeadLetter(tracked, ending, body);
    var _ = writer.write(reply, WRITE_WITHIN);
  }

  @Override
  public void unreadable(List<UnreadableRequest> found) {
    UnreadableRequest first = found.getFirst();
    log.error(
        "event=stored_requests_unreadable topic={} partition={} count={} first={} reason=\"{}\" effect=\"they get no answer from this router; everything else continues\" hint=\"if a later version wrote them, start it again; see dead-letters list --code unprocessed\"",
        changelog.topic(),
        changelog.partition(),
        found.size(),
        first.requestId(),
        first.cause());
    found.forEach(
        unreadable -> {
          String id = unreadable.requestId();
          Headers headers =
              UnprocessedHeaders.headers(
                  id, "the stored state of the request cannot be read: " + unreadable.cause());
          HeaderText.put(headers, HeaderNames.SOURCE_TOPIC, changelog.topic());
          HeaderText.put(headers, HeaderNames.SOURCE_PARTITION, changelog.partition());
          int partition = writer.partition(Topics.DEAD_LETTERS, id);
          var address = new ReplyAddress(Topics.DEAD_LETTERS, partition);
          var _ = writer.write(record(address, id, new byte[0], headers), WRITE_WITHIN);
        });
  }

  private OptionalLong latency(RequestMetadata metadata) {
    return OptionalLong.of(Math.max(0, epochMillis.getAsLong() - metadata.appendTimeMillis()));
  }

  private static ProducerRecord<String, byte[]> record(
      ReplyAddress address, String key, byte[] value, Headers headers) {
    return new ProducerRecord<>(address.topic(), address.partition(), key, value, headers);
  }

  private static Headers copy(Headers headers) {
    return new RecordHeaders(headers.toArray());
  }
}
