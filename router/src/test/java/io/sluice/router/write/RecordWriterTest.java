package io.sluice.router.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class RecordWriterTest {
  private static final String GOOD = "sluice.worker.good";
  private static final String BAD = "sluice.worker.bad";
  private static final Duration WITHIN = Duration.ofSeconds(30);

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(false, null, new StringSerializer(), new ByteArraySerializer());
  private final Map<String, Integer> topics = new HashMap<>(Map.of(GOOD, 1, BAD, 1));
  private final Queue<Runnable> threads = new ArrayDeque<>();
  private boolean areThreadsHeldUp;
  private long nanos = -5_000_000_000L;
  private final RecordWriter writer =
      new RecordWriter(producer, this::partitions, this::execute, () -> nanos);

  @Test
  void aProducerThatBlocksDelaysNoWriter() {
    // Given
    areThreadsHeldUp = true;

    // When
    CompletableFuture<Void> written = write(BAD, 10);

    // Then
    assertThat(written).isNotDone();
    assertThat(producer.history()).isEmpty();
    assertThat(threads).hasSize(1);
  }

  @Test
  void eachDestinationHasAThreadOfItsOwnSoThatOneThatBlocksIsTheOnlyOneToWait() {
    // Given
    areThreadsHeldUp = true;
    write(BAD, 10);
    write(BAD, 10);
    write(GOOD, 10);

    // When
    List.copyOf(threads).get(1).run();

    // Then
    assertThat(threads).hasSize(2);
    assertThat(sent()).containsExactly(GOOD);
  }

  @Test
  void recordsOfOnePartitionAreWrittenInTheOrderOfTheCalls() {
    // Given
    areThreadsHeldUp = true;
    for (int size = 1; size <= 5; size++) {
      write(GOOD, size);
    }

    // When
    threads.remove().run();

    // Then
    assertThat(producer.history())
        .extracting(record -> record.value().length)
        .containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void aPartitionThatTakesNothingFillsAShareOfTheProducersBufferOnly() {
    // When
    for (int i = 0; i < 10; i++) {
      write(BAD, 400_000);
    }
    write(GOOD, 400_000);

    // Then
    assertThat(sent()).containsExactly(BAD, BAD, GOOD);
  }

  @Test
  void aRecordLargerThanThatShareGoesAlone() {
    // When
    write(GOOD, 8_000_000);
    write(GOOD, 10);
    int sentAtFirst = sent().size();
    producer.completeNext();

    // Then
    assertThat(sentAtFirst).isOne();
    assertThat(sent()).hasSize(2);
  }

  @Test
  void whatIsForATopicThatIsNotThereFailsAtOnce() {
    assertThat(write("sluice.replies.gone", 10)).isCompletedExceptionally();
    assertThat(producer.history()).isEmpty();
  }

  @Test
  void whatWaitsForATopicThatIsDeletedFailsThoughTheProducerStillTries() {
    // Given
    CompletableFuture<Void> written = write(BAD, 10);

    // When
    topics.remove(BAD);
    writer.tick();

    // Then
    assertThat(written).isCompletedExceptionally();
    assertThat(write(GOOD, 10)).isNotDone();
  }

  @Test
  void aRecordThatIsNotInTheLogInItsTimeHasFailedAndThoseThatMayWaitGoOn() {
    // Given
    CompletableFuture<Void> shortLived = write(BAD, 10, Duration.ofSeconds(1));
    CompletableFuture<Void> patient = write(BAD, 10);

    // When
    pass(Duration.ofSeconds(1));

    // Then
    assertThat(shortLived).isCompletedExceptionally();
    assertThat(patient).isNotDone();
  }

  @Test
  void aTopicThatIsSlowOrFailsIsNotReachableUntilOneRecordGetsThrough() {
    // Given
    write(BAD, 10);
    pass(Duration.ofMillis(1_100));
    boolean isSlowReachable = writer.takes(BAD);

    // When
    producer.errorNext(new NotEnoughReplicasException("no"));
    boolean isFailedReachable = writer.takes(BAD);
    pass(Duration.ofMillis(1_100));
    boolean isReachableForOne = writer.takes(BAD);
    write(BAD, 10);
    boolean isReachableForTwo = writer.takes(BAD);
    producer.completeNext();

    // Then
    assertThat(isSlowReachable).isFalse();
    assertThat(isFailedReachable).isFalse();
    assertThat(isReachableForOne).isTrue();
    assertThat(isReachableForTwo).isFalse();
    assertThat(writer.takes(BAD)).isTrue();
    assertThat(writer.takes(GOOD)).isTrue();
  }

  @Test
  void afterEachFailureTheNextTryIsLaterUpToABound() {
    for (int seconds : new int[] {1, 2, 4, 8, 16, 30, 30}) {
      // Given
      write(BAD, 10);
      producer.errorNext(new NotEnoughReplicasException("no"));

      // When
      pass(Duration.ofMillis(seconds * 1_000L - 100));
      boolean isEarly = writer.takes(BAD);
      pass(Duration.ofMillis(100));

      // Then
      assertThat(isEarly).as("before %d s", seconds).isFalse();
      assertThat(writer.takes(BAD)).as("after %d s", seconds).isTrue();
    }
  }

  @Test
  void whatIsTooMuchFailsAtOnceAndThereIsRoomAgainWhenTheRestIsWritten() {
    // Given
    write(BAD, (int) RecordWriter.MOST_BYTES - 1_000);
    CompletableFuture<Void> tooMuch = write(GOOD, 1_000);

    // When
    producer.completeNext();

    // Then
    assertThat(tooMuch).isCompletedExceptionally();
    assertThat(write(GOOD, 1_000)).isNotDone();
    assertThat(writer.bytes()).isLessThan(2_000);
  }

  @Test
  void aPartitionLeavesRoomForTheOthers() {
    // Given
    int half = (int) Destination.MOST_BYTES / 2;
    write(BAD, half - 1_000);
    write(BAD, half - 1_000);

    // When
    CompletableFuture<Void> tooMuch = write(BAD, half - 1_000);

    // Then
    assertThat(tooMuch).isCompletedExceptionally();
    assertThat(write(GOOD, half - 1_000)).isNotDone();
  }

  @Test
  void aPartitionThatTakesNothingHoldsLittle() {
    // Given
    CompletableFuture<Void> first = write(BAD, 10);
    pass(Duration.ofMillis(1_100));

    // When
    CompletableFuture<Void> small = write(BAD, 10);
    CompletableFuture<Void> large = write(BAD, (int) Destination.MOST_BYTES_IF_SLOW);

    // Then
    assertThat(List.of(first, small)).noneMatch(CompletableFuture::isDone);
    assertThat(large).isCompletedExceptionally();
    assertThat(writer.bytes()).isLessThan(1_000);
  }

  @Test
  void aProducerThatCannotGoOnFailsTheWrite() {
    // Given
    producer.sendException = new KafkaException("closed");

    // When
    CompletableFuture<Void> written = write(GOOD, 10);

    // Then
    assertThat(written).isCompletedExceptionally();
    assertThat(writer.bytes()).isZero();
  }

  private CompletableFuture<Void> write(String topic, int size) {
    return write(topic, size, WITHIN);
  }

  private CompletableFuture<Void> write(String topic, int size, Duration within) {
    return writer.write(new ProducerRecord<>(topic, 0, "r", new byte[size]), within);
  }

  private List<String> sent() {
    return producer.history().stream().map(ProducerRecord::topic).toList();
  }

  private void pass(Duration duration) {
    nanos += duration.toNanos();
    writer.tick();
  }

  private void execute(Runnable task) {
    if (areThreadsHeldUp) {
      threads.add(task);
    } else {
      task.run();
    }
  }

  private OptionalInt partitions(String topic) {
    Integer count = topics.get(topic);
    return count == null ? OptionalInt.empty() : OptionalInt.of(count);
  }
}
