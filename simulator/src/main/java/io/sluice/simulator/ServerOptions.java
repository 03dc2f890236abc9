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
 * The options of a vLLM server.
 *
 * @param http the options of the HTTP server
 * @param api the options of the endpoints
 * @param format the options for requests and answers
 * @param loras the LoRA adapters: paths by name
 * @param shutdown the options for the end of the server
 */
public record ServerOptions(
    HttpOptions http,
    ApiOptions api,
    FormatOptions format,
    Map<String, String> loras,
    Shutdown shutdown) {

  /**
   * The options for the end of the server.
   *
   * @param timeout how long running requests may take to finish
   * @param keepAliveOnEngineDeath whether the server keeps answering 500 after its engine has died
   * @param engineDeathPoll how long after the engine's death the server ends
   */
  public record Shutdown(
      Duration timeout, boolean keepAliveOnEngineDeath, Duration engineDeathPoll) {}

  /** Copies the adapters. */
  public ServerOptions {
    loras = Map.copyOf(loras);
  }

  /** Returns the defaults of {@code vllm serve}. */
  public static ServerOptions defaults() {
    return with(options -> {});
  }

  /** Returns the defaults with some changes. */
  public static ServerOptions with(Consumer<Draft> changes) {
    Draft draft = new Draft();
    changes.accept(draft);
    return draft.build();
  }

  /** The options in mutable form. Each one is named after its flag in vLLM. */
  public static final class Draft {
    /** {@code --api-key}: the accepted keys; one is required under /v1, /v2 and /inference. */
    public List<String> apiKeys = List.of();

    /** {@code --enable-request-id-headers}: whether answers carry {@code X-Request-Id}. */
    public boolean requestIdHeaders;

    /**
     * {@code --max-num-queued-reqs}: the number of unfinished requests above which new ones get
     * 503.
     */
    public OptionalInt maxQueuedRequests = OptionalInt.empty();

    /**
     * {@code --max-num-queued-tokens}: the number of prompt tokens not past prefill at which new
     * requests get 503.
     */
    public OptionalLong maxQueuedTokens = OptionalLong.empty();

    /** {@code --sse-keep-alive-interval}: the silence after which a stream gets a comment. */
    public Optional<Duration> sseKeepAlive = Optional.empty();

    /** {@code --enable-prompt-tokens-details}: whether usage reports cached tokens. */
    public boolean promptTokensDetails;

    /** {@code --enable-force-include-usage}: whether every stream ends with usage. */
    public boolean forceIncludeUsage;

    /** {@code --enable-server-load-tracking}: whether /load counts requests. */
    public boolean loadTracking;

    /** {@code --enable-auto-tool-choice}: whether the model may call tools on its own. */
    public boolean autoToolChoice;

    /** {@code --max-logprobs}: the largest number of alternatives for each token. */
    public int maxLogprobs = 20;

    /** See {@link FormatOptions#defaultMaxTokens}. */
    public OptionalInt defaultMaxTokens = OptionalInt.empty();

    /** {@code VLLM_SERVER_DEV_MODE=1}: /sleep, /pause, /reset_prefix_cache and the like. */
    public boolean devMode;

    /** {@code --lora-modules}: the LoRA adapters, paths by name. */
    public Map<String, String> loras = Map.of();

    /**
     * {@code VLLM_ALLOW_RUNTIME_LORA_UPDATING=1}: adapters can be loaded and unloaded at run time.
     */
    public boolean runtimeLora;

    /** {@code --shutdown-timeout}: how long running requests may take to finish. */
    public Duration shutdownTimeout = Duration.ZERO;

    /** {@code VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1}: the server keeps answering 500. */
    public boolean keepAliveOnEngineDeath;

    /** How long after the engine's death the server ends (5 s in vLLM). */
    public Duration engineDeathPoll = Duration.ofSeconds(5);

    /** How long an idle connection stays open (5 s in vLLM). */
    public Duration idleTimeout = Duration.ofSeconds(5);

    /** The largest accepted body; larger ones get 413. vLLM has no limit. */
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
