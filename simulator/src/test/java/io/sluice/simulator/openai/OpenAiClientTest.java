package io.sluice.simulator.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.InternalServerException;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.Completion;
import com.openai.models.completions.CompletionCreateParams;
import io.sluice.simulator.ServerOptions;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The official OpenAI client against the simulator. */
@Tag("slow")
class OpenAiClientTest {

  private static SimulatedEngine engine;
  private static OpenAIClient client;

  @BeforeAll
  static void start() throws IOException {
    engine =
        SimulatedEngine.start(
            SimulatorConfig.of(GpuProfile.H100)
                .withModels(List.of("m"))
                .withMaxModelLen(2048)
                .withSpeed(50)
                .withServer(ServerOptions.with(options -> options.apiKeys = List.of("secret"))));
    client =
        OpenAIOkHttpClient.builder()
            .baseUrl(engine.uri() + "/v1")
            .apiKey("secret")
            .maxRetries(0)
            .build();
  }

  @AfterAll
  static void stop() {
    client.close();
    engine.close();
  }

  @Test
  void aChatIsAnsweredWhole() {
    ChatCompletion answer = client.chat().completions().create(chat().build());

    assertThat(answer.choices().getFirst().message().content().orElseThrow()).isNotBlank();
    assertThat(answer.choices().getFirst().finishReason())
        .isEqualTo(ChatCompletion.Choice.FinishReason.STOP);
    assertThat(answer.usage().orElseThrow().completionTokens()).isPositive();
  }

  @Test
  void aStreamedChatAddsUpToTheWholeOne() {
    ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
    ChatCompletionCreateParams params =
        chat()
            .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
            .build();

    try (StreamResponse<ChatCompletionChunk> stream =
        client.chat().completions().createStreaming(params)) {
      stream.stream().forEach(accumulator::accumulate);
    }

    ChatCompletion whole = client.chat().completions().create(chat().build());
    assertThat(accumulator.chatCompletion().choices().getFirst().message().content())
        .isEqualTo(whole.choices().getFirst().message().content());
    assertThat(accumulator.chatCompletion().usage().orElseThrow().completionTokens())
        .isEqualTo(whole.usage().orElseThrow().completionTokens());
  }

  @Test
  void theClientUnderstandsCompletionsAndModels() {
    Completion answer =
        client
            .completions()
            .create(
                CompletionCreateParams.builder().model("m").prompt("Once").maxTokens(5).build());

    assertThat(answer.choices().getFirst().text()).isNotBlank();
    assertThat(client.models().list().data().getFirst().id()).isEqualTo("m");
  }

  @Test
  void errorsHaveTheirTypes() {
    assertThatThrownBy(() -> client.chat().completions().create(chat().model("other").build()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("does not exist");
    assertThatThrownBy(
            () ->
                client
                    .chat()
                    .completions()
                    .create(chat().putAdditionalHeader("x-sim-fault", "status=503").build()))
        .isInstanceOf(InternalServerException.class);
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder().model("m").addUserMessage("Say hello.");
  }
}
