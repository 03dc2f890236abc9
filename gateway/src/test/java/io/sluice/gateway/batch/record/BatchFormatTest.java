package io.sluice.gateway.batch.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log of batches outlives its gateways, and one record in it must stop none of them. */
class BatchFormatTest {
  private static final List<BatchRecord> RECORDS =
      List.of(BatchProgress.none("batch_1"), new BatchCancellation("batch_1", 7));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "null",
        "[]",
        "\"text\"",
        "{\"v\":1",
        "{\"v\":2,\"type\":\"cancel\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"paused\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"created\"}",
        "{\"v\":1,\"type\":\"created\",\"id\":null}",
        "{\"v\":1,\"type\":\"cancel\"}",
        "{\"v\":1,\"type\":\"progress\",\"id\":\"batch_1\"}",
        "{\"v\":1,\"type\":\"progress\",\"id\":[]}"
      })
  void whatIsNoRecordOfThisVersionIsNone(String value) {
    assertThat(BatchFormat.parse(value.getBytes(UTF_8))).isEmpty();
  }

  @Test
  void aTombstoneIsNone() {
    assertThat(BatchFormat.parse(null)).isEmpty();
  }

  @Test
  void whatALaterGatewayAddedIsIgnored() throws IOException {
    for (BatchRecord record : RECORDS) {
      // Given
      ObjectNode json = (ObjectNode) Json.tree(BatchFormat.toJson(record));
      json.put("added_later", 7);

      // Then
      assertThat(BatchFormat.parse(Json.bytes(json))).contains(record);
    }
  }
}
