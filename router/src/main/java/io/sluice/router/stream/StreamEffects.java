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
import io.sluice.router.schedule.Effects;
import io.sluice.router.schedule.EndRecord;
import io.sluice.router.schedule.RequestBody;
import io.sluice.router.schedule.RequestFacts;
import io.sluice.router.schedule.RequestReader;
import io.sluice.router.schedule.RequestState.Ending;
import io.sluice.router.schedule.RequestState.History;
import io.sluice.router.schedule.TopicDirectory;
import io.sluice.router.schedule.TrackedRequest;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Turns one task's scheduler's effects into Kafka records. What goes to workers goes through a sink
 * of Kafka Streams; terminal records and dead letters through {@link RecordWriter}, whose
 * acknowledgements wait in {@link #written()} for the task's thread.
 */
final class StreamEffects implements Effects {
  static final String WORKERS_SINK = "workers";

  /** A record of a request's end that is in the log, or could not be written. */
  record Written(String requestId, EndRecord record, boolean acknowledged) {}

  private final ProcessorContext<String, byte[]> context;
  private final RecordWriter writer;
  private final TopicDirectory topics;
  private final Queue<Written> written = new ConcurrentLinkedQueue<>();

  StreamEffects(
      ProcessorContext<String, byte[]> context, RecordWriter writer, TopicDirectory topics) {
    this.context = context;
    this.writer = writer;
    this.topics = topics;
  }

  /** What became of requests' ends; to be emptied by the task's thread. */
  Queue<Written> written() {
    return written;
  }

  @Override
  public void assign(Assignment assignment, RequestBody body) {
    Headers headers = copy(body.headers());
    assignment.writeTo(headers);
    forward(WORKERS_SINK, assignment.lease().requestId(), body.value(), headers);
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
    // A sink must not meet a topic that is not there: it would hold up the stream thread.
    if (topics.partitions(Topics.worker(lease.worker())).isPresent()) {
      forward(WORKERS_SINK, lease.requestId(), new byte[0], headers);
    }
  }

  @Override
  public void end(TrackedRequest tracked, Ending ending, EndRecord record, RequestBody body) {
    String requestId = tracked.requestId();
    var _ =
        (switch (record) {
              case TERMINAL -> writer.write(terminal(tracked, ending, body));
              case DEAD_LETTER -> letter(tracked, ending, body);
            })
            .whenComplete(
                (none, failure) -> written.add(new Written(requestId, record, failure == null)));
  }

  /** Where the topic does not take a body of that size, it stays where it stands in the log. */
  private CompletableFuture<Void> letter(TrackedRequest tracked, Ending ending, RequestBody body) {
    return writer
        .write(deadLetter(tracked, ending, body))
        .exceptionallyCompose(
            failure ->
                failure instanceof RecordTooLargeException
                    ? writer.write(deadLetter(tracked, ending, body.omitted()))
                    : CompletableFuture.failedFuture(failure));
  }

  private ProducerRecord<String, byte[]> terminal(
      TrackedRequest tracked, Ending ending, RequestBody body) {
    RequestFacts facts = tracked.facts();
    LeaseRef lease = ending.lease();
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(
            facts.requestId(),
            ReplyKind.ERROR,
            lease.attempt(),
            lease.lease(),
            tracked.history().tokens())
        .after(latency(facts))
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
    return record(facts.replyTo(), facts.requestId(), reply, headers);
  }

  private static ProducerRecord<String, byte[]> deadLetter(
      TrackedRequest tracked, Ending ending, RequestBody body) {
    RequestFacts facts = tracked.facts();
    Headers headers = copy(body.headers());
    headers.remove(HeaderNames.VERSION).remove(HeaderNames.REQUEST_ID);
    HeaderNames.OF_DEAD_LETTERS.forEach(headers::remove);
    HeaderText.put(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.put(headers, HeaderNames.REQUEST_ID, facts.requestId());
    HeaderText.put(headers, HeaderNames.ERROR_CODE, ending.kind().code());
    HeaderText.put(headers, HeaderNames.ERROR_MESSAGE, ending.message());
    HeaderText.put(headers, HeaderNames.SOURCE_TOPIC, facts.source().topic());
    HeaderText.put(headers, HeaderNames.SOURCE_PARTITION, facts.source().partition());
    HeaderText.put(headers, HeaderNames.SOURCE_OFFSET, facts.source().offset());
    HeaderText.put(headers, HeaderNames.APPEND_TIME, facts.appendTimeMillis());
    if (!facts.model().isEmpty()) {
      HeaderText.put(headers, HeaderNames.MODEL, facts.model());
    }
    HeaderText.put(headers, HeaderNames.HISTORY, tracked.history().forLetter().toJson());
    return new ProducerRecord<>(
        Topics.DEAD_LETTERS, null, facts.requestId(), body.value(), headers);
  }

  @Override
  public void pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(requestId, ReplyKind.POINTER, 0, "none", 0).writeTo(headers);
    var _ = writer.write(record(sender, requestId, answer.toJson(), headers));
  }

  /**
   * Of attempt 0, which no reader of an answer takes for a part of it; the tenant tells whom it
   * concerns.
   */
  @Override
  public void idInUse(RequestFacts refused, String message, RequestBody body) {
    LeaseRef lease = new LeaseRef(refused.requestId(), 0, UUID.randomUUID().toString(), "", "");
    Ending ending =
        new Ending(lease, ErrorKind.REQUEST_ID_IN_USE, message, OptionalLong.empty(), List.of());
    TrackedRequest tracked = new TrackedRequest(refused, History.NONE, ending);
    ProducerRecord<String, byte[]> reply = terminal(tracked, ending, body);
    HeaderText.put(reply.headers(), HeaderNames.TENANT, refused.tenant());
    var _ = letter(tracked, ending, body);
    var _ = writer.write(reply);
  }

  private OptionalLong latency(RequestFacts facts) {
    return OptionalLong.of(Math.max(0, context.currentSystemTimeMs() - facts.appendTimeMillis()));
  }

  private void forward(String sink, String key, byte[] value, Headers headers) {
    long timestamp = Math.max(0, context.currentSystemTimeMs());
    context.forward(new Record<>(key, value, timestamp, headers), sink);
  }

  private static ProducerRecord<String, byte[]> record(
      ReplyAddress address, String key, byte[] value, Headers headers) {
    return new ProducerRecord<>(address.topic(), address.partition(), key, value, headers);
  }

  private static Headers copy(Headers headers) {
    return new RecordHeaders(headers.toArray());
  }
}
