package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All dialects that are known. What an engine says is understood by all of them, since it may not
 * say who it is, or hide behind a server of another kind; what it is asked is put by its own.
 */
public final class EngineDialects {
  public static final EngineDialect VLLM = new VllmDialect();
  public static final EngineDialect SGLANG = new SglangDialect();
  public static final EngineDialect LLAMA_CPP = new LlamaCppDialect();

  /** That of an engine of which nothing is known. */
  public static final EngineDialect OPENAI = new OpenAiDialect();

  private static final List<EngineDialect> ALL = List.of(VLLM, SGLANG, LLAMA_CPP, OPENAI);

  private EngineDialects() {}

  /** Every one, the one that fits all last. */
  public static List<EngineDialect> all() {
    return ALL;
  }

  /** The dialect of an engine by its first model's card in {@code /v1/models}. */
  public static EngineDialect of(JsonNode card) {
    return ALL.stream().filter(dialect -> dialect.owns(card)).findFirst().orElse(OPENAI);
  }

  /**
   * The longest context of a card's model, in tokens: as its own dialect tells it, else as any
   * does; empty if the card does not say.
   */
  public static OptionalInt context(JsonNode card) {
    return Stream.concat(Stream.of(of(card)), ALL.stream())
        .flatMapToInt(dialect -> dialect.context(card).stream())
        .findFirst();
  }

  /** All names of a metric. */
  public static List<String> namesOf(EngineMetric metric) {
    return ALL.stream()
        .flatMap(dialect -> dialect.metrics().getOrDefault(metric, List.of()).stream())
        .distinct()
        .toList();
  }

  /** All names of all metrics. */
  public static Set<String> metricNames() {
    return Arrays.stream(EngineMetric.values())
        .flatMap(metric -> namesOf(metric).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  static boolean isAny(Predicate<EngineDialect> understands) {
    return ALL.stream().anyMatch(understands);
  }
}
