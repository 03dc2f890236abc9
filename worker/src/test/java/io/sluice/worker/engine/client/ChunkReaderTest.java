package io.sluice.worker.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkReaderTest {
  private static final String FRAME = "{\"choices\":[{\"index\":0,\"text\":\"a?b\"}]}";

  private final ChunkReader reader = new ChunkReader();

  @Test
  void aByteThatIsNotUtf8BecomesAReplacementCharacter() throws EngineException {
    byte[] data = FRAME.getBytes(StandardCharsets.UTF_8);
    data[FRAME.indexOf('?')] = (byte) 0xFF;

    assertThat(reader.read(data))
        .get()
        .isInstanceOfSatisfying(
            EngineEvent.Tokens.class,
            tokens ->
                assertThat(tokens.chunk().toJson().at("/choices/0/text").asText())
                    .isEqualTo("a\uFFFDb"));
  }

  @Test
  void textThatIsNotJsonIsGarbled() {
    assertThatThrownBy(() -> reader.read("{\"choices\":".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("JSON");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"no room\",\"code\":503}}",
        "{\"error\":\"no room\"}",
        // SGLang
        "{\"object\":\"error\",\"message\":\"no room\",\"code\":503}"
      })
  void anErrorInAStreamIsOneInTheFormatOfAnyEngine(String frame) {
    assertThatThrownBy(() -> reader.read(frame.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOfSatisfying(
            EngineException.class,
            e -> assertThat(e.failure()).isInstanceOf(EngineFailure.Unable.class))
        .hasMessageContaining("no room");
  }

  @ParameterizedTest
  @CsvSource({
    "400, 500, ENGINE_ERROR",
    "401, 500, ENGINE_ERROR",
    "404, 500, ENGINE_ERROR",
    "501, 500, ENGINE_ERROR",
    "429, 429, ENGINE_OVERLOADED",
    "503, 503, ENGINE_ERROR"
  })
  void anErrorAfterTokensIsTheEnginesFault(int code, int status, FailureCode reported)
      throws EngineException {
    // Given
    reader.read(FRAME.getBytes(StandardCharsets.UTF_8));

    // When
    EngineFailure failure = failureOf(error(code));

    // Then
    assertThat(failure)
        .isInstanceOfSatisfying(
            EngineFailure.Unable.class,
            unable -> {
              assertThat(unable.status()).isEqualTo(status);
              assertThat(unable.code()).isEqualTo(reported);
              assertThat(unable.message()).isEqualTo("bad value");
            });
  }

  @Test
  void anErrorBeforeTheFirstTokenMayBeTheRequestsFault() throws EngineException {
    String role =
        "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}";
    reader.read(role.getBytes(StandardCharsets.UTF_8));

    assertThat(failureOf(error(400))).isInstanceOf(EngineFailure.Rejected.class);
  }

  private static String error(int code) {
    return "{\"error\":{\"message\":\"bad value\",\"code\":%d}}".formatted(code);
  }

  private EngineFailure failureOf(String frame) {
    try {
      reader.read(frame.getBytes(StandardCharsets.UTF_8));
      throw new AssertionError("the frame is not an error");
    } catch (EngineException e) {
      return e.failure();
    }
  }

  @Test
  void aFrameWithoutAnErrorMayHaveItsField() throws EngineException {
    String frame = FRAME.replace("{\"choices\"", "{\"error\":null,\"choices\"");

    assertThat(reader.read(frame.getBytes(StandardCharsets.UTF_8))).isPresent();
  }
}
