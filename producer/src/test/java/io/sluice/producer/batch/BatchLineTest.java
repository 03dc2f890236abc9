package io.sluice.producer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import org.junit.jupiter.api.Test;

class BatchLineTest {
  @Test
  void theMessageAboutARepeatedIdIsShort() {
    // Given an id that fills its line
    String id = "x".repeat(1_000_000);
    BatchLine.Item item = new BatchLine.Item(id, "/v1/chat/completions", Json.known("{}"));

    // When
    BatchLine.Broken repeated = BatchLine.repeated(item);

    // Then
    assertThat(repeated.message())
        .isEqualTo("custom_id '" + "x".repeat(64) + "...' is already used by an earlier line");
    assertThat(repeated.customId()).contains(id);
  }
}
