package io.sluice.standalone.pool;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.errors.NotFoundException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.batches.Batch;
import com.openai.models.batches.BatchCreateParams;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.files.FileCreateParams;
import com.openai.models.files.FilePurpose;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseRetrieveParams;
import com.openai.models.responses.ResponseStreamEvent;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.openai.OpenAiChatModel;
import dev.langchain4j.model.openai.OpenAiStreamingChatModel;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.LocalPort;
import io.sluice.standalone.backend.SharedBackends;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that know nothing of Sluice use the gateways of a pool whose services are processes of
 * their own.
 */
@ExtendWith(SharedBackends.class)
@TestInstance(Lifecycle.PER_CLASS)
class GatewayClientsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int LINES = 60;

  @TempDir private static Path files;
  private final List<SimulatedEngine> engines = new ArrayList<>();
  private ServiceProcesses processes;
  private String url;
  private OpenAIClient openai;

  @BeforeAll
  void start(Backends backends) throws Exception {
    processes = new ServiceProcesses(backends);
    String models =
        Stream.of(PoolPlan.MODEL, PoolPlan.FALLBACK_MODEL)
            .map(model -> model + "=16384")
            .collect(joining(","));
    var router = CompletableFuture.runAsync(() -> processes.router("clients", 0, models));
    startWorker("w1", PoolPlan.MODEL);
    startWorker("w2", PoolPlan.MODEL);
    startWorker("w3", PoolPlan.FALLBACK_MODEL);
    router.join();
    int port = LocalPort.settle(0, "the gateway");
    startGateway(port);
    url = url(port);
    openai = client(url);
  }

  private void startWorker(String id, String model) throws IOException {
    SimulatedEngine engine =
        SimulatedEngine.start(SimulatorConfig.of(GpuProfile.RTX4090).withModels(List.of(model)));
    engines.add(engine);
    processes.worker(id, 0, engine.uri());
  }

  private ServiceProcess startGateway(int port) {
    return processes.gateway(port, "--files", "folder:" + files);
  }

  private static String url(int port) {
    return "http://127.0.0.1:" + port + "/v1";
  }

  private static OpenAIClient client(String url) {
    return OpenAIOkHttpClient.builder().baseUrl(url).apiKey("none").maxRetries(0).build();
  }

  @AfterAll
  void stop() {
    processes.close();
    engines.forEach(SimulatedEngine::close);
    openai.close();
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

  @Test
  void anotherGatewayEndsWhatAKilledOneHasBegun() throws Exception {
    // Given a gateway with a batch and a client that reads a response
    int port = LocalPort.settle(0, "the gateway");
    ServiceProcess dying = startGateway(port);
    List<ResponseStreamEvent> events = new ArrayList<>();
    ResponseStreamEvent last;
    OpenAIClient itsClient = client(url(port));
    Batch batch = itsClient.batches().create(batchOf(upload(itsClient)));
    try (StreamResponse<ResponseStreamEvent> stream =
        itsClient.responses().createStreaming(story())) {
      last =
          stream.stream()
              .peek(events::add)
              .filter(ResponseStreamEvent::isOutputTextDelta)
              .skip(10)
              .findFirst()
              .orElseThrow();

      // When
      dying.kill();
    }
    itsClient.close();
    String id = events.getFirst().asCreated().response().id();
    try (StreamResponse<ResponseStreamEvent> rest =
        openai
            .responses()
            .retrieveStreaming(
                id,
                ResponseRetrieveParams.builder()
                    .startingAfter(last.asOutputTextDelta().sequenceNumber())
                    .build())) {
      rest.stream().forEach(events::add);
    }

    // Then
    ResponseAccumulator accumulator = ResponseAccumulator.create();
    events.forEach(accumulator::accumulate);
    assertThat(accumulator.response()).isEqualTo(openai.responses().retrieve(id));
    Batch ended =
        await()
            .atMost(PATIENCE)
            .until(
                () -> openai.batches().retrieve(batch.id()), its -> its.completedAt().isPresent());
    assertThat(ended.requestCounts().orElseThrow().completed()).isEqualTo(LINES);
    try (HttpResponse results = openai.files().content(ended.outputFileId().orElseThrow())) {
      assertThat(new String(results.body().readAllBytes(), StandardCharsets.UTF_8).lines())
          .hasSize(LINES);
    }
  }

  private static ResponseCreateParams story() {
    return ResponseCreateParams.builder()
        .model(PoolPlan.MODEL)
        .input("Tell me a story.")
        .background(true)
        .maxOutputTokens(400)
        .build();
  }

  private static String upload(OpenAIClient client) {
    String lines =
        IntStream.range(0, LINES)
            .mapToObj(
                i ->
                    """
                    {"custom_id":"%d","method":"POST","url":"/v1/chat/completions","body":\
                    {"model":"%s","max_tokens":40,"messages":[{"role":"user","content":"%1$d"}]}}
                    """
                        .formatted(i, PoolPlan.MODEL))
            .collect(joining());
    MultipartField<InputStream> file =
        MultipartField.<InputStream>builder()
            .value(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)))
            .filename("lines.jsonl")
            .build();
    return client
        .files()
        .create(FileCreateParams.builder().purpose(FilePurpose.BATCH).file(file).build())
        .id();
  }

  private static BatchCreateParams batchOf(String file) {
    return BatchCreateParams.builder()
        .inputFileId(file)
        .endpoint(BatchCreateParams.Endpoint.V1_CHAT_COMPLETIONS)
        .completionWindow(BatchCreateParams.CompletionWindow._24H)
        .build();
  }

  private static ChatCompletionCreateParams.Builder chat() {
    return ChatCompletionCreateParams.builder()
        .model(PoolPlan.MODEL)
        .addUserMessage("Why is the sky blue?")
        .maxCompletionTokens(12)
        .temperature(0.0);
  }
}
