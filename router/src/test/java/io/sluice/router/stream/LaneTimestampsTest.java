package io.sluice.router.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneTimestampsTest {
  private final LaneTimestamps timestamps = new LaneTimestamps();

  @ParameterizedTest
  @CsvSource({
    "sluice.outcomes,    1800000000000, 0",
    "sluice.control,     1800000000000, 0",
    "sluice.requests.2k, 1800000000000, 1800000000000",
    "sluice.requests.2k, -1,            0",
  })
  void outcomesAndControlOvertakeABacklogOfRequests(String topic, long timestamp, long expected) {
    // Given
    var record =
        new ConsumerRecord<Object, Object>(
            topic,
            0,
            5,
            timestamp,
            TimestampType.LOG_APPEND_TIME,
            0,
            0,
            null,
            null,
            new RecordHeaders(),
            Optional.empty());

    // Then
    assertThat(timestamps.extract(record, 7)).isEqualTo(expected);
  }
}
