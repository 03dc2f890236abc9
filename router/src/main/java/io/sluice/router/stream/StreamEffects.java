package io.sluice.router.stream;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
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
import io.sluice.router.schedule.RequestState.Ending;
import io.sluice.router.schedule.TopicDirectory;
import io.sluice.router.schedule.TrackedRequest;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.producer.ProducerRecord;
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
  public void end(
      TrackedRequest tracked,
      Ending ending,
      EndRecord record,
      CompletableFuture<RequestBody> body) {
    String requestId = tracked.requestId();
    OptionalLong latency = latency(tracked.facts());
    var _ =
        body.thenCompose(
                read ->
                    writer.write(
                        switch (record) {
                          case TERMINAL -> terminal(tracked, ending, read, latency);
                          case DEAD_LETTER -> deadLetter(tracked, ending, read);
                        }))
            .whenComplete(
                (none, failure) -> written.add(new Written(requestId, record, failure == null)));
  }

  private static ProducerRecord<String, byte[]> terminal(
      TrackedRequest tracked, Ending ending, RequestBody body, OptionalLong latency) {
    RequestFacts facts = tracked.facts();
    LeaseRef lease = ending.lease();
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(
            facts.requestId(),
            ReplyKind.ERROR,
            lease.attempt(),
            lease.lease(),
            tracked.history().tokens())
        .after(latency)
        .writeTo(headers);
    Header correlationId = body.headers().lastHeader(HeaderNames.SPRING_CORRELATION_ID);
    if (correlationId != null) {
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
  public void pointer(String requestId, ReplyAddress sender, ReplyAddress answer) {
    Headers headers = new RecordHeaders();
    ReplyHeaders.of(requestId, ReplyKind.POINTER, 0, "none", 0).writeTo(headers);
    byte[] pointer = new ReplyPointer(answer, OptionalLong.empty()).toJson();
    var _ = writer.write(record(sender, requestId, pointer, headers));
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
