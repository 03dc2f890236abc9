package io.sluice.gateway.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchRequestBodyTest {

  @Test
  void outputsAreKeptForTheTimeThatTheCallerNames() throws Exception {
    assertThat(
            body("\"output_expires_after\":{\"anchor\":\"created_at\",\"seconds\":3600}")
                .outputKeptSeconds())
        .hasValue(3_600);
    assertThat(body("\"output_expires_after\":null").outputKeptSeconds()).isEmpty();
    assertThat(body("\"a\":1").outputKeptSeconds()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"anchor\":\"created_at\",\"seconds\":3599}",
        "{\"anchor\":\"created_at\",\"seconds\":2592001}",
        "{\"anchor\":\"created_at\"}",
        "{\"anchor\":\"last_active_at\",\"seconds\":3600}",
        "3600"
      })
  void anotherTimeIsRefused(String wrong) throws Exception {
    BatchRequestBody body = body("\"output_expires_after\":" + wrong);

    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(body::outputKeptSeconds)
        .withMessageContaining("output_expires_after");
  }

  @Test
  void aWindowIsHoursOrMinutes() throws Exception {
    assertThat(body("\"completion_window\":\"24h\"").time()).isEqualTo(Duration.ofHours(24));
    assertThat(body("\"completion_window\":\"30m\"").time()).isEqualTo(Duration.ofMinutes(30));
    assertThatExceptionOfType(ApiException.class)
        .isThrownBy(() -> body("\"completion_window\":\"25h\"").time());
  }

  private static BatchRequestBody body(String field) throws Exception {
    return new BatchRequestBody((ObjectNode) Json.mapper().readTree("{" + field + "}"));
  }
}
