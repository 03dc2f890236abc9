package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.common.openai.OpenAiRequest;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All dialects. What an engine says is understood by every dialect, because an engine may not say
 * what it is, or may be behind a server of another kind. What an engine is asked follows its own
 * dialect only, and no engine is asked to continue what any dialect cannot.
 */
public final class EngineDialects {
  public static final EngineDialect VLLM = new VllmDialect();
  public static final EngineDialect SGLANG = new SglangDialect();
  public static final EngineDialect LLAMA_CPP = new LlamaCppDialect();

  /** The dialect of engines of which nothing is known. */
  public static final EngineDialect OPENAI = new OpenAiDialect();

  private static final List<EngineDialect> ALL = List.of(VLLM, SGLANG, LLAMA_CPP, OPENAI);
  private static final MetricNames METRICS = merged();
  private static final Set<String> NUMERIC_OPTIONS = union(EngineDialect::numericOptions);
  private static final Set<String> MINIMUM_OPTIONS = union(EngineDialect::minimumOptions);
  private static final Set<String> TRUNCATING_OPTIONS = union(EngineDialect::truncatingOptions);

  private EngineDialects() {}

  /** Returns all dialects; the last one fits every engine. */
  public static List<EngineDialect> all() {
    return ALL;
  }

  /** Returns the dialect of an engine by its first model's card in {@code /v1/models}. */
  public static EngineDialect of(JsonNode card) {
    return ALL.stream().filter(dialect -> dialect.owns(card)).findFirst().orElse(OPENAI);
  }

  /**
   * Returns the longest context of the model on a card, in tokens, as its own dialect reads it,
   * else as any other does; empty if the card does not say.
   */
  public static OptionalInt context(JsonNode card) {
    return Stream.concat(Stream.of(of(card)), ALL.stream())
        .flatMapToInt(dialect -> dialect.context(card).stream())
        .findFirst();
  }

  /** Returns the metric names of all dialects together. */
  public static MetricNames metrics() {
    return METRICS;
  }

  /** Returns whether a finish reason means that an engine gave up. */
  public static boolean isAbort(String finishReason) {
    return isAny(dialect -> dialect.isAbort(finishReason));
  }

  /** Returns the error in an answer, in the format of any engine; a missing node if it has none. */
  public static JsonNode error(JsonNode answer) {
    return ALL.stream()
        .map(dialect -> dialect.error(answer))
        .filter(error -> !error.isMissingNode())
        .findFirst()
        .orElse(MissingNode.getInstance());
  }

  /** Returns whether the error of a 400 says that the prompt does not fit into the context. */
  public static boolean isPromptTooLong(JsonNode error) {
    return isAny(dialect -> dialect.isPromptTooLong(error));
  }

  /** Returns whether the error of a 400 objects to the limit of output tokens. */
  public static boolean isLimitRefused(JsonNode error) {
    return isAny(dialect -> dialect.isLimitRefused(error));
  }

  /** Returns whether a request has stateful options of any dialect. */
  public static boolean isStateful(OpenAiRequest request) {
    return isAny(dialect -> dialect.isStateful(request));
  }

  /** Returns whether an engine of any dialect may withhold tokens of the answer to a request. */
  public static boolean mayWithhold(OpenAiRequest request) {
    return isAny(dialect -> dialect.mayWithhold(request));
  }

  /** Returns the numeric request options of all dialects together. */
  public static Set<String> numericOptions() {
    return NUMERIC_OPTIONS;
  }

  /** Returns the request options for a least number of output tokens of all dialects together. */
  public static Set<String> minimumOptions() {
    return MINIMUM_OPTIONS;
  }

  /** Returns the truncating request options of all dialects together. */
  public static Set<String> truncatingOptions() {
    return TRUNCATING_OPTIONS;
  }

  private static boolean isAny(Predicate<EngineDialect> understands) {
    return ALL.stream().anyMatch(understands);
  }

  private static Set<String> union(Function<EngineDialect, Set<String>> options) {
    return ALL.stream()
        .flatMap(dialect -> options.apply(dialect).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static MetricNames merged() {
    MetricNames.Builder merged = MetricNames.builder();
    ALL.forEach(dialect -> merged.addAll(dialect.metrics()));
    return merged.build();
  }
}
