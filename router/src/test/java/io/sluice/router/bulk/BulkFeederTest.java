package io.sluice.router.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.TestWorker;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.classify.Classifier;
import io.sluice.router.classify.StandardRules;
import io.sluice.router.clock.AppendTimes;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import io.sluice.router.parse.PoolRules;
import io.sluice.router.parse.RequestReader;
import io.sluice.router.placement.Ledger;
import io.sluice.router.queue.Backlog;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.thread.BackgroundThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
@Tag("slow")
class BulkFeederTest {
  private static final TopicPartition TOPIC = new TopicPartition(Topics.BULK, 3);
  private static final TopicPartition OTHER = new TopicPartition(Topics.BULK, 4);
  private static final long START = 1_800_000_000_000L;

  /** Shared, for it loads a tokenizer. */
  private static final RequestReader READER =
      RequestReader.forPool(
          Lanes.standard(),
          ModelCatalog.parse("llama=32768,absent=32768"),
          new Classifier(StandardRules.RULES),
          PoolRules.STANDARD,
          topic -> OptionalInt.of(4),
          source -> true);

  private final AtomicLong now = new AtomicLong(START);

  /** So much the brokers' clocks are ahead. */
  private final AtomicLong brokersAhead = new AtomicLong();

  /** The offset of the record at which the router's own code fails. */
  private final AtomicLong failsAt = new AtomicLong(-1);

  private final Set<TopicPartition> timed = ConcurrentHashMap.newKeySet();

  private final AppendTimes appendTimes =
      new AppendTimes() {
        @Override
        public void begin(TopicPartition partition) {
          timed.add(partition);
        }

        @Override
        public void end(TopicPartition partition) {
          timed.remove(partition);
        }

        @Override
        public long appendedAt(TopicPartition partition, long offset, long appendTimeMillis) {
          if (offset == failsAt.get()) {
            throw new IllegalStateException("a bug");
          }
          return timed.contains(partition) ? appendTimeMillis - brokersAhead.get() : Long.MAX_VALUE;
        }
      };

  private volatile Set<Integer> owned = Set.of(TOPIC.partition(), OTHER.partition());
  private volatile boolean isBroken;
  private final AtomicInteger rounds = new AtomicInteger();
  private volatile FleetSnapshot fleet = new FleetSnapshot(Map.of(), true);
  private final Backlog backlog = new Backlog(Backlog.Limits.ofRequests(1_000));
  private RequestReader reader = READER;
  private final EarlyControlIds earlyControlIds = new EarlyControlIds();
  private final Map<String, ConsumerRecord<byte[], byte[]>> topic = new ConcurrentHashMap<>();
  private final Set<Integer> unreadable = ConcurrentHashMap.newKeySet();
  private final AtomicInteger rereads = new AtomicInteger();
  private MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
  private MockProducer<byte[], byte[]> producer =
      new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
  private final BackgroundThreads threads = new BackgroundThreads();
  private Optional<BulkFeeder> feeder = Optional.empty();

  @AfterEach
  void stop() {
    feeder.ifPresent(BulkFeeder::close);
  }

  @Test
  void withoutRoomThoseThatAreDeadlineCriticalEnterFromWhereverTheyStandAndAsInteractiveRequests() {
    // Given
    start(
        List.of(
            bulk(0, "late", HeaderNames.TIMEOUT_MS, "30000"),
            bulk(1, "early"),
            bulk(2, "late-too", HeaderNames.TIMEOUT_MS, "30000")));

    // When
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("late", "late-too");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(header(1, HeaderNames.PRIORITY)).contains("interactive");
    assertThat(header(0, HeaderNames.PROMOTED)).isPresent();
    assertThat(header(0, HeaderNames.DEADLINE)).contains(Long.toString(START + 30_000));
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void whatBecomesDeadlineCriticalWhileItWaitsEntersInItsTurnAndOnce() {
    // Given
    start(
        List.of(
            bulk(0, "first"),
            bulk(1, "second"),
            bulk(2, "third", HeaderNames.TIMEOUT_MS, "86900000")));
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
    room(3);
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("first", "second", "third");
    assertThat(header(2, HeaderNames.PRIORITY)).contains("bulk");
    assertThat(committed()).isEqualTo(3);
  }

  @Test
  void deadlineCriticalRequestsTakeFromTheRoomOfTheOthers() {
    // Given
    room(2);

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
    assertThat(header(1, HeaderNames.PROMOTED)).isEmpty();
  }

  @Test
  void itsTimeCountsFromWhenItCameAndNotFromWhenItEnters() {
    // Given
    start(List.of(bulk(0, "one", HeaderNames.TIMEOUT_MS, "600000")));
    awaitLooks(1);

    // When
    now.addAndGet(100_000);
    room(1);
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
    room(1);
    start(List.of(bulk(0, "odd", HeaderNames.TIMEOUT_MS, "soon")));

    awaitLooks(2);

    assertThat(fedIds()).containsExactly("odd");
    assertThat(header(0, HeaderNames.TIMEOUT_MS)).contains("soon");
    assertThat(header(0, HeaderNames.DEADLINE)).isEmpty();
  }

  @Test
  void aRequestsTimeCountsFromItsAgeWhateverItsBrokerTakesForNow() {
    brokersAhead.set(1_000);
    room(1);
    start(List.of(bulk(0, "a", HeaderNames.TIMEOUT_MS, "30000")));

    awaitLooks(2);

    assertThat(header(0, HeaderNames.DEADLINE)).contains(Long.toString(START + 29_000));
  }

  @Test
  void bulkOfAModelWithoutWorkersHoldsUpNothingBehindIt() {
    // Given
    room(2);

    // When
    start(List.of(bulkFor("absent", TOPIC, 0, "stuck"), bulk(1, "first"), bulk(2, "second")));
    awaitLooks(2);

    // Then: it is still there for who comes after us
    assertThat(fedIds()).containsExactlyInAnyOrder("first", "second");
    assertThat(committed()).isZero();
  }

  @Test
  void whoseTimeRunsOutFirstEntersFirstFromWhateverPartition() {
    // Given
    start(
        List.of(
            bulk(0, "a-day"),
            bulkFor("llama", OTHER, 0, "two-hours", HeaderNames.TIMEOUT_MS, "7200000"),
            bulk(1, "an-hour", HeaderNames.TIMEOUT_MS, "3600000")));
    awaitLooks(2);

    // When
    room(2);
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("an-hour", "two-hours");
  }

  @Test
  void aNearDeadlineBehindWhatCannotEnterIsHeardInTime() {
    // Given
    start(
        List.of(
            bulkFor("absent", TOPIC, 0, "a-day"),
            bulk(1, "ten-minutes", HeaderNames.TIMEOUT_MS, "600000"),
            bulkFor("absent", OTHER, 0, "ten-minutes-too", HeaderNames.TIMEOUT_MS, "600000")));
    awaitLooks(2);
    assertThat(fedIds()).isEmpty();

    // When
    now.addAndGet(Duration.ofMinutes(9).toMillis());
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("ten-minutes", "ten-minutes-too");
  }

  @Test
  void aTenantWithFewRequestsDoesNotWaitForOneWithMany() {
    // Given
    start(
        List.of(
            bulk(0, "many-1", HeaderNames.TENANT, "many"),
            bulk(1, "many-2", HeaderNames.TENANT, "many"),
            bulk(2, "many-3", HeaderNames.TENANT, "many"),
            bulk(3, "few-1", HeaderNames.TENANT, "few")));
    awaitLooks(2);

    // When
    room(2);
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("few-1", "many-1");
  }

  @Test
  void whoFeedsThePartitionNextLetsInWhatIsLeftAndNothingTwice() {
    // Given
    room(2);
    var records =
        List.of(
            bulkFor("absent", TOPIC, 0, "stuck"),
            bulk(1, "first"),
            bulk(2, "second"),
            bulk(3, "third"));
    start(records);
    awaitLooks(3);
    var left = consumer.committed(Set.of(TOPIC)).get(TOPIC);
    feeder.ifPresent(BulkFeeder::close);
    List<String> before = fedIds();

    // When
    room(3);
    startNext(left, records);
    awaitLooks(3);

    // Then
    assertThat(left.offset()).isZero();
    assertThat(before).containsExactly("first", "second");
    assertThat(fedIds()).containsExactly("third");
  }

  @Test
  void whatTheNextFeederRefusesEntersSoThatItsCallerIsTold() {
    // Given
    room(1);
    var records = List.of(bulkFor("absent", TOPIC, 0, "parked"), bulk(1, "first"));
    start(records);
    awaitLooks(3);
    var left = consumer.committed(Set.of(TOPIC)).get(TOPIC);
    feeder.ifPresent(BulkFeeder::close);
    List<String> before = fedIds();

    // When the next one does not know the model
    reader =
        RequestReader.forPool(
            Lanes.standard(),
            ModelCatalog.parse("llama=32768"),
            new Classifier(StandardRules.RULES),
            PoolRules.STANDARD,
            topic -> OptionalInt.of(4),
            source -> true);
    startNext(left, records);
    awaitLooks(3);

    // Then
    assertThat(before).containsExactly("first");
    assertThat(fedIds()).containsExactly("parked");
  }

  @Test
  void aPartitionThatIsLostBeforeItWasCommittedHoldsUpNoCommit() {
    // Given
    AtomicBoolean isAway = new AtomicBoolean(true);
    consumer =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            if (isAway.get()) {
              throw new TimeoutException("the coordinator is away");
            }
            super.commitSync(offsets);
          }
        };
    room(3);
    start(List.of(bulk(0, "kept"), bulkFor("llama", OTHER, 0, "lost")));
    awaitLooks(2);
    owned = Set.of(TOPIC.partition());
    awaitLooks(2);

    // When
    isAway.set(false);
    now.addAndGet(FeederOffsets.AGAIN.toMillis());
    consumer.schedulePollTask(() -> consumer.addRecord(bulk(1, "next")));

    // Then
    await().until(() -> committed() == 2);
  }

  @Test
  void whilePlacesAreNotKnownTheOtherPartitionsGoOn() {
    // Given
    owned = Set.of(TOPIC.partition());
    AtomicBoolean isAway = new AtomicBoolean();
    consumer =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
              Set<TopicPartition> partitions) {
            if (isAway.get()) {
              throw new TimeoutException("the coordinator is away");
            }
            return super.committed(partitions);
          }
        };
    room(3);
    start(List.of(bulk(0, "first")));
    awaitLooks(1);

    // When
    isAway.set(true);
    owned = Set.of(TOPIC.partition(), OTHER.partition());
    awaitLooks(2);
    consumer.schedulePollTask(() -> consumer.addRecord(bulk(1, "second")));
    await().until(() -> fedIds().contains("second"));

    // Then
    assertThat(consumer.assignment()).containsExactly(TOPIC);

    // When
    isAway.set(false);
    now.addAndGet(FeederOffsets.AGAIN.toMillis());

    // Then
    await().until(() -> consumer.assignment().contains(OTHER));
  }

  @Test
  void whatCouldNotBeSentIsReadAgainAndSentLater() {
    // Given
    producer.sendException = new KafkaException("the broker is away");
    room(1);
    start(List.of(bulk(0, "one")));
    await().until(() -> rounds.get() >= 2);

    // When
    producer.sendException = null;
    now.addAndGet(BulkEntrance.REST.toMillis());

    // Then
    await().until(() -> !producer.history().isEmpty());
    awaitLooks(1);
    assertThat(fedIds()).containsExactly("one");
    assertThat(rereads.get()).isPositive();
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void whatOneLaneRefusesIsSentAgainLaterAndNothingElseIs() {
    // Given
    var lanes = new LanesWithoutLeader(OTHER.partition());
    producer = lanes;
    room(3);
    start(List.of(bulkFor("llama", OTHER, 0, "refused"), bulk(0, "first"), bulk(1, "second")));
    await().until(() -> lanes.unanswered.size() == 1);

    // When
    lanes.fail();
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("first", "second");
    assertThat(committed()).isEqualTo(2);
    assertThat(lanes.unanswered).isEmpty();
    assertThat(feeder.orElseThrow().parkedRequests()).isEqualTo(1);

    // When
    lanes.leaderless.clear();
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("first", "second", "refused");
    assertThat(committed(OTHER)).isEqualTo(1);
  }

  @Test
  void aLaneThatDoesNotAnswerHoldsUpNoOtherAndTakesNoRoom() {
    // Given
    var lanes = new LanesWithoutLeader(OTHER.partition());
    producer = lanes;
    room(1);
    start(
        List.of(
            bulkFor("llama", OTHER, 0, "stuck", HeaderNames.TIMEOUT_MS, "3600000"),
            bulkFor("llama", OTHER, 1, "behind", HeaderNames.TIMEOUT_MS, "3600000"),
            bulk(0, "other")));

    // When
    await().until(() -> fedIds().contains("other"));
    room(3);
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("other");
    assertThat(lanes.unanswered).hasSize(1);

    // When
    lanes.leaderless.clear();
    lanes.answer();
    await().until(() -> fedIds().contains("behind"));
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("other", "behind");
    assertThat(committed(OTHER)).isEqualTo(2);
  }

  @Test
  void aLaneThatDoesNotAnswerHoldsUpNoOtherLaneOfItsPartitionAndIsSentNothingOutOfTurn() {
    // Given
    var lanes = new LanesWithoutLeader(TOPIC.partition());
    lanes.topics.add("sluice.requests.2k");
    producer = lanes;
    room(9);
    start(List.of(bulk(0, "stuck", HeaderNames.TIMEOUT_MS, "3600000")));
    await().until(() -> lanes.unanswered.size() == 1);

    // When it has not answered
    come(bulk(1, "behind"), longBulk(2, "longer"));
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("longer");
    assertThat(lanes.unanswered).hasSize(1);

    // When it has failed
    lanes.fail();
    awaitLooks(2);
    come(bulk(3, "last"), longBulk(4, "longer-too"));
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("longer", "longer-too");
    assertThat(lanes.unanswered).isEmpty();

    // When
    lanes.leaderless.clear();
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("longer", "longer-too", "stuck", "behind", "last");
    assertThat(committed()).isEqualTo(5);
  }

  @Test
  void aLaneThatTheProducerDoesNotKnowIsAskedOnceForAllItsPartitions() {
    // Given
    var lanes = new UnknownLane("sluice.requests.2k");
    producer = lanes;
    room(9);

    // When
    start(
        List.of(
            bulk(0, "first"),
            bulkFor("llama", OTHER, 0, "second"),
            longBulk(1, "longer"),
            bulk(2, "third")));
    awaitLooks(3);

    // Then
    assertThat(lanes.refusals.get()).isEqualTo(1);
    assertThat(fedIds()).containsExactly("longer");

    // When another partition is known of
    come(bulkFor("llama", OTHER, 1, "fourth"), longBulk(3, "longer-too"));
    awaitLooks(3);

    // Then
    assertThat(lanes.refusals.get()).isEqualTo(1);
    assertThat(fedIds()).containsExactly("longer", "longer-too");

    // When
    lanes.isKnown = true;
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).hasSize(6);
    assertThat(committed()).isEqualTo(4);
    assertThat(committed(OTHER)).isEqualTo(2);
  }

  @Test
  void whatIsCancelledWhileItsLaneDoesNotAnswerEntersFirstOnceItDoes() {
    // Given
    var lanes = new LanesWithoutLeader(TOPIC.partition());
    producer = lanes;
    room(1);
    start(List.of(bulk(0, "sent"), bulk(1, "first"), bulk(2, "cancelled")));
    await().until(() -> lanes.unanswered.size() == 1);

    // When
    asked(new Control.Cancel("sent"));
    asked(new Control.Cancel("cancelled"));
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);
    fleet = new FleetSnapshot(Map.of(), true);
    lanes.leaderless.clear();
    lanes.fail();
    awaitLooks(2);
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("sent", "cancelled");
  }

  @Test
  void whatIsUnderWayWhenAPartitionMovesIsLeftToItsNextRouter() {
    // Given
    var lanes = new LanesWithoutLeader(OTHER.partition());
    producer = lanes;
    room(2);
    start(List.of(bulkFor("llama", OTHER, 0, "stuck"), bulkFor("llama", OTHER, 1, "too")));
    await().until(() -> lanes.unanswered.size() == 2);

    // When
    owned = Set.of(TOPIC.partition());
    awaitLooks(3);
    lanes.answer();
    consumer.schedulePollTask(() -> consumer.addRecord(bulk(0, "other")));
    await().until(() -> fedIds().contains("other"));

    // Then
    assertThat(feeder.orElseThrow().parkedRequests()).isZero();
    assertThat(committed(OTHER)).isZero();
  }

  @Test
  void aPartitionThatCannotBeReadAgainHoldsUpNoOther() {
    // Given
    producer.sendException = new KafkaException("the broker is away");
    room(2);
    start(List.of(bulkFor("llama", OTHER, 0, "unreadable"), bulk(0, "readable")));
    awaitLooks(1);

    // When
    unreadable.add(OTHER.partition());
    producer.sendException = null;
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("readable");
    assertThat(feeder.orElseThrow().parkedRequests()).isEqualTo(1);

    // When
    unreadable.clear();
    now.addAndGet(BulkEntrance.REST.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("readable", "unreadable");
  }

  @Test
  void aRecordAtWhichTheRouterFailsEntersAsItIsAndThoseBehindItAreNotLost() {
    // Given
    failsAt.set(1);
    room(2);

    // When
    start(
        List.of(
            bulk(0, "first"),
            bulk(1, "broken", HeaderNames.TIMEOUT_MS, "600000"),
            bulk(2, "second")));
    awaitLooks(3);

    // Then
    assertThat(fedIds()).containsExactly("broken", "first", "second");
    assertThat(header(0, HeaderNames.TIMEOUT_MS)).contains("600000");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("bulk");
    assertThat(producer.history().getFirst().topic()).isEqualTo("sluice.requests.2k");
    assertThat(committed()).isEqualTo(3);
  }

  @Test
  void aFeederThatAnErrorEndsHasFailedForGood() {
    // Given
    Set<String> failedAtClose = ConcurrentHashMap.newKeySet();
    producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
          @Override
          public void close(Duration within) {
            failedAtClose.addAll(threads.failed());
            super.close(within);
          }
        };
    start(List.of());
    awaitLooks(1);
    assertThat(threads.failed()).isEmpty();

    // When
    isBroken = true;

    // Then
    await().until(() -> threads.failed().contains("bulk-feeder"));
    await().until(consumer::closed);
    assertThat(failedAtClose).containsExactly("bulk-feeder");
  }

  @Test
  void aCommitThatFailsKeepsNothingFromEntering() {
    // Given: more than enters between two commits
    var failures = new AtomicInteger(1);
    consumer =
        new MockConsumer<>("earliest") {
          @Override
          public synchronized void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets) {
            if (failures.getAndDecrement() > 0) {
              throw new TimeoutException("there is no coordinator");
            }
            super.commitSync(offsets);
          }
        };
    int requests = 1_200;

    // When
    start(
        IntStream.range(0, requests)
            .mapToObj(offset -> bulk(offset, "id-" + offset, HeaderNames.TIMEOUT_MS, "30000"))
            .toList());
    await().until(() -> fedIds().size() == requests);
    now.addAndGet(FeederOffsets.AGAIN.toMillis());
    awaitLooks(3);

    // Then
    assertThat(fedIds()).doesNotHaveDuplicates();
    assertThat(failures.get()).isNegative();
    assertThat(committed()).isEqualTo(requests);
  }

  @Test
  void aRecordThatUnpacksToMoreThanALaneTakesEntersCutShortAndHoldsUpNothing() {
    // Given
    byte[] huge = new byte[PoolTopics.MAX_RECORD_BYTES + 1];

    // When
    start(
        List.of(record(TOPIC, 0, "huge", huge), bulk(1, "late", HeaderNames.TIMEOUT_MS, "30000")));
    awaitLooks(2);

    // Then
    assertThat(fedIds()).containsExactly("huge", "late");
    assertThat(producer.history().getFirst().value().length).isLessThan(100_000);
    assertThat(committed()).isEqualTo(2);
  }

  @Test
  void aRouterThatRefusesNewRequestsGetsOnlyThoseWhoseDeadlineHasPassed() {
    // Given
    room(3);
    start(
        new Backlog(Backlog.Limits.ofRequests(0)),
        List.of(bulk(0, "late", HeaderNames.TIMEOUT_MS, "30000"), bulk(1, "early")));
    awaitLooks(2);
    assertThat(fedIds()).isEmpty();

    // When
    now.addAndGet(30_000);
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);

    // Then
    assertThat(fedIds()).containsExactly("late");
  }

  @Test
  void whatIsCancelledWhileItIsParkedEntersWithoutRoomAndStaysBulk() {
    // Given
    start(
        List.of(
            bulkFor("absent", TOPIC, 0, "stuck"),
            bulkFor("absent", TOPIC, 1, "cancelled"),
            bulk(2, "behind"),
            bulkFor("absent", OTHER, 0, "elsewhere")));
    awaitLooks(2);
    assertThat(fedIds()).isEmpty();

    // When
    asked(new Control.Cancel("cancelled"));
    asked(new Control.Cancel("elsewhere"));
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);

    // Then
    assertThat(fedIds()).containsExactly("cancelled");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("bulk");
    assertThat(committed()).isZero();
    assertThat(feeder.orElseThrow().parkedRequests()).isEqualTo(3);
  }

  @Test
  void whatWasCancelledBeforeItCameEntersAtOnce() {
    asked(new Control.Cancel("cancelled"));
    start(List.of(bulk(0, "first"), bulk(1, "cancelled")));

    awaitLooks(2);

    assertThat(fedIds()).containsExactly("cancelled");
  }

  @Test
  void aRouterThatRefusesNewRequestsGetsThoseThatEndAtOnceAllTheSame() {
    // Given
    start(
        new Backlog(Backlog.Limits.ofRequests(0)),
        List.of(
            bulk(0, "early"),
            bulk(1, "odd", HeaderNames.TIMEOUT_MS, "soon"),
            bulk(2, "cancelled"),
            bulk(3, "late", HeaderNames.TIMEOUT_MS, "30000")));

    // When
    asked(new Control.Cancel("cancelled"));
    now.addAndGet(30_000);
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("odd", "cancelled", "late");
  }

  @Test
  void whatIsCancelledAndCouldNotBeSentIsSentLater() {
    // Given
    producer.sendException = new KafkaException("the broker is away");
    asked(new Control.Cancel("cancelled"));
    start(List.of(bulk(0, "cancelled")));
    await().until(() -> rounds.get() >= 2);

    // When
    producer.sendException = null;
    now.addAndGet(BulkEntrance.REST.toMillis());

    // Then
    await().until(() -> !producer.history().isEmpty());
    awaitLooks(1);
    assertThat(fedIds()).containsExactly("cancelled");
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void recordsAreWaitedForLongerWhileNothingIsParkedOrUnderWay() {
    // Given
    var polled = new PollTimes();
    consumer = polled;
    start(List.of(bulk(0, "waits")));
    awaitLooks(2);
    Duration whileParked = polled.last;

    // When
    room(1);

    // Then
    await().until(() -> polled.last.equals(BulkFeeder.IDLE_POLL));
    assertThat(whileParked).isLessThan(BulkFeeder.IDLE_POLL);
    assertThat(fedIds()).containsExactly("waits");
    assertThat(committed()).isEqualTo(1);
  }

  @Test
  void whatIsExtendedOrDeadlineCriticalWhileItIsParkedEntersWithoutRoomForTheSchedulerToChangeIt() {
    // Given
    start(
        List.of(
            bulkFor("absent", TOPIC, 0, "stuck"),
            bulkFor("absent", TOPIC, 1, "extended"),
            bulk(2, "urgent")));
    awaitLooks(2);
    assertThat(fedIds()).isEmpty();

    // When
    asked(new Control.Extend("extended", 1));
    asked(new Control.Reprioritise("urgent", Priority.URGENT));
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);

    // Then
    assertThat(fedIds()).containsExactly("extended", "urgent");
    assertThat(header(0, HeaderNames.PRIORITY)).contains("bulk");
    assertThat(feeder.orElseThrow().parkedRequests()).isEqualTo(1);
  }

  @Test
  void aRequestThatNoWorkerWillServeEntersToBeRefused() {
    // Given
    room(1);
    var served = new ServedModels(ModelCatalog.parse(""), Duration.ZERO, () -> fleet, () -> 0);
    reader = READER.withFleet(served, new PromptFactors());
    start(List.of(bulkFor("typo", TOPIC, 0, "hopeless"), bulk(1, "served")));
    awaitLooks(2 * BulkFeeder.ROUNDS_PER_LOOK);
    assertThat(fedIds()).containsExactly("served");

    // When
    served.refresh();
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK * BulkFeeder.LOOKS_PER_JUDGEMENT);

    // Then
    assertThat(fedIds()).containsExactly("served", "hopeless");
  }

  @Test
  void whatIsExtendedStaysParkedWhileTheRouterRefusesNewRequestsUntilItEnds() {
    // Given
    start(
        new Backlog(Backlog.Limits.ofRequests(0)),
        List.of(
            bulk(0, "extended"),
            bulk(1, "cancelled"),
            bulk(2, "late", HeaderNames.TIMEOUT_MS, "30000")));
    asked(new Control.Extend("extended", 1));
    asked(new Control.Extend("cancelled", 1));
    asked(new Control.Extend("late", 1));
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);
    assertThat(fedIds()).isEmpty();

    // When
    asked(new Control.Cancel("cancelled"));
    now.addAndGet(30_000);
    awaitLooks(BulkFeeder.ROUNDS_PER_LOOK);

    // Then
    assertThat(fedIds()).containsExactlyInAnyOrder("cancelled", "late");
  }

  /** More arrives. */
  @SafeVarargs
  private void come(ConsumerRecord<byte[], byte[]>... records) {
    for (ConsumerRecord<byte[], byte[]> record : records) {
      topic.put(place(record.partition(), record.offset()), record);
      consumer.schedulePollTask(() -> consumer.addRecord(record));
    }
    awaitLooks(records.length);
  }

  private void asked(Control control) {
    var asked = new EarlyControl.Asked(control, Long.MAX_VALUE);
    earlyControlIds.add(TOPIC.partition(), new EarlyControl(control.requestId(), List.of(asked)));
  }

  /** Another feeder takes over from where the one before stopped. */
  private void startNext(OffsetAndMetadata left, List<ConsumerRecord<byte[], byte[]>> records) {
    producer = new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    consumer = new MockConsumer<>("earliest");
    consumer.assign(Set.of(TOPIC));
    consumer.commitSync(Map.of(TOPIC, left));
    start(records);
  }

  private void start(List<ConsumerRecord<byte[], byte[]>> records) {
    start(backlog, records);
  }

  private void start(Backlog waiting, List<ConsumerRecord<byte[], byte[]>> records) {
    consumer.updateBeginningOffsets(Map.of(TOPIC, 0L, OTHER, 0L));
    consumer.schedulePollTask(() -> records.forEach(consumer::addRecord));
    records.forEach(record -> topic.put(place(record.partition(), record.offset()), record));
    var allowance =
        new BulkAllowance(
            () -> fleet, new Ledger("router"), waiting, () -> 1, () -> rounds.get() * 1_000L);
    feeder =
        Optional.of(
            new BulkFeeder(
                consumer,
                new KeptRecords(),
                producer,
                reader,
                this::partitions,
                allowance,
                earlyControlIds,
                now::get,
                appendTimes,
                threads));
  }

  /** Asked at the beginning of each round. */
  private Set<Integer> partitions() {
    rounds.incrementAndGet();
    if (isBroken) {
      throw new NoClassDefFoundError("a class is damaged");
    }
    return owned;
  }

  /** There is room for so many, those that have entered included. */
  private void room(int requests) {
    Map<String, WorkerView> workers = new HashMap<>();
    for (int number = 0; number < requests; number++) {
      workers.put(
          "w" + number, new WorkerView(new TestWorker("w" + number).slots(1).snapshot(), 0));
    }
    fleet = new FleetSnapshot(workers, true);
  }

  /** Remembers how long the feeder was ready to wait. */
  private static final class PollTimes extends MockConsumer<byte[], byte[]> {
    private volatile Duration last = Duration.ZERO;

    PollTimes() {
      super("earliest");
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      last = timeout;
      return super.poll(timeout);
    }
  }

  /** Takes all records, and answers for some partitions only when it is told to. */
  private static final class LanesWithoutLeader extends MockProducer<byte[], byte[]> {
    private final Set<Integer> leaderless = ConcurrentHashMap.newKeySet();

    /** All if empty. */
    private final Set<String> topics = ConcurrentHashMap.newKeySet();

    private final Queue<CompletableFuture<RecordMetadata>> unanswered =
        new ConcurrentLinkedQueue<>();

    LanesWithoutLeader(int partition) {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
      leaderless.add(partition);
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (!leaderless.contains(record.partition())
          || !(topics.isEmpty() || topics.contains(record.topic()))) {
        return super.send(record, callback);
      }
      var answer = new CompletableFuture<RecordMetadata>();
      unanswered.add(answer);
      return answer.whenComplete(
          (place, failure) -> callback.onCompletion(place, (Exception) failure));
    }

    void fail() {
      end(answer -> answer.completeExceptionally(new TimeoutException("there is no leader")));
    }

    void answer() {
      var there = new RecordMetadata(new TopicPartition("lane", 0), 0, 0, 0, 0, 0);
      end(answer -> answer.complete(there));
    }

    private void end(Consumer<CompletableFuture<RecordMetadata>> how) {
      while (!unanswered.isEmpty()) {
        how.accept(unanswered.remove());
      }
    }
  }

  /** Waits in vain for what the brokers know of a topic. */
  private static final class UnknownLane extends MockProducer<byte[], byte[]> {
    private final String lane;
    private final AtomicInteger refusals = new AtomicInteger();
    private volatile boolean isKnown;

    UnknownLane(String lane) {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
      this.lane = lane;
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      if (isKnown || !topic.equals(lane)) {
        return super.partitionsFor(topic);
      }
      refusals.incrementAndGet();
      throw new TimeoutException("the topic is not known");
    }
  }

  private final class KeptRecords implements BulkRecords {
    @Override
    public Reading read(List<ParkedRequest> requests) {
      rereads.addAndGet(requests.size());
      Map<ParkedRequest, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
      Set<ParkedRequest> unread = new HashSet<>();
      for (ParkedRequest request : requests) {
        if (unreadable.contains(request.partition())) {
          unread.add(request);
        } else {
          String place = place(request.partition(), request.offset());
          found.put(request, Objects.requireNonNull(topic.get(place)));
        }
      }
      return new Reading(found, unread);
    }

    @Override
    public void close() {}
  }

  private static String place(int partition, long offset) {
    return partition + "-" + offset;
  }

  /** Returns when the feeder has looked so often at what there is now. */
  private void awaitLooks(int looks) {
    int end = rounds.get() + looks + 2;
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
    return committed(TOPIC);
  }

  private long committed(TopicPartition partition) {
    var known = consumer.committed(Set.of(partition)).get(partition);
    return known == null ? 0 : known.offset();
  }

  private static ConsumerRecord<byte[], byte[]> bulk(long offset, String id, String... more) {
    return bulkFor("llama", TOPIC, offset, id, more);
  }

  /** Returns one for another lane. */
  private static ConsumerRecord<byte[], byte[]> longBulk(long offset, String id) {
    byte[] body =
        "{\"model\":\"llama\",\"max_tokens\":4000,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .getBytes(UTF_8);
    return record(TOPIC, offset, id, body);
  }

  private static ConsumerRecord<byte[], byte[]> bulkFor(
      String model, TopicPartition place, long offset, String id, String... more) {
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, HeaderNames.REQUEST_ID, id);
    for (int at = 0; at < more.length; at += 2) {
      HeaderText.put(headers, more[at], more[at + 1]);
    }
    byte[] body =
        "{\"model\":\"%s\",\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
            .formatted(model)
            .getBytes(UTF_8);
    return record(place, offset, id, body, headers);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      TopicPartition place, long offset, String id, byte[] body) {
    Headers headers = new RecordHeaders();
    HeaderText.put(headers, HeaderNames.REQUEST_ID, id);
    return record(place, offset, id, body, headers);
  }

  private static ConsumerRecord<byte[], byte[]> record(
      TopicPartition place, long offset, String id, byte[] body, Headers headers) {
    return new ConsumerRecord<>(
        place.topic(),
        place.partition(),
        offset,
        START,
        TimestampType.LOG_APPEND_TIME,
        0,
        0,
        id.getBytes(UTF_8),
        body,
        headers,
        Optional.empty());
  }
}
