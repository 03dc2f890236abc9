package io.sluice.bench.torture.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.HostileRecord;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RecordPosition;
import io.sluice.bench.torture.log.Journal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HostileCheckTest {
  private static final RecordPosition PLACE = new RecordPosition(PlannedRequest.BULK, 3, 17);

  private final Journal journal = new Journal();

  @Test
  void aRequestThatNothingTellsOfIsFoundAndAControlIsNotAskedFor() {
    assertThat(HostileCheck.check(accepted(PlannedRequest.BULK), journal))
        .singleElement()
        .extracting(Violation::what)
        .isEqualTo("it has no error and no dead letter");
    assertThat(HostileCheck.check(accepted("sluice.control"), journal)).isEmpty();
  }

  @Test
  void aDeadLetterOfItsPlaceTellsOfIt() {
    add(
        "sluice.dead-letters",
        "error-code",
        "invalid_request",
        "source-topic",
        "sluice.bulk",
        "source-partition",
        "3",
        "source-offset",
        "17");
    assertThat(HostileCheck.check(accepted(PlannedRequest.BULK), journal)).isEmpty();
  }

  @Test
  void aCopyThatKafkaStreamsSetAsideTellsOfIt() {
    add(
        "sluice.dead-letters",
        "__streams.errors.topic",
        "sluice.bulk",
        "__streams.errors.partition",
        "3",
        "__streams.errors.offset",
        "17");
    assertThat(HostileCheck.check(accepted(PlannedRequest.BULK), journal)).isEmpty();
  }

  @Test
  void anErrorOfItsPlaceTellsOfIt() {
    add("sluice.replies", "request-id", "sluice.bulk-3-17", "kind", "error", "attempt", "1000");
    assertThat(HostileCheck.check(accepted(PlannedRequest.BULK), journal)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void everyShapeCanBeMadeAndIsTheSameForTheSameSeed(HostileRecord.Shape shape) {
    var record = new HostileRecord(shape, PlannedRequest.BULK, "m", 5);
    boolean isSame =
        Arrays.equals(record.toKafka().value(), record.toKafka().value())
            && record.toKafka().headers().equals(record.toKafka().headers());
    assertThat(isSame).isTrue();
  }

  private static HostileCaller.Accepted accepted(String topic) {
    var record = new HostileRecord(HostileRecord.Shape.NULL_VALUE, topic, "m", 1);
    return new HostileCaller.Accepted(
        record, new RecordPosition(topic, PLACE.partition(), PLACE.offset()));
  }

  private void add(String topic, String... headers) {
    var all = new RecordHeaders();
    for (int at = 0; at < headers.length; at += 2) {
      all.add(headers[at], headers[at + 1].getBytes(StandardCharsets.UTF_8));
    }
    journal.add(
        new ConsumerRecord<>(
            topic,
            0,
            0,
            0,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            "key",
            "{}".getBytes(StandardCharsets.UTF_8),
            all,
            Optional.empty()),
        0);
  }
}
