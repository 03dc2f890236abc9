package io.sluice.worker.reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import io.sluice.worker.clock.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
class KafkaReplyScanTest {
  private static final TopicPartition PARTITION = new TopicPartition("sluice.replies", 4);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofMillis(1);

  private final LogConsumer consumer = new LogConsumer(PARTITION);
  private final AtomicInteger consumersMade = new AtomicInteger();
  private final KafkaReplyScan scan = scan(Ticker.system());

  @AfterEach
  void close() {
    scan.close();
  }

  @Test
  void onlyOneRequestsRecordsAreFoldedAndOnlyUpToTheOffset() throws Exception {
    // Given
    appended("other", 0, "X");
    appended("r", 0, "a");
    appended("r", 1, "b");
    appended("r", 2, "c");
    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(0)));

    // When
    session.foldThrough(2, PATIENCE);

    // Then
    assertThat(session.reply().text()).isEqualTo("ab");
    session.foldThrough(3, PATIENCE);
    assertThat(session.reply().text()).isEqualTo("abc");
  }

  @Test
  void theEndIsWhereTheLogEndsNow() throws Exception {
    appended("r", 0, "a");
    appended("r", 1, "b");
    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(0)));
    session.foldToEnd(PATIENCE);
    assertThat(session.reply().fold().tokens()).isEqualTo(2);

    appended("r", 2, "c");
    session.foldToEnd(PATIENCE);

    assertThat(session.reply().text()).isEqualTo("abc");
  }

  @Test
  void whereTheFirstRecordIsUnknownItsTimeTellsFromWhereToRead() throws Exception {
    for (int i = 0; i < 50; i++) {
      appended("other", i, "X");
    }
    appended("r", 0, "a");
    ReplyScan.Session session = scan.open(query("r", OptionalLong.empty()));

    session.foldToEnd(PATIENCE);

    assertThat(session.reply().text()).isEqualTo("a");
    assertThat(consumer.recordsRead()).isEqualTo(11);
  }

  /** A log of which nothing was deleted, and one of which only what is older was. */
  @ParameterizedTest
  @ValueSource(longs = {0, 30})
  void missingTokensWereNeverWritten(long logStart) throws Exception {
    for (int i = 0; i < 50; i++) {
      appended("other", i, "X");
    }
    appended("r", 1, "b");
    ended("r", 2);
    consumer.updateBeginningOffsets(Map.of(PARTITION, logStart));

    for (OptionalLong from : List.of(OptionalLong.empty(), OptionalLong.of(50))) {
      ReplyScan.Session session = scan.open(query("r", from));
      session.foldToEnd(PATIENCE);
      session.foldToEnd(PATIENCE);

      assertThat(session.reply().hasBeginning()).isTrue();
      assertThat(session.reply().terminal()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 40})
  void whereAllThatIsOlderWasDeletedTokensMayHaveBeenToo(long from) throws Exception {
    for (int i = 0; i < 50; i++) {
      appended("other", i, "X");
    }
    appended("r", 1, "b");
    ended("r", 2);
    consumer.updateBeginningOffsets(Map.of(PARTITION, 41L));

    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(from)));
    session.foldToEnd(PATIENCE);
    session.foldToEnd(PATIENCE);

    assertThat(session.reply().hasBeginning()).isFalse();
    assertThat(session.reply().terminal()).isPresent();
  }

  @Test
  void whereTheLogBeginsAtTheTimeTokensMayHaveBeenDeleted() throws Exception {
    for (int i = 0; i < 50; i++) {
      appended("other", i, "X");
    }
    appended("r", 1, "b");
    consumer.updateBeginningOffsets(Map.of(PARTITION, 40L));

    ReplyScan.Session session = scan.open(query("r", OptionalLong.empty()));
    session.foldToEnd(PATIENCE);

    assertThat(session.reply().hasBeginning()).isFalse();
  }

  @Test
  void aLogThatReplacedADeletedOneIsReadFromItsStart() throws Exception {
    appended("r", 0, "a");
    appended("r", 1, "b");
    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(90_000)));

    session.foldToEnd(PATIENCE);
    appended("r", 2, "c");
    session.foldThrough(2, PATIENCE);

    assertThat(session.reply().text()).isEqualTo("abc");
  }

  @Test
  void aScanThatDoesNotGetThereIsGivenUpInTime() {
    var nanos = new AtomicLong();
    try (var hasty = scan(() -> nanos.addAndGet(1_000_000_000L))) {
      ReplyScan.Session session = hasty.open(query("r", OptionalLong.of(0)));

      assertThatThrownBy(() -> session.foldThrough(7, PATIENCE))
          .isInstanceOf(ReplyScan.ScanException.class)
          .hasMessageContaining("sluice.replies-4")
          .hasMessageContaining("up to offset 8 within 10000 ms");
    }
  }

  @Test
  void aScanThatWasWarmedUpHasAConsumerForTheFirstClaim() throws Exception {
    appended("r", 0, "a");

    scan.warmUp(new ReplyAddress(PARTITION.topic(), PARTITION.partition()));
    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(0)));
    session.foldToEnd(PATIENCE);

    assertThat(session.reply().text()).isEqualTo("a");
    assertThat(consumersMade).hasValue(1);
  }

  @Test
  void aConsumerIsUsedAgainUnlessItFailed() throws Exception {
    appended("r", 0, "a");
    for (int i = 0; i < 3; i++) {
      scan.open(query("r", OptionalLong.of(0))).foldToEnd(PATIENCE);
    }
    assertThat(consumersMade).hasValue(1);

    ReplyScan.Session session = scan.open(query("r", OptionalLong.of(0)));
    consumer.setPollException(new KafkaException("no"));
    assertThatThrownBy(() -> session.foldThrough(0, PATIENCE))
        .isInstanceOf(ReplyScan.ScanException.class)
        .hasMessageContaining("sluice.replies-4");

    assertThat(consumer.closed()).isTrue();
  }

  @Test
  void twoHundredClaimsOnOnePartitionReadItTwice() throws Exception {
    // Given
    int claims = 200;
    for (int index = 0; index < 10; index++) {
      for (int request = 0; request < claims; request++) {
        appended("r-" + request, index, "t" + request + " ");
      }
    }
    // The first claim's round is held up until all others queue up.
    PartitionScan partition = scan.of(PARTITION);
    var isReading = new CountDownLatch(1);
    consumer.beforeFirstPoll(
        () -> {
          isReading.countDown();
          while (partition.waiting() < claims - 1) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
          }
        });

    // When
    List<String> texts = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<String>> all = new ArrayList<>();
      for (int request = 0; request < claims; request++) {
        String id = "r-" + request;
        all.add(
            threads.submit(
                () -> {
                  ReplyScan.Session session = scan.open(query(id, OptionalLong.of(0)));
                  session.foldToEnd(PATIENCE);
                  return session.reply().text();
                }));
        isReading.await();
      }
      for (Future<String> one : all) {
        texts.add(one.get());
      }
    }

    // Then
    assertThat(consumer.recordsRead()).isEqualTo(2 * 10 * claims);
    assertThat(consumersMade).hasValue(1);
    assertThat(texts).hasSize(claims);
    for (int request = 0; request < claims; request++) {
      assertThat(texts.get(request)).isEqualTo(("t" + request + " ").repeat(10));
    }
  }

  @Test
  void aFoldFarAheadDoesNotWaitForALongReading() throws Exception {
    // Given
    var isReading = new CountDownLatch(1);
    var isServed = new CountDownLatch(1);
    var made = new AtomicInteger();
    try (var both =
            new KafkaReplyScan(
                () -> {
                  var one = new LogConsumer(PARTITION);
                  one.updateEndOffsets(Map.of(PARTITION, 1_000_000L));
                  if (made.incrementAndGet() == 1) {
                    one.beforeFirstPoll(() -> waitFor(isReading, isServed));
                  }
                  return one;
                },
                Ticker.system());
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var _ =
          threads.submit(
              () -> {
                both.open(query("long", OptionalLong.of(0))).foldThrough(999_999, SHORT);
                return true;
              });
      isReading.await();

      // When
      ReplyScan.Session ahead = both.open(query("short", OptionalLong.of(1_000_000)));
      ahead.foldThrough(999_999, PATIENCE);
      isServed.countDown();

      // Then
      assertThat(made).hasValue(2);
    }
  }

  @Test
  void theTimeOfAFoldThatHasToWaitBeginsWithItsTurn() throws Exception {
    // Given
    appended("r", 0, "a");
    PartitionScan partition = scan.of(PARTITION);
    var nanos = new AtomicLong();
    var isReading = new CountDownLatch(1);
    var isQueued = new CountDownLatch(1);
    consumer.beforeFirstPoll(
        () -> {
          waitFor(isReading, isQueued);
          nanos.addAndGet(PATIENCE.toNanos() * 2);
        });
    var reply = new PartialReply();
    var first = fold("other", new PartialReply(), nanos);
    var late = fold("r", reply, nanos);

    // When
    partition.add(first);
    isReading.await();
    partition.add(late);
    isQueued.countDown();
    late.await();

    // Then
    assertThat(reply.text()).isEqualTo("a");
  }

  @Test
  void aFoldFarAheadOfItsRoundIsReadInParallel() throws Exception {
    // Given
    var nanos = new AtomicLong();
    var isReading = new CountDownLatch(1);
    var isQueued = new CountDownLatch(1);
    consumer.updateEndOffsets(Map.of(PARTITION, 1_000_000L));
    consumer.beforeFirstPoll(
        () -> {
          waitFor(isReading, isQueued);
          nanos.addAndGet(PATIENCE.toNanos() * 2);
        });
    var second = new LogConsumer(PARTITION);
    second.updateEndOffsets(Map.of(PARTITION, 1_000_000L));
    var sources = new ArrayDeque<>(List.of(consumer, second));
    var partition = new PartitionScan(PARTITION, new ScanConsumers(sources::remove));
    var ahead =
        new PartitionFold(
            query("ahead", OptionalLong.empty()),
            new PartialReply(),
            -1,
            OptionalLong.empty(),
            PATIENCE,
            nanos::get);

    // When
    partition.add(fold("first", new PartialReply(), nanos));
    isReading.await();
    partition.add(fold("behind", new PartialReply(), nanos));
    partition.add(ahead);
    isQueued.countDown();

    // Then
    assertThat(ahead.await()).isEqualTo(1_000_000);
    nanos.addAndGet(PATIENCE.toNanos() * 2);
  }

  private static PartitionFold fold(String requestId, PartialReply reply, AtomicLong nanos) {
    return new PartitionFold(
        query(requestId, OptionalLong.of(0)), reply, 0, OptionalLong.of(1), PATIENCE, nanos::get);
  }

  private static void waitFor(CountDownLatch said, CountDownLatch heard) {
    said.countDown();
    try {
      heard.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private KafkaReplyScan scan(Ticker ticker) {
    return new KafkaReplyScan(
        () -> {
          consumersMade.incrementAndGet();
          return consumer;
        },
        ticker);
  }

  /** From offset and time 40 if the offset is not known. */
  private static ReplyScan.Query query(String requestId, OptionalLong from) {
    return new ReplyScan.Query(
        new ReplyAddress(PARTITION.topic(), PARTITION.partition()), requestId, from, 40);
  }

  private void appended(String requestId, int index, String text) {
    consumer.append(headers(requestId, ReplyKind.TOKENS, index), text);
  }

  private void ended(String requestId, int index) {
    consumer.append(headers(requestId, ReplyKind.FINAL, index), "");
  }

  private static ReplyHeaders headers(String requestId, ReplyKind kind, int index) {
    return ReplyHeadersBuilder.builder()
        .requestId(requestId)
        .kind(kind)
        .attempt(1)
        .lease("a")
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(1)
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .build();
  }
}
