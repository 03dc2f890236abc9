package io.sluice.router.bulk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Topics;
import io.sluice.common.topic.PoolTopics;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.junit.jupiter.api.Test;

class WaitingRequestTest {
  private static final ParkedRequest PARKED =
      new ParkedRequest(
          1,
          17,
          1_000,
          10,
          10,
          10,
          100,
          new BulkLine(
              "acme", new BulkSize(new RequestKind("llama", "8k", List.of(), List.of()), 0)),
          0);

  @Test
  void whatNoLaneTakesForItsSizeEntersWithoutItsBody() {
    // Given
    var record = new ConsumerRecord<>(Topics.BULK, 1, 17, new byte[100_000], new byte[1_000]);
    record.headers().add("tenant", "acme".getBytes(UTF_8));
    record.headers().add("\u4e2d".repeat(PoolTopics.MAX_REQUEST_BYTES / 3), new byte[0]);

    // When
    WaitingRequest waiting = WaitingRequest.of(record);
    var sent = waiting.entering(PARKED, 0);
    Headers entering = sent.headers();

    // Then
    assertThat(sent.topic()).isEqualTo("sluice.requests.8k");
    assertThat(sent.value()).isEmpty();
    assertThat(sent.key()).isNull();
    assertThat(HeaderText.get(entering, "tenant")).contains("acme");
    assertThat(HeaderText.get(entering, "request-id")).contains("sluice.bulk-1-17");
    assertThat(HeaderText.getLong(entering, "omitted-bytes").orElse(0))
        .isGreaterThan(PoolTopics.MAX_REQUEST_BYTES);
    assertThat(entering.toArray()).hasSizeLessThan(10);
  }

  @Test
  void whatALaneTakesEntersAsItIs() {
    // Given
    byte[] key = {1};
    byte[] value = {2};
    var record = new ConsumerRecord<>(Topics.BULK, 1, 17, key, value);

    // When
    WaitingRequest waiting = WaitingRequest.of(record);

    // Then
    var sent = waiting.entering(PARKED, 0);
    assertThat(sent.key()).isSameAs(key);
    assertThat(sent.value()).isSameAs(value);
  }
}
