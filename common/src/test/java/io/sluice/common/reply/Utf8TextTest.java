package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Utf8TextTest {

  @Test
  void itsBytesAreThoseOfTheRecord() {
    byte[] bytes = "{\"a\":\"ä😀\"}".getBytes(StandardCharsets.UTF_8);

    Utf8Text text = Utf8Text.of(bytes);

    assertThat(text.bytes()).isSameAs(bytes);
    assertThat(text.length()).isEqualTo(bytes.length);
    assertThat(text).hasToString("{\"a\":\"ä😀\"}").isEqualTo(Utf8Text.of(text.toString()));
    assertThat(text.json().path("a").asText()).isEqualTo("ä😀");
  }

  @Test
  void whatIsNotJsonHasNoTree() {
    assertThat(Utf8Text.of("[DONE]").json().isMissingNode()).isTrue();
    assertThat(Utf8Text.of("").json().isMissingNode()).isTrue();
    assertThatThrownBy(Utf8Text.of("[DONE]")::knownJson).isInstanceOf(UncheckedIOException.class);
  }
}
