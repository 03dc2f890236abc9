package io.sluice.simulator;

import io.sluice.simulator.endpoint.ApiOptions;
import io.sluice.simulator.http.HttpOptions;
import io.sluice.simulator.openai.request.FormatOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The switches of a vLLM server.
 *
 * @param http those of the HTTP server
 * @param api those of the endpoints
 * @param format those of requests and answers
 * @param loras adapter names and their paths
 * @param shutdown those of the server's end
 */
public record ServerOptions(
    HttpOptions http,
    ApiOptions api,
    FormatOptions format,
    Map<String, String> loras,
    Shutdown shutdown) {

  /**
   * How a server ends.
   *
   * @param timeout how long running requests may finish
   * @param keepAliveOnEngineDeath whether it goes on answering 500 after its engine died
   * @param engineDeathPoll how long after the engine's death the server goes too
   */
  public record Shutdown(
      Duration timeout, boolean keepAliveOnEngineDeath, Duration engineDeathPoll) {}

  /** Copies the adapters. */
  public ServerOptions {
    loras = Map.copyOf(loras);
  }

  /** What {@code vllm serve} does without flags. */
  public static ServerOptions defaults() {
    return with(options -> {});
  }

  /** Returns the defaults with some changes. */
  public static ServerOptions with(Consumer<Draft> changes) {
    Draft draft = new Draft();
    changes.accept(draft);
    return draft.build();
  }

  /** The options, open to change, each named after its flag in vLLM. */
  public static final class Draft {
    /** {@code --api-key}: keys of which one is needed under /v1, /v2 and /inference. */
    public List<String> apiKeys = List.of();

    /** {@code --enable-request-id-headers}: answers carry {@code X-Request-Id}. */
    public boolean requestIdHeaders;

    /** {@code --max-num-queued-reqs}: unfinished requests above which new ones get 503. */
    public OptionalInt maxQueuedRequests = OptionalInt.empty();

    /**
     * {@code --max-num-queued-tokens}: prompt tokens not past prefill at which new requests get
     * 503.
     */
    public OptionalLong maxQueuedTokens = OptionalLong.empty();

    /** {@code --sse-keep-alive-interval}: silence after which a stream gets a comment. */
    public Optional<Duration> sseKeepAlive = Optional.empty();

    /** {@code --enable-prompt-tokens-details}: usage tells cached tokens. */
    public boolean promptTokensDetails;

    /** {@code --enable-force-include-usage}: every stream ends with usage. */
    public boolean forceIncludeUsage;

    /** {@code --enable-server-load-tracking}: /load counts. */
    public boolean loadTracking;

    /** {@code --enable-auto-tool-choice}: the model may call tools by itself. */
    public boolean autoToolChoice;

    /** {@code --max-logprobs}: the most alternatives per token. */
    public int maxLogprobs = 20;

    /** See {@link FormatOptions#defaultMaxTokens}. */
    public OptionalInt defaultMaxTokens = OptionalInt.empty();

    /** {@code VLLM_SERVER_DEV_MODE=1}: /sleep, /pause, /reset_prefix_cache and the like. */
    public boolean devMode;

    /** {@code --lora-modules}: adapter names and their paths. */
    public Map<String, String> loras = Map.of();

    /** {@code VLLM_ALLOW_RUNTIME_LORA_UPDATING=1}: adapters come and go at run time. */
    public boolean runtimeLora;

    /** {@code --shutdown-timeout}: how long running requests may finish. */
    public Duration shutdownTimeout = Duration.ZERO;

    /** {@code VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1}: goes on answering 500. */
    public boolean keepAliveOnEngineDeath;

    /** How long after the engine's death the server goes too (5 s in vLLM). */
    public Duration engineDeathPoll = Duration.ofSeconds(5);

    /** How long an idle connection stays open (5 s in vLLM). */
    public Duration idleTimeout = Duration.ofSeconds(5);

    /** Larger bodies get 413; vLLM itself has no limit. */
    public int maxBodyBytes = 16 * 1024 * 1024;

    private Draft() {}

    private ServerOptions build() {
      return new ServerOptions(
          new HttpOptions(requestIdHeaders, idleTimeout, maxBodyBytes),
          new ApiOptions(
              Set.copyOf(apiKeys),
              maxQueuedRequests,
              maxQueuedTokens,
              sseKeepAlive,
              loadTracking,
              devMode,
              runtimeLora),
          new FormatOptions(
              promptTokensDetails,
              forceIncludeUsage,
              autoToolChoice,
              maxLogprobs,
              defaultMaxTokens),
          loras,
          new Shutdown(shutdownTimeout, keepAliveOnEngineDeath, engineDeathPoll));
    }
  }
}
