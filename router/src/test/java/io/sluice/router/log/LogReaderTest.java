package io.sluice.router.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import io.sluice.router.thread.BackgroundThreads;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Records are read from the log by their offsets. */
class LogReaderTest {
  private static final String TOPIC = "sluice.requests.2k";

  private final MockConsumer<byte[], byte[]> consumer =
      new MockConsumer<>(AutoOffsetResetStrategy.NONE.name());
  private long nanos = 5;
  private final LogReader reader = new LogReader(consumer, () -> nanos);

  @Test
  void recordsOfSeveralPartitionsAreReadEachAtItsOffset() {
    // Given
    begins(0, 0);
    begins(1, 0);
    var first = reader.read(source(0, 3));
    var second = reader.read(source(1, 7));

    // When
    polls(record(0, 3), record(1, 7));

    // Then
    assertThat(text(first)).isEqualTo("0-3");
    assertThat(text(second)).isEqualTo("1-7");
  }

  @Test
  void whatLiesBetweenIsReadOverAndNothingIsSaidOfIt() {
    // Given
    begins(0, 0);
    var first = reader.read(source(0, 3));
    var second = reader.read(source(0, 5));

    // When
    polls(record(0, 3), record(0, 4), record(0, 5));

    // Then
    assertThat(text(first)).isEqualTo("0-3");
    assertThat(text(second)).isEqualTo("0-5");
  }

  @Test
  void anEarlierRecordThatIsAskedForLaterIsGoneBackTo() {
    // Given
    begins(0, 0);
    var late = reader.read(source(0, 9));
    polls(record(0, 9));

    // When
    var early = reader.read(source(0, 2));
    polls(record(0, 2));

    // Then
    assertThat(text(late)).isEqualTo("0-9");
    assertThat(text(early)).isEqualTo("0-2");
  }

  @Test
  void twoReadsOfOneRecordAreOne() {
    // When
    var one = reader.read(source(0, 3));
    var other = reader.read(source(0, 3));

    // Then
    assertThat(one).isSameAs(other);
  }

  @Test
  void aRecordThatTheLogSkipsIsGone() {
    // Given
    begins(0, 0);
    var gone = reader.read(source(0, 3));
    var there = reader.read(source(0, 4));

    // When
    polls(record(0, 4));

    // Then
    assertThat(gone).isCompletedWithValue(Optional.empty());
    assertThat(text(there)).isEqualTo("0-4");
  }

  @Test
  void aRecordThatRetentionHasDeletedIsGoneAndALaterOneIsRead() {
    // Given
    begins(0, 10);
    var gone = reader.read(source(0, 3));
    var there = reader.read(source(0, 12));

    // When
    polls(record(0, 12));
    reader.readSome();

    // Then
    assertThat(gone).isCompletedWithValue(Optional.empty());
    assertThat(text(there)).isEqualTo("0-12");
  }

  @Test
  void aLogThatCannotBeReadForAWhileIsReadLater() {
    // Given
    begins(0, 0);
    var read = reader.read(source(0, 3));
    consumer.setPollException(new KafkaException("the broker is away"));
    reader.readSome();
    boolean isDoneBefore = read.isDone();

    // When
    polls(record(0, 3));

    // Then
    assertThat(isDoneBefore).isFalse();
    assertThat(text(read)).isEqualTo("0-3");
  }

  @Test
  void aReadThatTakesTooLongFails() {
    // Given
    begins(0, 0);
    var read = reader.read(source(0, 3));

    // When
    nanos += Duration.ofSeconds(31).toNanos();
    reader.readSome();

    // Then
    assertThat(read).isCompletedExceptionally();
  }

  @Test
  void aClosedReaderReadsNothing() {
    // When
    reader.close();

    // Then
    assertThat(reader.read(source(0, 3))).isCompletedExceptionally();
  }

  private void begins(int partition, long offset) {
    consumer.updateBeginningOffsets(Map.of(new TopicPartition(TOPIC, partition), offset));
    consumer.updateEndOffsets(Map.of(new TopicPartition(TOPIC, partition), 100L));
  }

  @SafeVarargs
  private void polls(ConsumerRecord<byte[], byte[]>... records) {
    consumer.schedulePollTask(
        () -> {
          for (ConsumerRecord<byte[], byte[]> record : records) {
            consumer.addRecord(record);
          }
        });
    reader.readSome();
  }

  @Test
  void anErrorEndsItAndAllThatWaitForIt() {
    // Given
    var threads = new BackgroundThreads();
    consumer.schedulePollTask(
        () -> {
          throw new NoClassDefFoundError("a class is damaged");
        });
    begins(0, 0);

    // When
    LogReader started = LogReader.start(consumer, threads);
    var wanted = started.read(source(0, 3));

    // Then
    await().until(() -> threads.failed().contains("log-reader"));
    assertThat(wanted).isCompletedExceptionally();
    assertThat(started.read(source(0, 4))).isCompletedExceptionally();
    await().until(consumer::closed);
  }

  private static Source source(int partition, long offset) {
    return new Source(TOPIC, partition, offset);
  }

  private static ConsumerRecord<byte[], byte[]> record(int partition, long offset) {
    byte[] value = (partition + "-" + offset).getBytes(UTF_8);
    return new ConsumerRecord<>(TOPIC, partition, offset, new byte[0], value);
  }

  private static String text(CompletableFuture<Optional<RequestBody>> read) {
    return new String(read.getNow(Optional.empty()).orElseThrow().value(), UTF_8);
  }
}
