package io.sluice.simulator.metrics;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.EngineStats;
import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.engine.LoraUse;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * The {@code /metrics} page of one server.
 *
 * <p>All {@code vllm:} series exist with 0 from the start, the {@code http_} ones from the first
 * request on; from 0.32 on the comments of those are there before, too. Of the arithmetic that
 * holds on a real server, these hold here at any time: one time-to-first-token sample per request
 * that got a token, one inter-token sample per further token, the sum of {@code
 * iteration_tokens_total} is the tokens that the steps computed: those of prompts, without what
 * came from the prefix cache (before 0.32 with it), and the generated ones. Thread-safe.
 */
public final class ServerMetrics {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final String LORA_INFO = "vllm:lora_requests_info";

  /** The only one of the HTTP server's families that has no labels. */
  private static final String HTTP_DURATION = "http_request_duration_highr_seconds";

  private static final List<String> SLEEP_STATES =
      List.of("awake", "weights_offloaded", "discard_all");

  private final Object lock = new Object();
  private final MetricsPage page;
  private final DoubleSupplier nowSeconds;
  private final int maxLoras;
  private final boolean countsCachedAsIteration;
  private final boolean countsReadmissions;

  private final Series running;
  private final Series waiting;
  private final Series waitingForCapacity;
  private final Series waitingDeferred;
  private final Series kvUsage;
  private final Series preemptions;
  private final Series prefixQueries;
  private final Series prefixHits;
  private final Series promptTokens;
  private final Series promptTokensComputed;
  private final Series promptTokensFromCache;
  private final Series promptTokensCached;
  private final Series promptTokensCachedHere;
  private final Series generationTokens;
  private final Series iterationTokens;
  private final Series firstToken;
  private final Series interToken;

  /**
   * Creates the page.
   *
   * @param model the model name in the labels
   * @param config the engine's limits
   * @param version the vLLM version that determines the metric names
   * @param nowSeconds the wall clock in Unix seconds, for the {@code _created} series
   * @throws IllegalArgumentException if the version is invalid
   */
  public ServerMetrics(
      String model, EngineConfig config, String version, DoubleSupplier nowSeconds) {
    this.page = new MetricsPage(nowSeconds);
    this.nowSeconds = nowSeconds;
    this.maxLoras = config.scheduling().maxLoras();
    MetricsVersion names = MetricsVersion.of(version);
    this.countsCachedAsIteration = names.release().before(32);
    this.countsReadmissions = names.release().before(11);
    Labels common = Labels.of(Map.of("engine", "0", "model_name", model));
    for (Definition definition : Definitions.engine(config.maxModelLen())) {
      Labels labels =
          switch (definition.name()) {
            case "vllm:cache_config_info" -> CacheConfigLabels.of(config, names.release());
            case "vllm:admission_rejections" -> Labels.of(Map.of("model_name", model));
            default -> common;
          };
      Family family = page.register(definition, names, labels);
      if (definition.labelValues().isEmpty() && !definition.name().equals(LORA_INFO)) {
        family.only(nowSeconds.getAsDouble());
      }
    }
    Definitions.http().forEach(definition -> page.register(definition, names, Labels.none()));
    if (!names.release().before(32)) {
      Definitions.http().forEach(definition -> page.announce(definition.name()));
      page.only(HTTP_DURATION);
    }
    page.only("vllm:cache_config_info").set(1);
    running = page.only("vllm:num_requests_running");
    waiting = page.only("vllm:num_requests_waiting");
    waitingForCapacity = page.labelled("vllm:num_requests_waiting_by_reason", "capacity");
    waitingDeferred = page.labelled("vllm:num_requests_waiting_by_reason", "deferred");
    kvUsage = page.only("vllm:kv_cache_usage_perc");
    preemptions = page.only("vllm:num_preemptions");
    prefixQueries = page.only("vllm:prefix_cache_queries");
    prefixHits = page.only("vllm:prefix_cache_hits");
    promptTokens = page.only("vllm:prompt_tokens");
    promptTokensComputed = page.labelled("vllm:prompt_tokens_by_source", "local_compute");
    promptTokensFromCache = page.labelled("vllm:prompt_tokens_by_source", "local_cache_hit");
    promptTokensCached = page.only("vllm:prompt_tokens_cached");
    promptTokensCachedHere = page.labelled("vllm:prompt_tokens_cached_by_source", "device");
    generationTokens = page.only("vllm:generation_tokens");
    iterationTokens = page.only("vllm:iteration_tokens_total");
    firstToken = page.only("vllm:time_to_first_token_seconds");
    interToken = page.only("vllm:inter_token_latency_seconds");
    setSleepLevel(0);
  }

  /** Applies several counts in one change, so that no scrape sees only part of it. */
  public void atomically(Runnable counts) {
    synchronized (lock) {
      counts.run();
    }
  }

  /** Updates the gauges and totals of the engine. */
  public void updateEngine(EngineStats stats) {
    synchronized (lock) {
      running.set(stats.running());
      waiting.set(stats.waiting());
      waitingForCapacity.set(stats.waiting() - stats.deferred());
      waitingDeferred.set(stats.deferred());
      kvUsage.set(stats.kvUsage());
      preemptions.set((double) stats.preemptions());
      long queried = countsReadmissions ? stats.readmittedQueriedTokens() : 0;
      long hit = countsReadmissions ? stats.readmittedHitTokens() : 0;
      prefixQueries.set((double) (stats.prefixQueriedTokens() + queried));
      prefixHits.set((double) (stats.prefixHitTokens() + hit));
      promptTokensCachedHere.set((double) stats.prefixHitTokens());
    }
  }

  /**
   * Takes over which LoRA adapters are in use. As on a real server, label sets of the past stay,
   * and the newest one has the largest value.
   */
  public void updateAdapters(LoraUse use) {
    Labels labels =
        Labels.of(
            Map.of(
                "max_lora", Integer.toString(maxLoras),
                "running_lora_adapters", String.join(",", use.running()),
                "waiting_lora_adapters", String.join(",", use.waiting())));
    synchronized (lock) {
      page.with(LORA_INFO, labels).set(nowSeconds.getAsDouble());
    }
  }

  /** Sets the sleep level: 0 for awake, 1 for weights offloaded, 2 for everything discarded. */
  public void setSleepLevel(int level) {
    synchronized (lock) {
      for (int i = 0; i < SLEEP_STATES.size(); i++) {
        page.labelled("vllm:engine_sleep_state", SLEEP_STATES.get(i)).set(i == level ? 1 : 0);
      }
    }
  }

  /** Counts a request that a limit rejected. Shown since release 0.32. */
  public void rejected(AdmissionLimit limit) {
    synchronized (lock) {
      page.labelled("vllm:admission_rejections", limit.wireName()).add(1);
    }
  }

  /**
   * Counts the outputs of a step.
   *
   * @param newPromptTokens the prompt tokens of requests that got their first token in the step
   * @param cachedTokens the part of them that came from the prefix cache
   * @param generatedTokens the tokens generated in the step
   */
  public void stepFinished(int newPromptTokens, int cachedTokens, int generatedTokens) {
    synchronized (lock) {
      promptTokens.add(newPromptTokens);
      promptTokensComputed.add(newPromptTokens - cachedTokens);
      promptTokensFromCache.add(cachedTokens);
      promptTokensCached.add(cachedTokens);
      generationTokens.add(generatedTokens);
      int prefilled = countsCachedAsIteration ? newPromptTokens : newPromptTokens - cachedTokens;
      iterationTokens.observe(prefilled + generatedTokens);
    }
  }

  /** Counts the time from a request's arrival to its first token. */
  public void firstTokenAfter(long nanos) {
    synchronized (lock) {
      firstToken.observe(nanos / NANOS_PER_SECOND);
    }
  }

  /** Counts the time between two tokens of a request. */
  public void nextTokenAfter(long nanos) {
    synchronized (lock) {
      interToken.observe(nanos / NANOS_PER_SECOND);
    }
  }

  /** Counts a request that finished. A request whose client disconnected is not counted. */
  public void finished(FinishedRequest request) {
    RequestTimes times = request.times();
    double decode = seconds(times.firstTokenNanos(), times.lastTokenNanos());
    int decoded = request.outputTokens() - 1;
    synchronized (lock) {
      page.labelled("vllm:request_success", request.reason().wireName()).add(1);
      observe("vllm:request_prompt_tokens", request.promptTokens());
      observe("vllm:request_generation_tokens", request.outputTokens());
      observe("vllm:request_params_max_tokens", request.maxTokens());
      observe("vllm:request_time_per_output_token_seconds", decoded > 0 ? decode / decoded : 0);
      observe(
          "vllm:e2e_request_latency_seconds",
          seconds(times.arrivalNanos(), times.lastTokenNanos()));
      observe(
          "vllm:request_queue_time_seconds", seconds(times.queuedNanos(), times.scheduledNanos()));
      observe(
          "vllm:request_inference_time_seconds",
          seconds(times.scheduledNanos(), times.lastTokenNanos()));
      observe(
          "vllm:request_prefill_time_seconds",
          seconds(times.scheduledNanos(), times.firstTokenNanos()));
      observe("vllm:request_decode_time_seconds", decode);
      observe("vllm:request_num_preemptions", request.preemptions());
      observe(
          "vllm:request_prefill_kv_computed_tokens",
          request.promptTokens() - request.cachedTokens());
    }
  }

  /** Counts a request that the server aborted. A dead engine counts nothing. */
  public void ended(FinishReason reason) {
    if (reason == FinishReason.ERROR) {
      return;
    }
    synchronized (lock) {
      page.labelled("vllm:request_success", reason.wireName()).add(1);
    }
  }

  /** Counts the end of all choices of one prompt. */
  public void allChoicesFinished(int n, int mostOutputTokens) {
    synchronized (lock) {
      observe("vllm:request_params_n", n);
      observe("vllm:request_max_num_generation_tokens", mostOutputTokens);
    }
  }

  /**
   * Counts an answered HTTP request.
   *
   * @param handler the path of its route
   * @param responseBytes its content length; 0 for a stream
   */
  public void httpAnswered(
      String handler,
      String method,
      int status,
      long requestBytes,
      long responseBytes,
      long nanos) {
    Labels byHandler = Labels.of(Map.of("handler", handler));
    Labels byMethod = byHandler.with("method", method);
    synchronized (lock) {
      page.with("http_requests", byMethod.with("status", status / 100 + "xx")).add(1);
      page.with("http_request_size_bytes", byHandler).observe((double) requestBytes);
      page.with("http_response_size_bytes", byHandler).observe((double) responseBytes);
      page.only(HTTP_DURATION).observe(nanos / NANOS_PER_SECOND);
      page.with("http_request_duration_seconds", byMethod).observe(nanos / NANOS_PER_SECOND);
    }
  }

  /** Returns the load of the engine according to the gauges. */
  public LoadReport load() {
    synchronized (lock) {
      return new LoadReport(kvUsage.value(), waiting.value());
    }
  }

  /** Returns the page in the text exposition format. */
  public String text() {
    synchronized (lock) {
      return page.text();
    }
  }

  private void observe(String name, double value) {
    page.only(name).observe(value);
  }

  private static double seconds(long fromNanos, long toNanos) {
    return (toNanos - fromNanos) / NANOS_PER_SECOND;
  }
}
