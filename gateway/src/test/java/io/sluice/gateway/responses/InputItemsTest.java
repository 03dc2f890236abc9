package io.sluice.gateway.responses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.record.CreatedResponse;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InputItemsTest {
  private static final String ID = "0190a6b8-0000-7000-8000-000000000000";

  @Test
  void aTextIsOneMessage() throws Exception {
    // When
    JsonNode page = InputItems.page(created("\"Hello\""), 20, "desc", null);

    // Then
    assertThat(page.at("/data/0/id").asText()).isEqualTo("msg_" + ID + "_in_0");
    assertThat(page.at("/data/0/role").asText()).isEqualTo("user");
    assertThat(page.at("/data/0/content/0/type").asText()).isEqualTo("input_text");
    assertThat(page.at("/data/0/content/0/text").asText()).isEqualTo("Hello");
    assertThat(page.path("has_more").asBoolean()).isFalse();
  }

  @Test
  void pagesFollowEachOther() throws Exception {
    // Given
    CreatedResponse created =
        created(
            """
            [{"role":"user","content":"1"},{"id":"own","role":"assistant","content":"2"},
             {"type":"function_call_output","call_id":"c","output":"3"}]""");

    // When
    JsonNode first = InputItems.page(created, 2, "asc", null);
    JsonNode second = InputItems.page(created, 2, "asc", first.path("last_id").asText());

    // Then
    assertThat(first.path("data")).hasSize(2);
    assertThat(first.path("has_more").asBoolean()).isTrue();
    assertThat(first.path("last_id").asText()).isEqualTo("own");
    assertThat(second.path("first_id").asText()).isEqualTo("fco_" + ID + "_in_2");
    assertThat(second.path("has_more").asBoolean()).isFalse();
    assertThat(InputItems.page(created, 1, "desc", null).path("first_id"))
        .isEqualTo(second.path("first_id"));
  }

  @Test
  void wrongParametersAreErrors() throws Exception {
    CreatedResponse created = created("\"x\"");

    assertThatThrownBy(() -> InputItems.page(created, 0, "asc", null))
        .isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> InputItems.page(created, 1, "up", null))
        .isInstanceOf(ApiException.class);
    assertThatThrownBy(() -> InputItems.page(created, 1, "asc", "none"))
        .isInstanceOf(ApiException.class);
  }

  private static CreatedResponse created(String input) throws Exception {
    return new CreatedResponse(
        ID,
        "default",
        Instant.EPOCH,
        Instant.EPOCH,
        Map.of(),
        (ObjectNode) Json.mapper().readTree("{\"model\":\"m\",\"input\":" + input + "}"),
        Json.mapper().createArrayNode());
  }
}
