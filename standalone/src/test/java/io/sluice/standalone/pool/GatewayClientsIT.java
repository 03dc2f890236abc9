package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.CompletionCreateParams;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that know nothing of Sluice use the pool through the gateway. */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayClientsIT {
  private LocalPool pool;
  private String url;
  private OpenAIClient openai;

  @BeforeAll
  void start(Backends backends) throws Exception {
    pool = Pools.start(backends, 3);
    url = "http://127.0.0.1:" + pool.gatewayPort() + "/v1";
    openai = OpenAIOkHttpClient.builder().baseUrl(url).apiKey("none").maxRetries(0).build();
  }

  @AfterAll
  void stop() {
    openai.close();
    pool.close();
  }

  @Test
  void openAiForJavaGetsAWholeChat() {
    // When
    ChatCompletion answer = openai.chat().completions().create(chat().build());

    // Then
    assertThat(answer.choices().getFirst().message().content().orElseThrow()).isNotBlank();
    assertThat(answer.usage().orElseThrow().completionTokens()).isEqualTo(12);
  }

  @Test
  void openAiForJavaStreamsTheSameText() {
    // Given
    ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
    ChatCompletionCreateParams params =
        chat()
            .streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build())
            .build();

    // When
    try (StreamResponse<ChatCompletionChunk> stream =
        openai.chat().completions().createStreaming(params)) {
      stream.stream().forEach(accumulator::accumulate);
    }

    // Then
    ChatCompletion whole = openai.chat().completions().create(chat().build());
    assertThat(accumulator.chatCompletion().choices().getFirst().message().content())
        .isEqualTo(whole.choices().getFirst().message().content());
    assertThat(accumulator.chatCompletion().usage().orElseThrow().completionTokens()).isEqualTo(12);
  }

  @Test
  void openAiForJavaCompletesAPromptAndListsModels() {
    // When
    var answer =
        openai
            .completions()
            .create(
                CompletionCreateParams.builder()
                    .model(PoolPlan.MODEL)
                    .prompt("Once")
                    .maxTokens(5)
                    .build());

    // Then
    assertThat(answer.choices().getFirst().text()).isNotBlank();
    assertThat(openai.models().list().data())
        .extracting(model -> model.id())
        .contains(PoolPlan.MODEL, PoolPlan.FALLBACK_MODEL);
    assertThat(openai.models().retrieve(PoolPlan.MODEL).id()).isEqualTo(PoolPlan.MODEL);
  }

  @Test
  void errorsHaveTheTypesOfTheClient() {
    assertThatThrownBy(
            () -> openai.chat().completions().create(chat().model("no/such-model").build()))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("no/such-model");
    assertThatThrownBy(
            () -> openai.chat().completions().create(chat().maxCompletionTokens(100_000L).build()))
        .isInstanceOf(BadRequestException.class)
        .hasMessageContaining("longest context");
  }

  @Test
  void langChain4jGetsAWholeChat() {
    // Given
    OpenAiChatModel model =
        OpenAiChatModel.builder()
            .baseUrl(url)
            .apiKey("none")
            .modelName(PoolPlan.MODEL)
            .maxTokens(12)
            .build();

    // Then
    assertThat(model.chat("Why is the sky blue?")).isNotBlank();
  }

  @Test
  void langChain4jStreamsAChat() throws Exception {
    // Given
    OpenAiStreamingChatModel model =
        OpenAiStreamingChatModel.builder()
            .baseUrl(url)
            .apiKey("none")
            .modelName(PoolPlan.MODEL)
            .maxTokens(12)
            .build();
    StringBuilder streamed = new StringBuilder();
    CompletableFuture<ChatResponse> whole = new CompletableFuture<>();

    // When
    model.chat(
        "Why is the sky blue?",
        new StreamingChatResponseHandler() {
          @Override
          public void onPartialResponse(String text) {
            streamed.append(text);
          }

          @Override
          public void onCompleteResponse(ChatResponse response) {
            whole.complete(response);
          }

          @Override
          public void onError(Throwable error) {
            whole.completeExceptionally(error);
          }
        });

    // Then
    assertThat(whole.get(60, TimeUnit.SECONDS).aiMessage().text())
        .isNotBlank()
        .isEqualTo(streamed.toString());
    assertThat(whole.join().tokenUsage().outputTokenCount()).isEqualTo(12);
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model(PoolPlan.MODEL)
        .addUserMessage("Why is the sky blue?")
        .maxCompletionTokens(12)
        .temperature(0.0);
  }
}
