package io.sluice.worker.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.ProgressReport;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.Topics;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.worker.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaReplyLogTest {
  private static final LeaseRef LEASE = new LeaseRef("r", 1, "a", "w", "i");

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
  private final ManualTime time = new ManualTime();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final Deque<Runnable> blocking = new ArrayDeque<>();
  private final KafkaReplyLog log = new KafkaReplyLog(producer, time, later::add, blocking::add);

  @Test
  void aReplyGoesToItsAddressWithItsHeaders() {
    CompletableFuture<Long> written = log.append(record());

    var sent = producer.history().getFirst();
    assertThat(sent.topic()).isEqualTo("sluice.replies");
    assertThat(sent.partition()).isEqualTo(5);
    assertThat(sent.key()).isEqualTo("r");
    assertThat(ReplyHeaders.parse(sent.headers()).orElseThrow().kind()).isEqualTo(ReplyKind.FINAL);
    assertThat(sent.headers().lastHeader(HeaderNames.SPRING_CORRELATION_ID).value())
        .containsExactly(9);
    assertThat(written).isNotDone();
    producer.completeNext();
    assertThat(written).isCompletedWithValue(0L);
  }

  @ParameterizedTest
  @CsvSource({"TOKENS,0", "FINAL,0", "CLAIM,0", "CLAIM,3"})
  void whatSomebodyWaitsForIsSentAtOnce(ReplyKind kind, int index) {
    var _ = log.append(record(kind, index));

    assertThat(producer.flushed()).isFalse();
    blocking.removeFirst().run();
    assertThat(producer.flushed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"TOKENS,1", "FINAL,9"})
  void tokensAndTheEndOfAStreamMayLinger(ReplyKind kind, int index) {
    var _ = log.append(record(kind, index));

    assertThat(blocking).isEmpty();
  }

  @Test
  void anOutcomeGoesToTheRequestsOwnPartition() {
    CompletableFuture<Long> written = log.report(7, new Outcome(LEASE, new Outcome.Accepted()));

    var sent = producer.history().getFirst();
    assertThat(sent.topic()).isEqualTo(Topics.OUTCOMES);
    assertThat(sent.partition()).isEqualTo(7);
    assertThat(sent.key()).isEqualTo("r");
    assertThat(ProgressReport.parse(sent.value()))
        .containsExactly(new Outcome(LEASE, new Outcome.Accepted()));
    assertThat(written).isNotDone();
    producer.completeNext();
    assertThat(written).isCompletedWithValue(0L);
  }

  @Test
  void progressOfManyLeasesGoesInOneRecordPerPartition() {
    // Given
    Outcome first = progress("r", 3);
    Outcome second = progress("s", 5);
    progress(7, first);
    progress(8, progress("t", 1));
    progress(7, second);
    boolean nothingYet = producer.history().isEmpty();

    // When
    later.removeFirst().run();

    // Then
    assertThat(nothingYet).isTrue();
    assertThat(later).isEmpty();
    assertThat(producer.history()).hasSize(2);
    assertThat(producer.history())
        .filteredOn(sent -> sent.partition() == 7)
        .singleElement()
        .satisfies(
            sent -> assertThat(ProgressReport.parse(sent.value())).containsExactly(first, second));
  }

  @Test
  void progressNeverComesBehindTheEndOfItsLease() {
    // Given
    progress(7, progress("r", 3));
    var _ = log.report(7, new Outcome(LEASE, new Outcome.Cancelled()));

    // When
    later.removeFirst().run();

    // Then
    assertThat(producer.history()).hasSize(1);
  }

  private void progress(int partition, Outcome outcome) {
    log.progress(partition, outcome.lease(), (Outcome.Progress) outcome.event());
  }

  private static Outcome progress(String requestId, int tokens) {
    return new Outcome(new LeaseRef(requestId, 1, "a", "w", "i"), new Outcome.Progress(tokens));
  }

  @Test
  void aRecordThatCannotBeWrittenFailsItsFuture() {
    CompletableFuture<Long> written = log.append(record());

    producer.errorNext(new TimeoutException("the broker is away"));

    assertThat(written).isCompletedExceptionally();
  }

  @Test
  void aProducerThatThrowsFailsTheFutureToo() {
    producer.sendException = new TimeoutException("no metadata");

    assertThat(log.append(record())).isCompletedExceptionally();
  }

  @Test
  void aRecordThatIsTooLargeFailsWithItsSizeWhereverItIsRefused() {
    CompletableFuture<Long> byBroker = log.append(record());
    producer.errorNext(new RecordTooLargeException("the broker takes less"));
    producer.sendException = new RecordTooLargeException("the producer takes less");
    CompletableFuture<Long> byProducer = log.append(record());

    for (CompletableFuture<Long> written : List.of(byBroker, byProducer)) {
      assertThat(written)
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(ReplyTooLargeException.class)
          .withMessageContaining("a reply of 2 bytes is larger than topic sluice.replies allows");
    }
  }

  @Test
  void aTopicThatTakesNothingFillsAShareOfTheBufferAndFailsWhatIsMoreAtOnce() {
    // Given
    CompletableFuture<Long> first = log.append(record("sluice.replies.gone", 3_000_000));
    time.advance(InFlightRecords.UNRESPONSIVE_AFTER.plusMillis(1));

    // When
    CompletableFuture<Long> second = log.append(record("sluice.replies.gone", 3_000_000));
    CompletableFuture<Long> another = log.append(record("sluice.replies.fine", 3_000_000));

    // Then
    assertThat(second).isCompletedExceptionally();
    assertThat(first).isNotDone();
    assertThat(another).isNotDone();
    assertThat(producer.history()).hasSize(2);
  }

  @Test
  void aTopicThatTakesRecordsMayHaveMoreThanThatShareUnderWay() {
    // Given
    log.append(record("sluice.replies.busy", 3_000_000));
    log.append(record("sluice.replies.busy", 3_000_000));
    time.advance(InFlightRecords.UNRESPONSIVE_AFTER.plusMillis(1));

    // When
    producer.completeNext();

    // Then
    assertThat(log.append(record("sluice.replies.busy", 3_000_000))).isNotDone();
  }

  private static ReplyRecord record() {
    return record("sluice.replies", 2);
  }

  private static ReplyRecord record(String topic, int bytes) {
    return record(topic, ReplyKind.FINAL, 0, bytes);
  }

  private static ReplyRecord record(ReplyKind kind, int index) {
    return record("sluice.replies", kind, index, 2);
  }

  private static ReplyRecord record(String topic, ReplyKind kind, int index, int bytes) {
    return new ReplyRecord(
        new ReplyAddress(topic, 5),
        ReplyHeaders.of("r", kind, 1, "a", index),
        Optional.of(new byte[] {9}),
        new byte[bytes]);
  }
}
