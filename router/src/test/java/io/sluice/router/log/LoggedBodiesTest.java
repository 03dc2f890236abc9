package io.sluice.router.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.request.RequestBodies.Lookup;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata.Source;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of all records, some are at hand, and the others are in the log. */
class LoggedBodiesTest {
  private static final String TOPIC = "sluice.requests.32k";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int SIZE = 1_000;

  private final MockConsumer<byte[], byte[]> consumer =
      new MockConsumer<>(AutoOffsetResetStrategy.NONE.name());
  private final LogReader log = new LogReader(consumer, () -> 5);

  /** Room for three. */
  private final LoggedBodies bodies = new LoggedBodies(log, 3 * (SIZE + 512));

  @BeforeEach
  void theLogBeginsAtFour() {
    consumer.updateBeginningOffsets(Map.of(PARTITION, 4L));
    consumer.updateEndOffsets(Map.of(PARTITION, 100L));
  }

  @Test
  void whatCameLastIsAtHandAndNoMoreThanTheCacheHolds() {
    // When
    for (int offset = 4; offset < 10; offset++) {
      bodies.came(source(offset), body());
    }

    // Then
    assertThat(bodies.cached(source(6))).isEmpty();
    assertThat(bodies.cached(source(7))).isPresent();
    assertThat(bodies.cached(source(9))).isPresent();
  }

  @Test
  void whatIsNotAtHandIsReadOnceAndIsAtHandThen() {
    // Given
    boolean isAskedFor = bodies.find(source(6)) instanceof Lookup.Loading;
    boolean isStillAskedFor = bodies.find(source(6)) instanceof Lookup.Loading;

    // When
    polls(6);

    // Then
    assertThat(isAskedFor).isTrue();
    assertThat(isStillAskedFor).isTrue();
    assertThat(bodies.find(source(6))).isInstanceOf(Lookup.Cached.class);
  }

  @Test
  void whatTheLogDoesNotHaveAnyMoreIsGone() {
    // Given
    var _ = bodies.find(source(1));

    // When
    polls(6);

    // Then
    assertThat(bodies.find(source(1))).isInstanceOf(Lookup.Gone.class);
    assertThat(bodies.find(source(1))).isInstanceOf(Lookup.Loading.class);
  }

  @Test
  void whatIsForgottenIsNotAtHandAndCanStillBeRead() {
    // Given
    bodies.came(source(6), body());

    // When
    bodies.forget(source(6));
    var read = bodies.read(source(6));
    polls(6);

    // Then
    assertThat(bodies.cached(source(6))).isEmpty();
    assertThat(read.getNow(RequestBody.lost()).value()).hasSize(SIZE);
  }

  @Test
  void aRecordThatIsLargerThanTheCacheIsAtHandAlone() {
    // Given
    bodies.came(source(5), body());

    // When
    bodies.came(source(6), new RequestBody(new RecordHeaders(), new byte[10 * SIZE]));

    // Then
    assertThat(bodies.cached(source(5))).isEmpty();
    assertThat(bodies.cached(source(6))).isPresent();
  }

  private void polls(int offset) {
    consumer.schedulePollTask(
        () ->
            consumer.addRecord(
                new ConsumerRecord<>(TOPIC, 0, offset, new byte[0], new byte[SIZE])));
    log.readSome();
  }

  private static Source source(long offset) {
    return new Source(TOPIC, 0, offset);
  }

  private static RequestBody body() {
    return new RequestBody(new RecordHeaders(), new byte[SIZE]);
  }
}
