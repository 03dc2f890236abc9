package io.sluice.router.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Topics;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.ClassifierRules;
import io.sluice.router.schedule.FallbackModels;
import io.sluice.router.schedule.ModelCatalogue;
import io.sluice.router.schedule.RequestReader;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BulkFeederTest {
  private static final TopicPartition TOPIC = new TopicPartition(Topics.BULK, 3);
  private static final long START = 1_800_000_000_000L;

  /** Shared, for it loads a tokenizer. */
  private static final RequestReader READER =
      RequestReader.forPool(
          Lanes.standard(),
          ModelCatalogue.parse("llama=32768"),
          new Classifier(ClassifierRules.standard()),
          FallbackModels.NONE,
          512,
          topic -> OptionalInt.of(4),
          source -> true);

  private final AtomicLong now = new AtomicLong(START);
  private final Clock clock =
      ((InstantSource) () -> Instant.ofEpochMilli(now.get())).withZone(ZoneOffset.UTC);
  private final AtomicInteger slots = new AtomicInteger();
  private final AtomicInteger rounds = new AtomicInteger();
  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private final MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private Optional<BulkFeeder> feeder = Optional.empty();

  @AfterEach
  void stop() {
    feeder.ifPresent(BulkFeeder::close);
  }

  @Test
  void withoutRoomOnlyTheNextOneThatIsHurriedEntersAndAsAnInteractiveRequest() {
    // Given
    start(
        List.of(
            bulk(0, "late", HeaderNames.TIMEOUT_MS, "30000"),
            bulk(1, "early"),
            bulk(2, "late-too", HeaderNames.TIMEOUT_MS, "30000")));

    // When
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("late");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(header(0, HeaderNames.DEADLINE)).contains(Long.toString(START + 30_000));
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void whatBecomesHurriedWhileItWaitsEntersInItsTurnAndOnce() {
    // Given
    start(
        List.of(
            bulk(0, "first"),
            bulk(1, "second"),
            bulk(2, "third", HeaderNames.TIMEOUT_MS, "100000000")));
    awaitLooks(2);
    assertThat(fedIds()).isEmpty();

    // When the last tenth of a day has begun
    now.addAndGet(Duration.ofHours(24).toMillis() * 9 / 10);
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("first", "second");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(header(1, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(committed()).isEqualTo(2);

    // When
    slots.set(3);
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("first", "second", "third");
    assertThat(header(2, HeaderNames.PRIORITY)).contains("bulk");
    assertThat(committed()).isEqualTo(3);
  }

  @Test
  void theHurriedTakeFromTheRoomOfTheOthers() {
    // Given
    slots.set(2);

    // When
    start(
        List.of(
            bulk(0, "late", HeaderNames.TIMEOUT_MS, "30000"),
            bulk(1, "early"),
            bulk(2, "early-too")));
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("late", "early");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(header(1, HeaderNames.PRIORITY)).contains("bulk");
  }

  @Test
  void itsTimeCountsFromWhenItCameAndNotFromWhenItEnters() {
    // Given
    start(List.of(bulk(0, "one", HeaderNames.TIMEOUT_MS, "600000")));
    awaitLooks(1);

    // When
    now.addAndGet(100_000);
    slots.set(1);
    awaitLooks(2);

    // Then
    assertThat(header(0, HeaderNames.DEADLINE)).contains(Long.toString(START + 600_000));
    assertThat(header(0, HeaderNames.TIMEOUT_MS)).isEmpty();
    ProducerRecord<byte[], byte[]> fed = producer.history().getFirst();
    assertThat(fed.topic()).isEqualTo("sluice.requests.2k");
    assertThat(fed.partition()).isEqualTo(3);
  }

  @Test
  void aPriorityThatTheCallerNamesIsLeftAsItIs() {
    start(List.of(bulk(0, "now", HeaderNames.PRIORITY, "urgent")));

    awaitLooks(2);

    assertThat(fedIds()).containsExactly("now");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("urgent");
  }

  @Test
  void aRequestWithAGarbledHeaderEntersWithItForTheCallerIsToBeAnswered() {
    slots.set(1);
    start(List.of(bulk(0, "odd", HeaderNames.TIMEOUT_MS, "soon")));

    awaitLooks(2);

    assertThat(fedIds()).containsExactly("odd");
    assertThat(header(0, HeaderNames.TIMEOUT_MS)).contains("soon");
    assertThat(header(0, HeaderNames.DEADLINE)).isEmpty();
  }

  private void start(List<ConsumerRecord<byte[], byte[]>> records) {
    consumer.updateBeginningOffsets(Map.of(TOPIC, 0L));
    consumer.schedulePollTask(() -> records.forEach(consumer::addRecord));
    feeder =
        Optional.of(
            new BulkFeeder(
                consumer,
                producer,
                READER,
                () -> Set.of(TOPIC.partition()),
                this::allowance,
                clock));
  }

  /** Asked once a round, after the poll. What has entered keeps its slot. */
  private int allowance() {
    rounds.incrementAndGet();
    return Math.max(0, slots.get() - producer.history().size());
  }

  /** Returns when the feeder has looked so often at what there is now. */
  private void awaitLooks(int looks) {
    int end = rounds.get() + looks + 1;
    await().until(() -> rounds.get() >= end);
  }

  private List<String> fedIds() {
    return producer.history().stream()
        .map(record -> HeaderText.get(record.headers(), HeaderNames.REQUEST_ID).orElseThrow())
        .toList();
  }

  private Optional<String> header(int fed, String name) {
    return HeaderText.get(producer.history().get(fed).headers(), name);
  }

  private long committed() {
    return consumer.committed(Set.of(TOPIC)).get(TOPIC).offset();
  }

  private static ConsumerRecord<byte[], byte[]> bulk(long offset, String id, String... more) {
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, HeaderNames.REQUEST_ID, id);
    for (int at = 0; at < more.length; at += 2) {
      HeaderText.put(headers, more[at], more[at + 1]);
    }
    return new ConsumerRecord<>(
        TOPIC.topic(),
        TOPIC.partition(),
        offset,
        START,
        TimestampType.LOG_APPEND_TIME,
        0,
        0,
        id.getBytes(UTF_8),
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}".getBytes(UTF_8),
        headers,
        Optional.empty());
  }
}
