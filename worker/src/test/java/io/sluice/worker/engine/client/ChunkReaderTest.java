package io.sluice.worker.engine.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

  @Test
  void aFrameWithoutAnErrorMayHaveItsField() throws EngineException {
    String frame = FRAME.replace("{\"choices\"", "{\"error\":null,\"choices\"");

    assertThat(reader.read(frame.getBytes(StandardCharsets.UTF_8))).isPresent();
  }
}
