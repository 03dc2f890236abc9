package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Control.Cancel;
import io.sluice.common.protocol.Control.Extend;
import io.sluice.common.protocol.Control.Reprioritise;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControlTest {

  @ParameterizedTest
  @MethodSource("messages")
  void whatIsWrittenIsReadBack(Control message) {
    assertThat(Control.parse(message.toJson())).contains(message);
  }

  static Stream<Control> messages() {
    return Stream.of(
        new Cancel("r-1"),
        new Cancel("a \"strange\" id \u4e2d \ud83d\ude00"),
        new Extend("r-1", 1_790_844_393_000L),
        new Reprioritise("r-1", Priority.URGENT),
        new Reprioritise("r-1", Priority.BULK));
  }

  @Test
  void anIdThatNoRequestCanHaveIsNotRemembered() {
    assertThat(Control.parse(new Cancel("x".repeat(256)).toJson())).isPresent();
    assertThat(Control.parse(new Cancel("x".repeat(257)).toJson())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "cancel",
        "{\"type\":\"cancel\"}",
        "{\"type\":\"cancel\",\"request_id\":\"\"}",
        "{\"type\":\"cancel\",\"request_id\":null}",
        "{\"type\":\"cancel\",\"request_id\":\"a\\nb\"}",
        "{\"type\":\"cancel\",\"request_id\":\"a\\ud800\"}",
        "{\"type\":\"cancel\",\"request_id\":{\"id\":\"r\"}}",
        "{\"type\":\"cancel\",\"request_id\":[\"r\"]}",
        "{\"type\":\"CANCEL\",\"request_id\":\"r\"}",
        "{\"type\":null,\"request_id\":\"r\"}",
        "{\"type\":\"cancel\",\"request_id\":\"r\"} {}",
        "{\"type\":\"extend\",\"request_id\":\"r\"}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":\"soon\"}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":null}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":0}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":-5}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":1e400}",
        "{\"type\":\"extend\",\"request_id\":\"r\",\"deadline\":99999999999999999999}",
        "{\"type\":\"reprioritise\",\"request_id\":\"r\"}",
        "{\"type\":\"reprioritise\",\"request_id\":\"r\",\"priority\":\"yesterday\"}"
      })
  void garbageIsNotAMessage(String garbage) {
    assertThat(Control.parse(garbage.getBytes(StandardCharsets.UTF_8))).isEmpty();
  }

  @Test
  void aRecordWithoutAValueIsNotAMessage() {
    assertThat(Control.parse(null)).isEmpty();
  }

  @Test
  void aNumberServesAsAnIdAndAFractionOfAMillisecondIsDropped() {
    // Given
    String json = "{\"type\":\"extend\",\"request_id\":17,\"deadline\":1790844393000.7}";

    // When
    Optional<Control> read = Control.parse(json.getBytes(StandardCharsets.UTF_8));

    // Then
    assertThat(read).contains(new Extend("17", 1_790_844_393_000L));
  }

  @Test
  void theLatestDeadlineLeavesRoomToAddTo() {
    // Given
    Control extend = new Extend("r", Long.MAX_VALUE);

    // When
    Optional<Control> read = Control.parse(extend.toJson());

    // Then
    assertThat(read).contains(new Extend("r", 253_402_300_799_999L));
  }

  @Property
  void arbitraryBytesNeverThrow(@ForAll byte[] garbage) {
    assertThat(Control.parse(garbage)).isEmpty();
  }

  @Property
  void arbitraryJsonNeverThrows(@ForAll("json") JsonNode json) {
    Control.parse(Json.bytes(json));
  }

  @Provide
  Arbitrary<JsonNode> json() {
    return ArbitraryJson.withFields("type", "request_id", "deadline", "priority");
  }
}
