package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.helpers.ResponseAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.responses.Response;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import io.sluice.standalone.backend.Backends;
import io.sluice.standalone.backend.SharedBackends;
import io.sluice.worker.app.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** OpenAI's client retries as it does by default, and no answer is generated twice. */
@ExtendWith(SharedBackends.class)
class GatewayRetriesIT {
  private static final int REQUESTS = 60;
  private static final int AT_ONCE = 12;
  private static final int TOKENS = 20;
  private static final Duration GIVE_UP = Duration.ofSeconds(8);
  private static final Duration BOUND = Duration.ofSeconds(30);

  /** Asks a question; returns the number of tokens of the answer. */
  @FunctionalInterface
  private interface Way {
    long ask(OpenAIClient openai, String question);
  }

  @Test
  void retriesAfterErrorsAndTimeoutsGenerateNoTokenTwice(Backends backends) throws Exception {
    try (LocalPool pool = Pools.start(backends, 3);
        LossyProxy proxy = new LossyProxy(pool.gatewayPort())) {
      // Given
      OpenAIClient openai = client(proxy.url());
      OpenAIClient direct = client("http://127.0.0.1:" + pool.gatewayPort() + "/v1");

      // When
      List<Long> tokens = all(openai, direct);

      // Then
      openai.close();
      direct.close();
      assertThat(proxy.faults()).isGreaterThan(REQUESTS / 5);
      assertThat(tokens).hasSize(REQUESTS).allMatch(made -> made > 0 && made <= TOKENS);
      // A client that leaves a response that has begun asks again.
      double most = REQUESTS + (double) proxy.cutOff();
      double needed = tokens.stream().mapToLong(Long::longValue).sum();
      await()
          .atMost(BOUND)
          .untilAsserted(() -> assertThat(generated(pool)).isGreaterThanOrEqualTo(needed));
      assertThat(ofRouter(pool, "sluice_router_requests_total")).isBetween((double) REQUESTS, most);
      // A worker that a busy machine froze has made tokens that nobody has; another makes them
      // again.
      double again = TOKENS * (proxy.cutOff() + ofRouter(pool, "sluice_router_requeues_total"));
      assertThat(generated(pool) - again).isLessThanOrEqualTo(1.01 * needed);
    }
  }

  private static OpenAIClient client(String url) {
    return OpenAIOkHttpClient.builder().baseUrl(url).apiKey("none").timeout(GIVE_UP).build();
  }

  /** Asks all questions, in each way in turn; returns the number of tokens of each answer. */
  private static List<Long> all(OpenAIClient openai, OpenAIClient direct) throws Exception {
    List<Way> ways =
        List.of(
            GatewayRetriesIT::wholeChat,
            GatewayRetriesIT::streamedChat,
            GatewayRetriesIT::wholeResponse,
            GatewayRetriesIT::streamedResponse,
            (client, question) -> backgroundResponse(client, direct, question));
    try (ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE)) {
      List<Future<Long>> asked =
          IntStream.range(0, REQUESTS)
              .mapToObj(
                  number ->
                      callers.submit(
                          () -> ways.get(number % ways.size()).ask(openai, "Question " + number)))
              .toList();
      return asked.stream().map(GatewayRetriesIT::result).toList();
    }
  }

  private static long result(Future<Long> asked) {
    try {
      return asked.get();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static ChatCompletionCreateParams.Builder chat(String question) {
    return ChatCompletionCreateParams.builder()
        .model(PoolPlan.MODEL)
        .addUserMessage(question)
        .maxTokens(TOKENS)
        .putAdditionalBodyProperty("ignore_eos", JsonValue.from(true));
  }

  private static long wholeChat(OpenAIClient openai, String question) {
    ChatCompletion answer = openai.chat().completions().create(chat(question).build());
    return tokens(answer);
  }

  private static long streamedChat(OpenAIClient openai, String question) {
    ChatCompletionStreamOptions options =
        ChatCompletionStreamOptions.builder().includeUsage(true).build();
    ChatCompletionAccumulator answer = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> stream =
        openai
            .chat()
            .completions()
            .createStreaming(chat(question).streamOptions(options).build())) {
      stream.stream().forEach(answer::accumulate);
    }
    return tokens(answer.chatCompletion());
  }

  private static ResponseCreateParams.Builder response(String question) {
    return ResponseCreateParams.builder()
        .model(PoolPlan.MODEL)
        .input(question)
        .maxOutputTokens(TOKENS);
  }

  private static long wholeResponse(OpenAIClient openai, String question) {
    return tokens(openai.responses().create(response(question).build()));
  }

  private static long streamedResponse(OpenAIClient openai, String question) {
    ResponseAccumulator answer = ResponseAccumulator.create();
    try (StreamResponse<ResponseStreamEvent> stream =
        openai.responses().createStreaming(response(question).build())) {
      stream.stream().forEach(answer::accumulate);
    }
    return tokens(answer.response());
  }

  /** Creates a response, and asks for it past the proxy, which would cut off this client too. */
  private static long backgroundResponse(
      OpenAIClient openai, OpenAIClient direct, String question) {
    Response created = openai.responses().create(response(question).background(true).build());
    return tokens(
        await()
            .atMost(BOUND)
            .until(
                () -> direct.responses().retrieve(created.id()),
                response -> response.usage().isPresent()));
  }

  /**
   * A chat has all its tokens, because it ignores the end of its text; a response may have fewer.
   */
  private static long tokens(ChatCompletion answer) {
    long made = answer.usage().orElseThrow().completionTokens();
    assertThat(made).isEqualTo(TOKENS);
    return made;
  }

  private static long tokens(Response response) {
    return response.usage().orElseThrow().outputTokens();
  }

  private static double generated(LocalPool pool) {
    return pool.workers().stream().mapToDouble(GatewayRetriesIT::tokens).sum();
  }

  private static double ofRouter(LocalPool pool, String meter) throws InterruptedException {
    return new ServiceMetrics(pool.routerPort()).sum(meter).orElse(0);
  }

  private static double tokens(Worker worker) {
    try {
      return new ServiceMetrics(worker.httpPort()).sum("sluice_worker_tokens_total").orElse(0);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }
}
