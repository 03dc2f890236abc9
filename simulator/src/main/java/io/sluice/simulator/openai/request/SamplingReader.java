package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.simulator.engine.CacheScope;
import io.sluice.simulator.engine.RepetitionRule;
import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.TokenIds;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

/** Reads and validates the sampling fields that chat and completion requests share. */
final class SamplingReader {

  private static final int MOST_SALT_CHARS = 128;
  private static final int MOST_STOPS = 4;
  private static final double HIGHEST_TEMPERATURE = 2;

  private SamplingReader() {}

  /**
   * Reads the parameters.
   *
   * @param maxTokens the output limit, which was already validated
   * @param priority the priority from the header, if present
   * @param lora the adapter; empty for the base model
   */
  static SamplingParams read(
      Fields body, OptionalInt maxTokens, OptionalInt priority, String lora) {
    boolean beam = body.flag("use_beam_search", false);
    checkRanges(body);
    int n = body.integer("n").orElse(1);
    if (n < 1) {
      throw ApiError.badRequest("n must be at least 1, got " + n + ".");
    }
    // With beam search, n is the number of best beams and not of random draws.
    if (n > 1 && body.number("temperature", 1) == 0 && !beam) {
      throw ApiError.badRequest("n must be 1 when using greedy sampling, got " + n + ".");
    }
    List<String> stops = body.textOrTexts("stop", MOST_STOPS);
    if (stops.contains("")) {
      throw ApiError.badRequest("stop cannot contain an empty string.");
    }
    Set<Integer> stopTokens = new HashSet<>();
    TokenIds ids = body.tokenIds("stop_token_ids");
    TokenRulesReader.checkStops(ids);
    for (int i = 0; i < ids.size(); i++) {
      stopTokens.add(ids.get(i));
    }
    return new SamplingParams(
            n,
            maxTokens,
            minTokens(body),
            body.flag("ignore_eos", false),
            stopTokens,
            stops,
            body.flag("include_stop_str_in_output", false))
        .withPriority(priority.orElse(body.integer("priority").orElse(0)))
        .withCacheScope(cacheScope(body, lora))
        .withTokenRules(TokenRulesReader.read(body))
        .withRepetition(repetition(body));
  }

  private static void checkRanges(Fields body) {
    checkRange(body, "presence_penalty", -2, 2);
    checkRange(body, "frequency_penalty", -2, 2);
    body.number("repetition_penalty")
        .filter(value -> value <= 0)
        .ifPresent(
            value -> {
              throw ApiError.badRequest(
                  "repetition_penalty must be greater than zero, got " + value + ".");
            });
    body.number("temperature").ifPresent(SamplingReader::checkTemperature);
    checkSeed(body);
    body.literal("reasoning_effort", "none", "minimal", "low", "medium", "high", "xhigh", "max");
    body.number("top_p")
        .filter(value -> value <= 0 || value > 1)
        .ifPresent(
            value -> {
              throw ApiError.badValue(
                  "top_p", value, "top_p must be in (0, 1], got " + value + ".");
            });
    int topK = body.integer("top_k").orElse(0);
    if (topK < -1) {
      throw ApiError.badRequest("top_k must be 0 (disable), or at least 1, got " + topK + ".");
    }
    checkRange(body, "min_p", 0, 1);
  }

  private static void checkTemperature(double value) {
    String shown = String.valueOf(value).toLowerCase(Locale.ROOT);
    if (!Double.isFinite(value)) {
      throw ApiError.badValue(
          "temperature", shown, "temperature must be a finite number, got " + shown + ".");
    }
    if (value < 0) {
      throw ApiError.badValue(
          "temperature", shown, "temperature must be non-negative, got " + shown + ".");
    }
    if (value > HIGHEST_TEMPERATURE) {
      throw ApiError.badValue(
          "temperature", shown, "temperature must be in [0, 2], got " + shown + ".");
    }
  }

  /** Checks that a seed has at most 64 bits. */
  private static void checkSeed(Fields body) {
    var _ = body.integer("seed");
    JsonNode seed = body.get("seed");
    if (seed.isBigInteger()) {
      boolean low = seed.bigIntegerValue().signum() < 0;
      long bound = low ? Long.MIN_VALUE : Long.MAX_VALUE;
      throw ApiError.validation(
          Violation.of(
                  low ? "greater_than_equal" : "less_than_equal",
                  body.location("seed"),
                  "Input should be %s than or equal to %s"
                      .formatted(low ? "greater" : "less", bound),
                  seed)
              .with("{'%s': %s}".formatted(low ? "ge" : "le", bound)));
    }
  }

  private static void checkRange(Fields body, String name, int least, int most) {
    body.number(name)
        .filter(value -> value < least || value > most)
        .ifPresent(
            value -> {
              throw ApiError.badRequest(
                  "%s must be in [%s, %s], got %s.".formatted(name, least, most, value));
            });
  }

  private static RepetitionRule repetition(Fields body) {
    String name = "repetition_detection";
    if (!body.has(name)) {
      return RepetitionRule.NONE;
    }
    if (!body.get(name).isObject()) {
      throw ApiError.validation(
          Violation.of(
                  "dataclass_type",
                  body.location(name),
                  "Input should be a dictionary or an instance of RepetitionDetectionParams",
                  body.get(name))
              .with("{'class_name': 'RepetitionDetectionParams'}"));
    }
    Fields rule = body.child(name);
    int longest = rule.integer("max_pattern_size").orElse(0);
    int shortest = rule.integer("min_pattern_size").orElse(0);
    int count = rule.integer("min_count").orElse(0);
    if (longest < 0 || shortest < 0 || shortest > longest) {
      throw ApiError.badRequest(
          "max_pattern_size, min_pattern_size must be >=0, with min_pattern_size <= max_pattern_size. Set both to 0 to disable repetitive pattern detection.");
    }
    if (longest > 0 && count < 2) {
      throw ApiError.badRequest(
          "min_count must be >= 2 to detect repetitive patterns in engine output. If you do not wish to detect repetitive patterns, set max_pattern_size to 0.");
    }
    return new RepetitionRule(longest, shortest, count);
  }

  private static int minTokens(Fields body) {
    int min = body.integer("min_tokens").orElse(0);
    if (min < 0) {
      throw ApiError.badRequest("min_tokens must be greater than or equal to 0, got " + min + ".");
    }
    return min;
  }

  private static CacheScope cacheScope(Fields body, String lora) {
    String salt = body.string("cache_salt").orElse("");
    boolean empty = body.has("cache_salt") && salt.isEmpty();
    if (empty
        || salt.length() > MOST_SALT_CHARS
        || salt.chars().anyMatch(character -> "@/\\\0".indexOf(character) >= 0)) {
      throw ApiError.badParameter(
          "cache_salt", "Parameter 'cache_salt' must be a non-empty string if provided.");
    }
    CacheScope scope = CacheScope.SHARED.withLora(lora).withSalt(salt);
    return body.has("prompt_logprobs") ? scope.withoutReading() : scope;
  }
}
