package io.sluice.simulator.command;

import io.sluice.simulator.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the HTTP server, named as in vLLM. */
final class ServerFlags {

  @Option(
      names = "--api-key",
      split = ",",
      description =
          "The accepted API keys; one is required under /v1, /v2 and /inference (also VLLM_API_KEY) (default: open access).")
  private List<String> apiKeys = new ArrayList<>();

  @Option(names = "--enable-request-id-headers", description = "Add X-Request-Id to answers.")
  private boolean requestIdHeaders;

  @Option(
      names = "--max-num-queued-reqs",
      description =
          "The number of unfinished requests above which new ones get 503 (default: no limit).")
  private @Nullable Integer maxQueuedRequests;

  @Option(
      names = "--max-num-queued-tokens",
      description =
          "The number of prompt tokens not past prefill at which new requests get 503, such as 32000 or 32k (default: no limit).")
  private @Nullable String maxQueuedTokens;

  @Option(
      names = "--sse-keep-alive-interval",
      description =
          "The seconds of silence after which a stream gets a comment (default: no comments).")
  private @Nullable Double sseKeepAliveSeconds;

  @Option(
      names = "--enable-prompt-tokens-details",
      description = "Report in usage how many prompt tokens came from the cache.")
  private boolean promptTokensDetails;

  @Option(
      names = "--enable-force-include-usage",
      description = "End every stream with a usage frame.")
  private boolean forceIncludeUsage;

  @Option(
      names = "--enable-server-load-tracking",
      description = "Report the number of in-flight requests at /load instead of 0.")
  private boolean loadTracking;

  @Option(
      names = "--enable-auto-tool-choice",
      description = "Allow the model to call a tool that the user's last message names.")
  private boolean autoToolChoice;

  @Option(
      names = "--max-logprobs",
      description = "The largest number of alternatives per token (default: 20).")
  private int maxLogprobs = 20;

  @Option(
      names = "--default-max-tokens",
      description =
          "Output tokens of chats that name no limit, as the max_new_tokens of a model's generation_config.json (default what the context leaves).")
  private @Nullable Integer defaultMaxTokens;

  @Option(
      names = "--dev-mode",
      description =
          "Add /sleep, /wake_up, /pause, /resume and /reset_prefix_cache (also VLLM_SERVER_DEV_MODE=1).")
  private boolean devMode;

  @Option(
      names = "--lora-modules",
      split = ",",
      description = "The LoRA adapters as name=path (default: none).")
  private Map<String, String> loras = new LinkedHashMap<>();

  @Option(
      names = "--allow-runtime-lora-updating",
      description =
          "Add /v1/load_lora_adapter and /v1/unload_lora_adapter (also VLLM_ALLOW_RUNTIME_LORA_UPDATING=1).")
  private boolean runtimeLora;

  @Option(
      names = "--shutdown-timeout",
      description = "The seconds in which running requests may finish after SIGTERM (default: 0).")
  private double shutdownTimeoutSeconds;

  @Option(
      names = "--keep-alive-on-engine-death",
      description =
          "Keep answering 500 after the engine has died (also VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1).")
  private boolean keepAliveOnEngineDeath;

  /** Returns the options, including those that vLLM takes from its environment. */
  ServerOptions options(Map<String, String> environment) {
    List<String> keys = new ArrayList<>(apiKeys);
    if (environment.containsKey("VLLM_API_KEY")) {
      keys.add(String.valueOf(environment.get("VLLM_API_KEY")));
    }
    return ServerOptions.with(
        draft -> {
          draft.apiKeys = keys;
          draft.requestIdHeaders = requestIdHeaders;
          if (maxQueuedRequests != null) {
            draft.maxQueuedRequests = OptionalInt.of(maxQueuedRequests);
          }
          if (maxQueuedTokens != null) {
            draft.maxQueuedTokens = OptionalLong.of(tokens(maxQueuedTokens));
          }
          if (sseKeepAliveSeconds != null) {
            draft.sseKeepAlive = Optional.of(seconds(sseKeepAliveSeconds));
          }
          draft.promptTokensDetails = promptTokensDetails;
          draft.forceIncludeUsage = forceIncludeUsage;
          draft.loadTracking = loadTracking;
          draft.autoToolChoice = autoToolChoice;
          draft.maxLogprobs = maxLogprobs;
          if (defaultMaxTokens != null) {
            draft.defaultMaxTokens = OptionalInt.of(defaultMaxTokens);
          }
          draft.devMode = devMode || isOn(environment, "VLLM_SERVER_DEV_MODE");
          draft.loras = loras;
          draft.runtimeLora = runtimeLora || isOn(environment, "VLLM_ALLOW_RUNTIME_LORA_UPDATING");
          draft.shutdownTimeout = seconds(shutdownTimeoutSeconds);
          draft.keepAliveOnEngineDeath =
              keepAliveOnEngineDeath || isOn(environment, "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH");
        });
  }

  private static boolean isOn(Map<String, String> environment, String variable) {
    return List.of("1", "true").contains(environment.getOrDefault(variable, ""));
  }

  static Duration seconds(double seconds) {
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  /**
   * Parses a number of tokens. As in vLLM, 32k and 1m are decimal multiples, and 32K and 1M binary
   * ones.
   */
  private static long tokens(String text) {
    String digits = text.replaceFirst("[kKmM]$", "");
    long unit =
        switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
          case 'k' -> 1_000;
          case 'K' -> 1_024;
          case 'm' -> 1_000_000;
          case 'M' -> 1_048_576;
          default -> 1;
        };
    try {
      return Long.parseLong(digits) * unit;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "max-num-queued-tokens must be a number such as 32000 or 32k, got '" + text + "'.");
    }
  }
}
