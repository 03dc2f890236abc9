package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
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

  @Test
  void retriesAfterErrorsAndTimeoutsGenerateNoTokenTwice(Backends backends) throws Exception {
    try (LocalPool pool = Pools.start(backends, 3);
        LossyProxy proxy = new LossyProxy(pool.gatewayPort())) {
      // Given
      OpenAIClient openai =
          OpenAIOkHttpClient.builder().baseUrl(proxy.url()).apiKey("none").timeout(GIVE_UP).build();

      // When
      List<Long> tokens = all(openai);

      // Then
      openai.close();
      assertThat(proxy.faults()).isGreaterThan(REQUESTS / 5);
      assertThat(tokens).hasSize(REQUESTS).containsOnly((long) TOKENS);
      // A client that leaves a response that has begun asks again.
      double most = REQUESTS + (double) proxy.cutOff();
      double needed = (double) REQUESTS * TOKENS;
      await()
          .atMost(BOUND)
          .untilAsserted(() -> assertThat(generated(pool)).isGreaterThanOrEqualTo(needed));
      assertThat(ofRouter(pool, "sluice_router_requests_total")).isBetween((double) REQUESTS, most);
      // A worker that a busy machine froze has made tokens that nobody has; another makes them
      // again.
      double again = TOKENS * ofRouter(pool, "sluice_router_requeues_total");
      assertThat(generated(pool) - again).isLessThanOrEqualTo(1.01 * most * TOKENS);
    }
  }

  /** Asks all questions, half of them for a stream; returns the number of tokens of each answer. */
  private static List<Long> all(OpenAIClient openai) throws Exception {
    try (ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE)) {
      List<Future<Long>> asked =
          IntStream.range(0, REQUESTS)
              .mapToObj(
                  number ->
                      callers.submit(
                          () ->
                              number % 2 == 0
                                  ? whole(openai, params(number))
                                  : streamed(openai, params(number))))
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

  private static ChatCompletionCreateParams.Builder params(int number) {
    return ChatCompletionCreateParams.builder()
        .model(PoolPlan.MODEL)
        .addUserMessage("Question " + number)
        .maxTokens(TOKENS)
        .putAdditionalBodyProperty("ignore_eos", JsonValue.from(true));
  }

  private static long whole(OpenAIClient openai, ChatCompletionCreateParams.Builder params) {
    ChatCompletion answer = openai.chat().completions().create(params.build());
    return answer.usage().orElseThrow().completionTokens();
  }

  private static long streamed(OpenAIClient openai, ChatCompletionCreateParams.Builder params) {
    params.streamOptions(ChatCompletionStreamOptions.builder().includeUsage(true).build());
    ChatCompletionAccumulator answer = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> stream =
        openai.chat().completions().createStreaming(params.build())) {
      stream.stream().forEach(answer::accumulate);
    }
    return answer.chatCompletion().usage().orElseThrow().completionTokens();
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
