package io.sluice.simulator.command;

import io.sluice.config.Setting;
import io.sluice.simulator.ServerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The settings of the HTTP server, named as in vLLM. */
public record ServerSettings(
    @Setting(
            key = "api-key",
            otherwise = "open access",
            unit = "keys",
            secret = true,
            meaning =
                "The accepted API keys; one is required under `/v1`, `/v2` and `/inference`. Also"
                    + " `VLLM_API_KEY`.")
        List<String> apiKeys,
    @Setting(meaning = "Add `X-Request-Id` to answers.") boolean enableRequestIdHeaders,
    @Setting(
            otherwise = "no limit",
            unit = "requests",
            min = 0,
            meaning =
                "The number of unfinished requests above which new ones get 503; a request with `n`"
                    + " counts `n` times.")
        OptionalInt maxNumQueuedReqs,
    @Setting(
            otherwise = "no limit",
            unit = "tokens",
            meaning =
                "The number of prompt tokens not past prefill at which new requests get 503, such as"
                    + " `32000` or `32k`.")
        Optional<TokenCount> maxNumQueuedTokens,
    @Setting(
            otherwise = "no comments",
            unit = "s",
            min = 0,
            meaning = "The silence after which a stream gets the comment `: keep-alive`.")
        Optional<Duration> sseKeepAliveInterval,
    @Setting(meaning = "Report in `usage` how many prompt tokens came from the cache.")
        boolean enablePromptTokensDetails,
    @Setting(meaning = "End every stream with a usage frame.") boolean enableForceIncludeUsage,
    @Setting(meaning = "Report the number of in-flight requests at `/load` instead of 0.")
        boolean enableServerLoadTracking,
    @Setting(
            meaning =
                "Allow tools without a `tool_choice`: the model calls the tool that the user's last"
                    + " message names.")
        boolean enableAutoToolChoice,
    @Setting(
            defaultValue = "20",
            unit = "alternatives",
            min = 0,
            meaning = "The largest number of alternatives per token.")
        int maxLogprobs,
    @Setting(
            otherwise = "what the context leaves",
            unit = "tokens",
            min = 1,
            meaning =
                "Output tokens of chats that name no limit, as the `max_new_tokens` of a model's"
                    + " `generation_config.json`.")
        OptionalInt defaultMaxTokens,
    @Setting(
            meaning =
                "Add `/sleep`, `/wake_up`, `/is_sleeping`, `/pause`, `/resume`, `/is_paused` and"
                    + " `/reset_prefix_cache`. Also `VLLM_SERVER_DEV_MODE=1`.")
        boolean devMode,
    @Setting(unit = "name=path,...", meaning = "The LoRA adapters.") List<Adapter> loraModules,
    @Setting(
            meaning =
                "Add `/v1/load_lora_adapter` and `/v1/unload_lora_adapter`. Also"
                    + " `VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`.")
        boolean allowRuntimeLoraUpdating,
    @Setting(
            defaultValue = "0",
            unit = "s",
            min = 0,
            meaning =
                "The time in which running requests may finish after SIGTERM; new ones end with"
                    + " `abort`.")
        Duration shutdownTimeout,
    @Setting(
            meaning =
                "Keep answering 500 after the engine has died. Otherwise the server ends 5 s later,"
                    + " or 0.2 s after the first request that it fails. Also"
                    + " `VLLM_KEEP_ALIVE_ON_ENGINE_DEATH=1`.")
        boolean keepAliveOnEngineDeath) {

  /** A number of tokens. */
  public record TokenCount(long tokens) {

    /**
     * Parses a number of tokens. As in vLLM, 32k and 1m are decimal multiples, and 32K and 1M
     * binary ones.
     */
    public static TokenCount parse(String text) {
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
        return new TokenCount(Long.parseLong(digits) * unit);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("use a number such as 32000 or 32k", e);
      }
    }
  }

  /** A LoRA adapter. */
  public record Adapter(String name, String path) {

    /** Parses {@code name=path}. */
    public static Adapter parse(String text) {
      int equals = text.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("use name=path");
      }
      return new Adapter(text.substring(0, equals), text.substring(equals + 1));
    }
  }

  public ServerSettings {
    apiKeys = List.copyOf(apiKeys);
    loraModules = List.copyOf(loraModules);
  }

  /** Returns the options, including those that vLLM takes from its environment. */
  ServerOptions options(Map<String, String> environment) {
    List<String> keys = new ArrayList<>(apiKeys);
    if (environment.containsKey("VLLM_API_KEY")) {
      keys.add(String.valueOf(environment.get("VLLM_API_KEY")));
    }
    Map<String, String> loras = new LinkedHashMap<>();
    loraModules.forEach(adapter -> loras.put(adapter.name(), adapter.path()));
    return ServerOptions.with(
        draft -> {
          draft.apiKeys = keys;
          draft.requestIdHeaders = enableRequestIdHeaders;
          draft.maxQueuedRequests = maxNumQueuedReqs;
          draft.maxQueuedTokens =
              maxNumQueuedTokens.stream().mapToLong(TokenCount::tokens).findFirst();
          draft.sseKeepAlive = sseKeepAliveInterval;
          draft.promptTokensDetails = enablePromptTokensDetails;
          draft.forceIncludeUsage = enableForceIncludeUsage;
          draft.loadTracking = enableServerLoadTracking;
          draft.autoToolChoice = enableAutoToolChoice;
          draft.maxLogprobs = maxLogprobs;
          draft.defaultMaxTokens = defaultMaxTokens;
          draft.devMode = devMode || isOn(environment, "VLLM_SERVER_DEV_MODE");
          draft.loras = loras;
          draft.runtimeLora =
              allowRuntimeLoraUpdating || isOn(environment, "VLLM_ALLOW_RUNTIME_LORA_UPDATING");
          draft.shutdownTimeout = shutdownTimeout;
          draft.keepAliveOnEngineDeath =
              keepAliveOnEngineDeath || isOn(environment, "VLLM_KEEP_ALIVE_ON_ENGINE_DEATH");
        });
  }

  private static boolean isOn(Map<String, String> environment, String variable) {
    return List.of("1", "true").contains(environment.getOrDefault(variable, ""));
  }
}
