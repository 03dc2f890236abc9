package io.sluice.standalone.verify.pool;

import io.sluice.simulator.fit.MetricsPage;
import io.sluice.verify.http.EngineAnswer;
import io.sluice.verify.http.EngineClient;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The load of a vLLM by its own metrics. They are read by other code than a worker's, so that the
 * two can be compared.
 *
 * @param kvUsage 0 to 1
 * @param cachedTokens prompt tokens found in its prefix cache, since its start
 * @param preemptions requests that lost their KV cache to others, since its start
 */
public record EngineFigures(
    int running, int waiting, double kvUsage, double cachedTokens, double preemptions) {
  private static final String RUNNING = "vllm:num_requests_running";

  /** Reads a page; empty if it is not from a vLLM. */
  public static Optional<EngineFigures> of(MetricsPage page) {
    return page.mean(RUNNING).isPresent()
        ? Optional.of(
            new EngineFigures(
                (int) page.sum(RUNNING),
                (int) page.sum("vllm:num_requests_waiting"),
                page.mean("vllm:kv_cache_usage_perc").orElse(0),
                page.sum("vllm:prompt_tokens_cached_total"),
                page.sum("vllm:num_preemptions_total")))
        : Optional.empty();
  }

  /** Queries an engine; empty if it has no such metrics or does not respond. */
  public static Optional<EngineFigures> ask(EngineClient engine) {
    return page(engine).flatMap(EngineFigures::of);
  }

  /** Returns the metrics page of a service, if it has one. */
  public static Optional<MetricsPage> page(EngineClient service) {
    try {
      EngineAnswer answer = service.get("/metrics");
      return answer.status() == 200
          ? Optional.of(new MetricsPage(answer.body()))
          : Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /** Returns whether the engine has no requests. */
  public boolean isIdle() {
    return running + waiting == 0;
  }
}
