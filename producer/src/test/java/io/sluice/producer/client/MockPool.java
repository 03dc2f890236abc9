package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.follow.ReplyConsumers;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.stream.FoldedStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A client over Kafka's mock clients, with a clock that does not advance. The test writes the
 * answers of the pool, and decides when the client reads them.
 */
final class MockPool {
  static final int PARTITIONS = 4;

  final MockConsumer<String, byte[]> consumer = new MockConsumer<>("none");
  final MockProducer<String, byte[]> producer;
  final List<MockConsumer<String, byte[]>> rereading = new CopyOnWriteArrayList<>();
  final List<MockConsumer<String, byte[]>> following = new CopyOnWriteArrayList<>();
  final AtomicLong nanos = new AtomicLong();

  /** Runs when the client next reads its clock. */
  Runnable meanwhile = () -> {};

  /** Runs before a record is sent, on the thread that sends it. */
  volatile java.util.function.Consumer<ProducerRecord<String, byte[]>> beforeSend = record -> {};

  /** Whether Kafka has gone away for second consumers: looking up works, reading does not. */
  volatile boolean isSilent;

  final SluiceClient client;
  private final List<ConsumerRecord<String, byte[]>> log = new ArrayList<>();
  private long nextOffset = 100;
  private long firstOffset;

  MockPool() {
    this(ClientConfig.at("kafka:1"));
  }

  MockPool(ClientConfig config) {
    this(config, true);
  }

  MockPool(ClientConfig config, boolean isAcknowledging) {
    producer =
        new MockProducer<>(
            isAcknowledging, null, new StringSerializer(), new ByteArraySerializer()) {
          // Not synchronized: several threads may wait before they send.
          @Override
          @SuppressWarnings("UnsynchronizedOverridesSynchronized")
          public Future<RecordMetadata> send(
              ProducerRecord<String, byte[]> record, Callback callback) {
            beforeSend.accept(record);
            return super.send(record, callback);
          }

          @Override
          public void close(Duration timeout) {
            // Stays open, so that records that are sent too late are visible.
          }
        };
    List<PartitionInfo> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new PartitionInfo(Topics.REPLIES, i, Node.noNode(), null, null));
      consumer.updateEndOffsets(Map.of(new TopicPartition(Topics.REPLIES, i), nextOffset));
    }
    consumer.updatePartitions(Topics.REPLIES, partitions);
    ClientConnection connection =
        ClientConnection.of(
            config,
            () -> producer,
            consumer,
            new ReplyConsumers(
                () -> openRereading(rereading),
                () -> openRereading(following),
                () -> openRereading(new ArrayList<>())),
            this::nanoTime);
    client =
        new SluiceClient(
            config,
            connection,
            SluiceClient.callers(),
            Clock.fixed(Instant.ofEpochSecond(1_790_000_000), ZoneOffset.UTC),
            this::nanoTime);
  }

  private long nanoTime() {
    Runnable once = meanwhile;
    meanwhile = () -> {};
    once.run();
    return nanos.get();
  }

  /** Returns what a second consumer reads: the whole log so far. */
  private synchronized Consumer<String, byte[]> openRereading(
      List<MockConsumer<String, byte[]>> opened) {
    MockConsumer<String, byte[]> again =
        new MockConsumer<>("none") {
          // Not synchronized, like the following: a writer has the pool's lock first.
          @Override
          @SuppressWarnings("UnsynchronizedOverridesSynchronized")
          public ConsumerRecords<String, byte[]> poll(Duration timeout) {
            if (!isSilent) {
              assignment().forEach(partition -> refill(this, partition, position(partition)));
            }
            return super.poll(timeout);
          }

          @Override
          @SuppressWarnings("UnsynchronizedOverridesSynchronized")
          public Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
              Map<TopicPartition, Long> times, Duration timeout) {
            Map<TopicPartition, OffsetAndTimestamp> all = new HashMap<>();
            times.forEach((partition, time) -> all.put(partition, beginning()));
            return all;
          }

          @Override
          @SuppressWarnings("UnsynchronizedOverridesSynchronized")
          public Map<TopicPartition, Long> endOffsets(
              Collection<TopicPartition> partitions, Duration timeout) {
            Map<TopicPartition, Long> all = new HashMap<>();
            partitions.forEach(partition -> all.put(partition, endOf(partition)));
            return all;
          }
        };
    opened.add(again);
    return again;
  }

  private synchronized void refill(
      MockConsumer<String, byte[]> again, TopicPartition partition, long offset) {
    again.updateBeginningOffsets(Map.of(partition, firstOffset));
    for (ConsumerRecord<String, byte[]> record : log) {
      if (new TopicPartition(record.topic(), record.partition()).equals(partition)
          && record.offset() >= offset) {
        again.addRecord(record);
      }
    }
  }

  private synchronized OffsetAndTimestamp beginning() {
    return new OffsetAndTimestamp(firstOffset, 0);
  }

  private synchronized long endOf(TopicPartition partition) {
    return log.stream()
        .filter(record -> partition.equals(new TopicPartition(record.topic(), record.partition())))
        .mapToLong(record -> record.offset() + 1)
        .max()
        .orElse(firstOffset);
  }

  /** Deletes the beginning of the log, like Kafka's retention. */
  synchronized void forgetBefore(long offset) {
    log.removeIf(record -> record.offset() < offset);
    firstOffset = offset;
  }

  ReplyStream submit(InferenceRequest.Builder request) {
    return client.submit(request.build());
  }

  /** Returns what the client itself sees of a stream. */
  static FoldedStream folded(ReplyStream stream) {
    return (FoldedStream) stream;
  }

  static InferenceRequest.Builder streamed() {
    return InferenceRequest.chat("m", List.of(InferenceRequest.Message.user("hello")));
  }

  ProducerRecord<String, byte[]> lastSent() {
    return producer.history().getLast();
  }

  /** Makes the reader process the written records, and end overdue streams. */
  void read() {
    client.reader().pollOnce();
  }

  void passTime(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  void tokens(ReplyStream stream, int attempt, int index, String... texts) {
    tokens(stream, attempt, "lease-" + attempt, index, texts);
  }

  void tokens(ReplyStream stream, int attempt, String lease, int index, String... texts) {
    write(
        headers(stream, ReplyKind.TOKENS, attempt, lease, index, texts.length),
        chunk(String.join("", texts)));
  }

  void claim(ReplyStream stream, int attempt, ClaimMode mode) {
    write(
        ReplyHeadersBuilder.builder()
            .requestId(stream.requestId())
            .kind(ReplyKind.CLAIM)
            .attempt(attempt)
            .lease("lease-" + attempt)
            .mode(mode)
            .index(0)
            .count(0)
            .fallback(false)
            .latencyMillis(OptionalLong.empty())
            .notes(TokenNotes.NONE)
            .worker(Optional.of("w" + attempt))
            .build(),
        "{}");
  }

  void finish(ReplyStream stream, int attempt, int index) {
    write(
        headers(stream, ReplyKind.FINAL, attempt, "lease-" + attempt, index, 0),
        """
        {"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},\
        "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":%d}}"""
            .formatted(index));
  }

  void error(ReplyStream stream, int attempt, String json) {
    write(headers(stream, ReplyKind.ERROR, attempt, "lease-" + attempt, 0, 0), json);
  }

  static ReplyHeaders headers(
      ReplyStream stream, ReplyKind kind, int attempt, String lease, int index, int count) {
    return ReplyHeadersBuilder.builder()
        .requestId(stream.requestId())
        .kind(kind)
        .attempt(attempt)
        .lease(lease)
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(count)
        .fallback(false)
        .latencyMillis(OptionalLong.of(10L + index))
        .notes(TokenNotes.NONE)
        .worker(Optional.of("w" + attempt))
        .model(Optional.of("m"))
        .build();
  }

  void write(ReplyHeaders headers, String value) {
    write(client.reader().home(), headers, value);
  }

  /** Returns a reply partition that the client does not read. */
  TopicPartition elsewhere() {
    TopicPartition home = client.reader().home();
    return new TopicPartition(home.topic(), (home.partition() + 1) % PARTITIONS);
  }

  /** The pool rejects a request of this tenant whose id another tenant uses. */
  void refuse(ReplyStream stream, String tenant) {
    write(
        client.reader().home(),
        ReplyHeaders.of(stream.requestId(), ReplyKind.ERROR, 0, "refusal", 0),
        new String(
            ErrorKind.REQUEST_ID_IN_USE.toJson("in use by another tenant"), StandardCharsets.UTF_8),
        new RecordHeader("tenant", tenant.getBytes(StandardCharsets.UTF_8)));
  }

  void write(TopicPartition partition, ReplyHeaders headers, String value) {
    write(partition, headers, value, new Header[0]);
  }

  private synchronized void write(
      TopicPartition partition, ReplyHeaders headers, String value, Header... more) {
    var record =
        new ConsumerRecord<>(
            partition.topic(),
            partition.partition(),
            nextOffset++,
            headers.requestId(),
            value.getBytes(StandardCharsets.UTF_8));
    headers.writeTo(record.headers());
    List.of(more).forEach(record.headers()::add);
    log.add(record);
    if (partition.equals(client.reader().home())) {
      consumer.addRecord(record);
    }
  }

  static String chunk(String text) {
    return Json.text(
        Map.of(
            "id",
            "c1",
            "object",
            "chat.completion.chunk",
            "model",
            "m",
            "choices",
            List.of(Map.of("index", 0, "delta", Map.of("content", text)))));
  }

  /** Reads a stream's events to its end, each within a bounded time. */
  static List<ReplyEvent> drain(ReplyStream stream) throws Exception {
    List<ReplyEvent> events = new ArrayList<>();
    Optional<ReplyEvent> event = stream.next(Duration.ofSeconds(10));
    while (event.isPresent()) {
      events.add(event.get());
      event = stream.next(Duration.ofSeconds(10));
    }
    return events;
  }

  static String textOf(List<ReplyEvent> events) {
    StringBuilder text = new StringBuilder();
    for (ReplyEvent event : events) {
      switch (event) {
        case ReplyEvent.Tokens tokens -> text.append(tokens.text());
        case ReplyEvent.Restarted ignored -> text.setLength(0);
        default -> {}
      }
    }
    return text.toString();
  }
}
