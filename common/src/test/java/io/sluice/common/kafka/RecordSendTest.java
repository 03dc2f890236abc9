package io.sluice.common.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class RecordSendTest {
  private final MockProducer<String, String> producer =
      new MockProducer<>(false, null, new StringSerializer(), new StringSerializer());
  private final ProducerRecord<String, String> record = new ProducerRecord<>("topic", 0, "k", "v");

  @Test
  void anAcknowledgedRecordTellsItsPlace() {
    // Given
    CompletableFuture<RecordMetadata> written = RecordSend.send(producer, record);
    assertThat(written).isNotDone();

    // When
    producer.completeNext();

    // Then
    assertThat(written)
        .isCompletedWithValueMatching(
            place -> place.topic().equals("topic") && place.offset() == 0);
  }

  @Test
  void aFailureOfTheBrokersCompletesExceptionally() {
    // Given
    CompletableFuture<RecordMetadata> written = RecordSend.send(producer, record);

    // When
    producer.errorNext(new TimeoutException("no leader"));

    // Then
    assertThat(written)
        .isCompletedExceptionally()
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .withMessageContaining("no leader");
  }

  @Test
  void whatTheProducerThrowsIsToldInTheSameWay() {
    // Given
    producer.sendException = new TimeoutException("buffer full");
    List<Exception> told = new ArrayList<>();

    // When
    RecordSend.send(producer, record, (place, failure) -> told.add(failure));

    // Then
    assertThat(told).containsExactly(producer.sendException);
  }

  @Test
  void aClosedProducersRefusalIsToldInTheSameWay() {
    // Given
    producer.close();

    // When
    CompletableFuture<RecordMetadata> written = RecordSend.send(producer, record);

    // Then
    assertThat(written).isCompletedExceptionally();
  }
}
