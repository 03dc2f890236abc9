package io.sluice.simulator.http;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The switches of a vLLM server, each named after its flag there.
 *
 * @param apiKeys {@code --api-key}: keys of which one is needed under /v1, /v2 and /inference
 * @param requestIdHeaders {@code --enable-request-id-headers}: answers carry {@code X-Request-Id}
 * @param maxQueuedRequests {@code --max-num-queued-reqs}: unfinished requests above which new ones
 *     get 503
 * @param maxQueuedTokens {@code --max-num-queued-tokens}: prompt tokens not past prefill at which
 *     new requests get 503
 * @param sseKeepAlive {@code --sse-keep-alive-interval}: silence after which a stream gets a
 *     comment
 * @param promptTokensDetails {@code --enable-prompt-tokens-details}: usage tells cached tokens
 * @param forceIncludeUsage {@code --enable-force-include-usage}: every stream ends with usage
 * @param loadTracking {@code --enable-server-load-tracking}: /load counts
 * @param autoToolChoice {@code --enable-auto-tool-choice}: the model may call tools by itself
 * @param maxLogprobs {@code --max-logprobs}
 * @param devMode {@code VLLM_SERVER_DEV_MODE=1}: /sleep, /pause, /reset_prefix_cache and the like
 * @param loras {@code --lora-modules}: adapter names and their paths
 * @param runtimeLora {@code VLLM_ALLOW_RUNTIME_LORA_UPDATING=1}: adapters come and go at run time
 * @param shutdownTimeout {@code --shutdown-timeout}: how long running requests may finish
 * @param keepAliveOnEngineDeath {@code VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1}: goes on answering 500
 * @param engineDeathPoll how long after the engine's death the server goes too (5 s in vLLM)
 * @param idleTimeout how long an idle connection stays open (5 s in vLLM)
 * @param maxBodyBytes larger bodies get 413; vLLM itself has no limit
 */
public record ServerOptions(
    Set<String> apiKeys,
    boolean requestIdHeaders,
    OptionalInt maxQueuedRequests,
    OptionalLong maxQueuedTokens,
    Optional<Duration> sseKeepAlive,
    boolean promptTokensDetails,
    boolean forceIncludeUsage,
    boolean loadTracking,
    boolean autoToolChoice,
    int maxLogprobs,
    boolean devMode,
    Map<String, String> loras,
    boolean runtimeLora,
    Duration shutdownTimeout,
    boolean keepAliveOnEngineDeath,
    Duration engineDeathPoll,
    Duration idleTimeout,
    int maxBodyBytes) {

  /** Copies the collections. */
  public ServerOptions {
    apiKeys = Set.copyOf(apiKeys);
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

  /** The options, open to change. */
  public static final class Draft {
    /** See {@link ServerOptions#apiKeys}. */
    public List<String> apiKeys = List.of();

    /** See {@link ServerOptions#requestIdHeaders}. */
    public boolean requestIdHeaders;

    /** See {@link ServerOptions#maxQueuedRequests}. */
    public OptionalInt maxQueuedRequests = OptionalInt.empty();

    /** See {@link ServerOptions#maxQueuedTokens}. */
    public OptionalLong maxQueuedTokens = OptionalLong.empty();

    /** See {@link ServerOptions#sseKeepAlive}. */
    public Optional<Duration> sseKeepAlive = Optional.empty();

    /** See {@link ServerOptions#promptTokensDetails}. */
    public boolean promptTokensDetails;

    /** See {@link ServerOptions#forceIncludeUsage}. */
    public boolean forceIncludeUsage;

    /** See {@link ServerOptions#loadTracking}. */
    public boolean loadTracking;

    /** See {@link ServerOptions#autoToolChoice}. */
    public boolean autoToolChoice;

    /** See {@link ServerOptions#maxLogprobs}. */
    public int maxLogprobs = 20;

    /** See {@link ServerOptions#devMode}. */
    public boolean devMode;

    /** See {@link ServerOptions#loras}. */
    public Map<String, String> loras = Map.of();

    /** See {@link ServerOptions#runtimeLora}. */
    public boolean runtimeLora;

    /** See {@link ServerOptions#shutdownTimeout}. */
    public Duration shutdownTimeout = Duration.ZERO;

    /** See {@link ServerOptions#keepAliveOnEngineDeath}. */
    public boolean keepAliveOnEngineDeath;

    /** See {@link ServerOptions#engineDeathPoll}. */
    public Duration engineDeathPoll = Duration.ofSeconds(5);

    /** See {@link ServerOptions#idleTimeout}. */
    public Duration idleTimeout = Duration.ofSeconds(5);

    /** See {@link ServerOptions#maxBodyBytes}. */
    public int maxBodyBytes = 16 * 1024 * 1024;

    private Draft() {}

    private ServerOptions build() {
      return new ServerOptions(
          Set.copyOf(apiKeys),
          requestIdHeaders,
          maxQueuedRequests,
          maxQueuedTokens,
          sseKeepAlive,
          promptTokensDetails,
          forceIncludeUsage,
          loadTracking,
          autoToolChoice,
          maxLogprobs,
          devMode,
          loras,
          runtimeLora,
          shutdownTimeout,
          keepAliveOnEngineDeath,
          engineDeathPoll,
          idleTimeout,
          maxBodyBytes);
    }
  }
}
