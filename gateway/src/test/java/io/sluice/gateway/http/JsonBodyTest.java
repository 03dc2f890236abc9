package io.sluice.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonBodyTest {
  @Test
  void aTextIsFoundWithoutParsingTheRest() {
    assertThat(text("{\"a\":{\"id\":\"inner\"},\"id\":\"resp_1\",\"b\":[1]}")).contains("resp_1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "{\"id\":null}", "[\"id\"]", "", "{\"id\":", "{\"a\":{\"id\":\"x\"}}"})
  void aTextMayBeAbsent(String body) {
    assertThat(text(body)).isEmpty();
  }

  /** Otherwise a conversation would be continued without what was said before. */
  @ParameterizedTest
  @ValueSource(strings = {"{\"id\":42}", "{\"id\":[\"resp_1\"]}", "{\"id\":{}}", "{\"id\":true}"})
  void anotherValueThanATextIsRefused(String body) {
    assertThatThrownBy(() -> text(body))
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.error().param()).contains("id"))
        .hasMessage("'id' must be a text");
  }

  private static Optional<String> text(String body) {
    return JsonBody.text(body.getBytes(UTF_8), "id");
  }
}
