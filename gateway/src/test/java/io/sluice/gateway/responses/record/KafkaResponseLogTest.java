package io.sluice.gateway.responses.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.RequestId;
import io.sluice.common.protocol.Topics;
import io.sluice.producer.kafka.ConsumerPool;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One partition of each topic, whose records the test writes. */
class KafkaResponseLogTest {
  private static final long CACHE = 1_000_000;
  private static final Duration LIMIT = Duration.ofSeconds(1);

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final Partition consumer = new Partition(Topics.RESPONSES);
  private final Partition deleted = new Partition(Topics.DELETED_RESPONSES);
  private final MemoryStore store = new MemoryStore();
  private final Places places = new Places(store);
  private final KafkaResponseLog log = log(CACHE);
  private final CreatedResponse created = created(RequestId.next());

  @Test
  void aResponseThatAnotherGatewayWroteIsFound() {
    // Given
    write(created(RequestId.next()));
    write(created);

    // Then
    assertThat(find(created.requestId())).contains(created);
  }

  @ParameterizedTest
  @ValueSource(longs = {2, -2})
  void responsesAreFoundAlthoughTheClockOfABrokerWasHoursOff(long hours) {
    // Given
    CreatedResponse skewed = created(RequestId.next());
    for (int i = 0; i < 1_000; i++) {
      write(created(RequestId.next()));
    }
    consumer.clockAhead = Duration.ofHours(hours);
    write(skewed);
    consumer.clockAhead = Duration.ZERO;
    for (int i = 0; i < 1_000; i++) {
      write(created(RequestId.next()));
    }
    write(created);

    // Then
    assertThat(find(skewed.requestId())).contains(skewed);
    assertThat(find(created.requestId())).contains(created);
  }

  @Test
  void aSearchReadsOnlyAroundTheTimeOfTheId() {
    // Given 20 records an hour, for a month
    List<String> ids = new ArrayList<>();
    Instant first = Instant.now().minus(Duration.ofDays(30));
    for (int i = 0; i < 14_400; i++) {
      ids.add(RequestId.derived(first.plus(Duration.ofMinutes(3).multipliedBy(i)), "id-" + i));
      write(created(ids.get(i)));
    }

    // Then
    for (int i : List.of(0, 1, 7_777, 14_399)) {
      consumer.delivered = 0;
      assertThat(find(ids.get(i))).map(CreatedResponse::requestId).contains(ids.get(i));
      assertThat(consumer.delivered).isLessThan(8_000);
    }
  }

  @Test
  void aResponseIsReadAtItsPlaceAlone() {
    // Given
    for (int i = 0; i < 100; i++) {
      write(created(RequestId.next()));
    }
    write(created);
    places.note(created.requestId(), Place.ofRecord(100));

    // When
    Optional<CreatedResponse> found = find(created.requestId());

    // Then
    assertThat(found).contains(created);
    assertThat(consumer.delivered).isOne();
  }

  @Test
  void onlyWhatIsWantedOfARecordIsParsed() {
    // Given
    ObjectNode request = Json.mapper().createObjectNode().put("model", "m").put("input", "Hi");
    request.put("stream", true).put("unknown", 1).putArray("tools").addObject().put("name", "f");
    CreatedResponse large =
        new CreatedResponse(
            created.requestId(),
            "acme",
            created.createdAt(),
            created.deadline(),
            Map.of("x-sluice-tier", "fast"),
            request,
            Json.mapper().createArrayNode().add("earlier"));

    // When
    log.append(large);

    // Then
    StoredResponse stored = log.find(large.requestId()).orElseThrow();
    assertThat(stored.tenant()).isEqualTo("acme");
    assertThat(stored.whole()).isEqualTo(large);
    assertThat(stored.shown()).isEqualTo(large.shown());
    assertThat(stored.shown().request().fieldNames())
        .toIterable()
        .containsOnly("model", "stream", "tools");
    assertThat(stored.withoutContent()).isEqualTo(large.withoutContent());
    assertThat(stored.withoutContent().request().fieldNames()).toIterable().containsOnly("stream");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 2, 1_000})
  void aWrongPlaceCostsTimeButNoAnswer(long wrong) {
    // Given
    write(created(RequestId.next()));
    write(created);
    write(created(RequestId.next()));
    places.note(created.requestId(), Place.ofRecord(wrong));

    // Then
    assertThat(find(created.requestId())).contains(created);
    assertThat(places.find(created.requestId()).record()).hasValue(1);
  }

  @Test
  void thePlaceOfAnAppendedResponseIsKnownToAllGateways() {
    log.append(created);

    assertThat(new Places(store).find(created.requestId()).record()).hasValue(0);
  }

  @Test
  void manyDeletionsAreFoundWithLittleMemory() {
    // Given
    List<CreatedResponse> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CreatedResponse one = created(RequestId.next());
      all.add(one);
      write(one);
      write(new DeletedResponse(one.requestId()));
    }
    write(created);
    Deletions few = new Deletions(deleted, LIMIT, LIMIT, 3);

    // Then
    assertThat(all).allMatch(one -> few.contains(one.requestId()));
    assertThat(few.contains(created.requestId())).isFalse();
    assertThat(few.contains(RequestId.derived(Instant.EPOCH, "never deleted"))).isFalse();
  }

  @Test
  void thoseWhoAskWhileKafkaIsSilentFailTogether() throws Exception {
    // Given a reading that takes its time and fails
    CountDownLatch failing = new CountDownLatch(1);
    AtomicInteger readings = new AtomicInteger();
    deleted.beforeEnd =
        () -> {
          readings.incrementAndGet();
          await().until(() -> failing.getCount() == 0);
          throw new TimeoutException("silent");
        };
    Deletions deletions = new Deletions(deleted, LIMIT, Duration.ofMinutes(1), 100);
    List<FutureTask<Boolean>> questions = new ArrayList<>();
    List<Thread> asking = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      questions.add(new FutureTask<>(() -> deletions.contains(created.requestId())));
      asking.add(Thread.ofPlatform().daemon().start(questions.getLast()));
      await().until(() -> asking.getLast().getState() == Thread.State.TIMED_WAITING);
    }

    // When
    failing.countDown();

    // Then
    for (FutureTask<Boolean> question : questions) {
      assertThatThrownBy(() -> question.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(TimeoutException.class);
    }
    assertThat(readings).hasValue(1);
  }

  @Test
  void whatIsKnownIsNotReadAgain() {
    // Given
    write(created);
    assertThat(find(created.requestId())).isPresent();
    int reads = consumer.reads;

    // Then
    assertThat(find(created.requestId())).contains(created);
    assertThat(consumer.reads).isEqualTo(reads);
  }

  @Test
  void aDeletionByAnotherGatewayIsSeenAlsoOfAKnownResponse() {
    // Given
    write(created);
    assertThat(find(created.requestId())).isPresent();

    // When
    write(new DeletedResponse(created.requestId()));

    // Then
    assertThat(find(created.requestId())).isEmpty();
    assertThat(find(created.requestId())).isEmpty();
  }

  @Test
  void aDeletedResponseIsToldFromOneThatIsNotStoredYet() {
    // Given
    write(created);
    write(new DeletedResponse(created.requestId()));

    // Then
    assertThat(log.isDeleted(created.requestId())).isTrue();
    assertThat(log.isDeleted(RequestId.next())).isFalse();
  }

  @Test
  void anUnknownIdIsNotFound() {
    write(created);

    assertThat(find(RequestId.next())).isEmpty();
    assertThat(find(RequestId.derived(Instant.EPOCH, "seed"))).isEmpty();
  }

  @Test
  void recordsOfOtherVersionsAreIgnored() {
    writeRaw(created.requestId(), "{\"v\":2,\"type\":\"created\"}".getBytes());
    writeRaw(created.requestId(), "garbage".getBytes());

    assertThat(find(created.requestId())).isEmpty();
  }

  @Test
  void anAppendedRecordIsWrittenUnderItsRequest() {
    // When
    log.append(created);

    // Then
    assertThat(producer.history())
        .singleElement()
        .satisfies(
            record -> {
              assertThat(record.topic()).isEqualTo(Topics.RESPONSES);
              assertThat(record.key()).isEqualTo(created.requestId());
              assertThat(StoredResponse.of(record.key(), record.value()))
                  .map(StoredResponse::whole)
                  .contains(created);
            });
  }

  @Test
  void aResponseThatIsTooLargeIsTheCallersError() {
    // Given
    producer.sendException = new RecordTooLargeException("9 MiB");

    // Then
    assertThatThrownBy(() -> log.append(created))
        .isInstanceOfSatisfying(
            ResponseLogException.class,
            e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID_REQUEST));
  }

  @Test
  void aCacheKeepsWhatWasUsedLast() {
    // Given
    List<StoredResponse> records =
        IntStream.range(0, 4).mapToObj(_ -> StoredResponse.of(created(RequestId.next()))).toList();
    RecordCache cache = new RecordCache(3L * (records.getFirst().json().length + 512));
    records.subList(0, 3).forEach(cache::put);
    assertThat(cache.get(records.get(0).requestId())).isPresent();

    // When
    cache.put(records.get(3));

    // Then
    assertThat(cache.get(records.get(1).requestId())).isEmpty();
    assertThat(cache.get(records.get(0).requestId())).isPresent();
    assertThat(cache.get(records.get(3).requestId())).isPresent();
  }

  private KafkaResponseLog log(long cacheBytes) {
    return new KafkaResponseLog(
        producer,
        new ConsumerPool(() -> consumer, 1),
        new Deletions(deleted, LIMIT, LIMIT, 100),
        LIMIT,
        cacheBytes,
        places);
  }

  private void write(ResponseRecord record) {
    Partition partition = record instanceof DeletedResponse ? deleted : consumer;
    partition.write(record.requestId(), RecordFormat.toJson(record));
  }

  private void writeRaw(String key, byte[] value) {
    consumer.write(key, value);
  }

  private Optional<CreatedResponse> find(String requestId) {
    return log.find(requestId).map(StoredResponse::whole);
  }

  private static CreatedResponse created(String requestId) {
    ObjectNode request = Json.mapper().createObjectNode().put("model", "m").put("input", "x");
    return new CreatedResponse(
        requestId,
        "tenant",
        Instant.ofEpochMilli(1_790_000_000_123L),
        Instant.ofEpochMilli(1_790_000_600_123L),
        Map.of("x-sluice-tier", "fast"),
        request,
        Json.mapper().createArrayNode());
  }

  /** Delivers the records from the position to which it was sent. */
  private static final class Partition extends MockConsumer<String, byte[]> {
    private static final int AS_MANY_AS_KAFKA = 500;

    private final TopicPartition partition;
    private final List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
    private Duration clockAhead = Duration.ZERO;
    private int reads;

    /** Records that all polls returned. */
    private int delivered;

    private Runnable beforeEnd = () -> {};

    Partition(String topic) {
      super("none");
      partition = new TopicPartition(topic, 0);
      updatePartitions(topic, List.of(new PartitionInfo(topic, 0, Node.noNode(), null, null)));
      updateBeginningOffsets(Map.of(partition, 0L));
    }

    void write(String key, byte[] value) {
      records.add(
          new ConsumerRecord<>(
              partition.topic(),
              partition.partition(),
              records.size(),
              System.currentTimeMillis() + clockAhead.toMillis(),
              TimestampType.LOG_APPEND_TIME,
              key.length(),
              value.length,
              key,
              value,
              new RecordHeaders(),
              Optional.empty()));
    }

    @Override
    public synchronized Map<TopicPartition, Long> beginningOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      return Map.of(partition, 0L);
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions, Duration timeout) {
      beforeEnd.run();
      return Map.of(partition, (long) records.size());
    }

    @Override
    public synchronized ConsumerRecords<String, byte[]> poll(Duration timeout) {
      reads++;
      records.stream().skip(position(partition)).limit(AS_MANY_AS_KAFKA).forEach(this::addRecord);
      ConsumerRecords<String, byte[]> polled = super.poll(timeout);
      delivered += polled.count();
      return polled;
    }

    @Override
    public synchronized Map<TopicPartition, OffsetAndTimestamp> offsetsForTimes(
        Map<TopicPartition, Long> times, Duration timeout) {
      Map<TopicPartition, OffsetAndTimestamp> found = new HashMap<>();
      times.forEach((asked, time) -> found.put(asked, first(time)));
      return found;
    }

    /** Kafka returns null if there is no record since. */
    private @Nullable OffsetAndTimestamp first(long time) {
      return records.stream()
          .filter(record -> record.timestamp() >= time)
          .findFirst()
          .map(record -> new OffsetAndTimestamp(record.offset(), record.timestamp()))
          .orElse(null);
    }
  }

  private static final class MemoryStore implements Places.Store {
    private final Map<String, String> texts = new HashMap<>();

    @Override
    public CompletionStage<Optional<String>> find(String requestId) {
      return CompletableFuture.completedFuture(Optional.ofNullable(texts.get(requestId)));
    }

    @Override
    public CompletionStage<Void> put(String requestId, String text) {
      texts.put(requestId, text);
      return CompletableFuture.completedFuture(null);
    }
  }
}
