package io.sluice.worker.engine;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
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

  /** All names of a metric. */
  public static List<String> namesOf(EngineMetric metric) {
    return names(Stream.of(metric)).distinct().toList();
  }

  /** All names of some metrics. */
  public static Set<String> namesOf(Set<EngineMetric> metrics) {
    return names(metrics.stream()).collect(Collectors.toUnmodifiableSet());
  }

  private static Stream<String> names(Stream<EngineMetric> metrics) {
    return metrics.flatMap(
        metric ->
            ALL.stream()
                .flatMap(dialect -> dialect.metrics().getOrDefault(metric, List.of()).stream()));
  }

  static boolean isAny(Predicate<EngineDialect> understands) {
    return ALL.stream().anyMatch(understands);
  }
}
