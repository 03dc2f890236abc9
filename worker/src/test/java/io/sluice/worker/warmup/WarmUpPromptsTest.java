package io.sluice.worker.warmup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmUpPromptsTest {
  @TempDir private Path folder;

  @Test
  void promptsOfAFileAreSentInOrderWithShortAnswers() throws IOException {
    WarmUpPrompts prompts =
        read(
            """
            {"messages":[{"role":"system","content":"a"}],"max_completion_tokens":900,"seed":7}

            {"custom_id":"x","body":{"model":"other","messages":[{"role":"user","content":"b"}]}}
            """);

    List<JsonNode> bodies = sent(prompts, 4_096, 3);

    assertThat(bodies)
        .extracting(body -> body.path("messages").path(0).path("content").asText())
        .containsExactly("a", "b", "a");
    assertThat(bodies)
        .allSatisfy(
            body -> {
              assertThat(body.path("model").asText()).isEqualTo("m");
              assertThat(body.path("stream").asBoolean()).isTrue();
              assertThat(body.path("max_tokens").asInt()).isEqualTo(16);
              assertThat(body.has("max_completion_tokens")).isFalse();
            });
    assertThat(bodies.getFirst().path("seed").asInt()).isEqualTo(7);
  }

  @Test
  void generatedPromptsFitTheContextAndShareNoPrefix() {
    List<JsonNode> bodies = sent(WarmUpPrompts.of(Optional.empty()), 2_048, 6);

    List<String> texts =
        bodies.stream()
            .map(body -> body.path("messages").path(0).path("content").asText())
            .toList();
    assertThat(texts)
        .extracting(text -> text.split(" ").length - 1)
        .containsExactly(32, 128, 512, 32, 128, 512);
    assertThat(texts).doesNotHaveDuplicates();
  }

  @Test
  void aContextThatIsTooShortForEveryPromptGetsNone() {
    assertThat(sent(WarmUpPrompts.of(Optional.empty()), 64, 6)).isEmpty();
  }

  @Test
  void aFileThatIsOfNoUseIsRefusedWithItsLine() {
    assertThatThrownBy(() -> WarmUpPrompts.of(Optional.of(folder.resolve("none"))))
        .hasMessageContaining("--warm-up-prompts: cannot read");
    assertThatThrownBy(() -> read("{\"messages\":[]}\nhello\n"))
        .hasMessageContaining("line 2 of")
        .hasMessageContaining("messages");
    assertThatThrownBy(() -> read("\n")).hasMessageContaining("is empty");
  }

  private WarmUpPrompts read(String text) throws IOException {
    return WarmUpPrompts.of(Optional.of(Files.writeString(folder.resolve("prompts"), text)));
  }

  private static List<JsonNode> sent(WarmUpPrompts prompts, int maxModelLen, int count) {
    return prompts.bodies("m", maxModelLen, count).stream()
        .<JsonNode>map(body -> Json.parse(new String(body, UTF_8), JsonNode.class, "body"))
        .toList();
  }
}
