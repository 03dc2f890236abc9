package io.sluice.producer.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BatchLineTest {
  @Test
  void theMessageAboutARepeatedIdIsShort() {
    // Given an id that fills its line
    String id = "x".repeat(1_000_000);
    BatchLine.Item item =
        new BatchLine.Item(id, "/v1/chat/completions", Json.mapper().createObjectNode());

    // When
    BatchLine.Broken repeated = BatchLine.repeated(item);

    // Then
    assertThat(repeated.message())
        .isEqualTo("custom_id '" + "x".repeat(64) + "...' is already used by an earlier line");
    assertThat(repeated.customId()).contains(id);
  }

  @Test
  void anIdMayHave1024Characters() {
    assertThat(parsed("x".repeat(1_024))).isInstanceOf(BatchLine.Item.class);
    assertThat(parsed("x".repeat(1_025)))
        .isEqualTo(
            new BatchLine.Broken(
                Optional.empty(),
                LineErrorCode.CUSTOM_ID_TOO_LONG,
                "custom_id '" + "x".repeat(64) + "...' is longer than 1024 characters"));
  }

  private static BatchLine parsed(String id) {
    String line = "{\"custom_id\":\"%s\",\"url\":\"/v1/completions\",\"body\":{}}".formatted(id);
    return BatchLine.parse(
        new Lines.Line(1, line.getBytes(StandardCharsets.UTF_8), false, false),
        List.of("/v1/completions"));
  }
}
