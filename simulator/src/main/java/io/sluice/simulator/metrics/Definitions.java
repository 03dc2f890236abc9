package io.sluice.simulator.metrics;

import java.util.ArrayList;
import java.util.List;

/**
 * All metric families of a vLLM server in the order of its exposition, with help texts and buckets:
 * those of release 0.30 and the additions of 0.32. {@link MetricsVersion} selects those of a
 * release.
 */
final class Definitions {

  private static final List<Double> ITERATION_TOKENS =
      List.of(
          1.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0, 16384.0);
  private static final List<Double> PARAMS_N = List.of(1.0, 2.0, 5.0, 10.0, 20.0);
  private static final List<Double> FIRST_TOKEN =
      List.of(
          0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5,
          10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0);
  private static final List<Double> INTER_TOKEN =
      List.of(
          0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
          20.0, 40.0, 80.0);
  private static final List<Double> REQUEST =
      List.of(
          0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0,
          240.0, 480.0, 960.0, 1920.0, 7680.0);
  private static final List<Double> PREEMPTIONS = List.of(1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0);
  private static final List<Double> HTTP =
      List.of(
          0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5,
          5.0, 7.5, 10.0, 30.0, 60.0);
  private static final List<Double> HTTP_COARSE = List.of(0.1, 0.5, 1.0);

  private Definitions() {}

  /** Returns the families of the engine. Buckets of tokens reach up to the context length. */
  static List<Definition> engine(int maxModelLen) {
    List<Double> tokens = oneTwoFive(maxModelLen);
    return List.of(
        Definition.counter(
            "vllm:estimated_flops_per_gpu",
            "Estimated number of floating point operations per GPU (for Model Flops Utilization calculations)."),
        Definition.counter(
            "vllm:estimated_read_bytes_per_gpu",
            "Estimated number of bytes read from memory per GPU (for Model Flops Utilization calculations)."),
        Definition.counter(
            "vllm:estimated_write_bytes_per_gpu",
            "Estimated number of bytes written to memory per GPU (for Model Flops Utilization calculations)."),
        Definition.gauge(
            "vllm:num_requests_running", "Number of requests in model execution batches."),
        Definition.gauge(
            "vllm:num_requests_waiting", "Number of requests waiting to be processed."),
        Definition.gauge(
                "vllm:num_requests_waiting_by_reason",
                "Number of waiting requests by reason. Reason labels: 'capacity' = waiting for scheduling capacity; 'deferred' = deferred by transient constraints (LoRA budget, KV transfer, blocked status). Sum of all reasons equals vllm:num_requests_waiting.")
            .by("reason", "capacity", "deferred"),
        Definition.gauge(
                "vllm:engine_sleep_state",
                "Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; weights_offloaded = 1 means sleep level 1; discard_all = 1 means sleep level 2.")
            .by("sleep_state", "awake", "weights_offloaded", "discard_all"),
        Definition.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage."),
        Definition.counter(
            "vllm:prefix_cache_queries",
            "Prefix cache queries, in terms of number of queried tokens."),
        Definition.counter(
            "vllm:prefix_cache_hits", "Prefix cache hits, in terms of number of cached tokens."),
        Definition.counter(
            "vllm:external_prefix_cache_queries",
            "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens."),
        Definition.counter(
            "vllm:external_prefix_cache_hits",
            "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens."),
        Definition.counter(
            "vllm:mm_cache_queries",
            "Multi-modal cache queries, in terms of number of queried items."),
        Definition.counter(
            "vllm:mm_cache_hits", "Multi-modal cache hits, in terms of number of cached items."),
        Definition.counter(
            "vllm:num_preemptions", "Cumulative number of preemption from the engine."),
        Definition.counter("vllm:prompt_tokens", "Number of prefill tokens processed."),
        Definition.counter("vllm:prompt_tokens_by_source", "Number of prompt tokens by source.")
            .by("source", "local_compute", "local_cache_hit", "external_kv_transfer"),
        Definition.counter(
            "vllm:prompt_tokens_cached", "Number of cached prompt tokens (local + external)."),
        Definition.counter(
                "vllm:prompt_tokens_cached_by_source",
                "Prefix-cache hit tokens by the cache tier that supplied them: device (local HBM), host (offloaded to DRAM), disk, p2p (transferred from another vLLM instance) or external_unspecified. Counted at admission; sums to vllm:prefix_cache_hits + vllm:external_prefix_cache_hits.")
            .by("source", "device", "host", "p2p", "disk", "external_unspecified"),
        Definition.counter("vllm:generation_tokens", "Number of generation tokens processed."),
        Definition.counter("vllm:request_success", "Count of successfully processed requests.")
            .by("finished_reason", "stop", "length", "abort", "error", "repetition"),
        Definition.counter(
                "vllm:admission_rejections",
                "Number of admission attempts rejected by a queue limit, by reason.")
            .by("reason", "max_num_queued_reqs", "max_num_queued_tokens"),
        Definition.histogram(
            "vllm:request_prompt_tokens", "Number of prefill tokens processed.", tokens),
        Definition.histogram(
            "vllm:request_generation_tokens", "Number of generation tokens processed.", tokens),
        Definition.histogram(
            "vllm:iteration_tokens_total",
            "Histogram of number of tokens per engine_step.",
            ITERATION_TOKENS),
        Definition.histogram(
            "vllm:request_max_num_generation_tokens",
            "Histogram of maximum number of requested generation tokens.",
            tokens),
        Definition.histogram(
            "vllm:request_params_n", "Histogram of the n request parameter.", PARAMS_N),
        Definition.histogram(
            "vllm:request_params_max_tokens",
            "Histogram of the max_tokens request parameter.",
            tokens),
        Definition.histogram(
            "vllm:time_to_first_token_seconds",
            "Histogram of time to first token in seconds.",
            FIRST_TOKEN),
        Definition.histogram(
            "vllm:inter_token_latency_seconds",
            "Histogram of inter-token latency in seconds.",
            INTER_TOKEN),
        Definition.histogram(
            "vllm:request_time_per_output_token_seconds",
            "Histogram of time_per_output_token_seconds per request.",
            INTER_TOKEN),
        Definition.histogram(
            "vllm:e2e_request_latency_seconds",
            "Histogram of e2e request latency in seconds.",
            REQUEST),
        Definition.histogram(
            "vllm:request_queue_time_seconds",
            "Histogram of time spent in WAITING phase for request.",
            REQUEST),
        Definition.histogram(
            "vllm:request_inference_time_seconds",
            "Histogram of time spent in RUNNING phase for request.",
            REQUEST),
        Definition.histogram(
            "vllm:request_prefill_time_seconds",
            "Histogram of time spent in PREFILL phase for request.",
            REQUEST),
        Definition.histogram(
            "vllm:request_decode_time_seconds",
            "Histogram of time spent in DECODE phase for request.",
            REQUEST),
        Definition.histogram(
            "vllm:request_num_preemptions",
            "Histogram of the number of times a request was preempted.",
            PREEMPTIONS),
        Definition.histogram(
            "vllm:request_prefill_kv_computed_tokens",
            "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
            tokens),
        Definition.gauge("vllm:lora_requests_info", "Running stats on lora requests."),
        Definition.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig"));
  }

  /** Returns the families of the HTTP server; their series appear with their first request. */
  static List<Definition> http() {
    return List.of(
        Definition.counter(
            "http_requests", "Total number of requests by method, status and handler."),
        Definition.summary(
            "http_request_size_bytes",
            "Content length of incoming requests by handler. Only value of header is respected. Otherwise ignored. No percentile calculated. "),
        Definition.summary(
            "http_response_size_bytes",
            "Content length of outgoing responses by handler. Only value of header is respected. Otherwise ignored. No percentile calculated. "),
        Definition.histogram(
            "http_request_duration_highr_seconds",
            "Latency with many buckets but no API specific labels. Made for more accurate percentile calculations. ",
            HTTP),
        Definition.histogram(
            "http_request_duration_seconds",
            "Latency with only few buckets by handler. Made to be only used if aggregation by handler is important. ",
            HTTP_COARSE));
  }

  private static List<Double> oneTwoFive(int max) {
    List<Double> bounds = new ArrayList<>();
    for (long power = 1; power <= max; power *= 10) {
      for (int mantissa : new int[] {1, 2, 5}) {
        if (mantissa * power <= max) {
          bounds.add((double) (mantissa * power));
        }
      }
    }
    return List.copyOf(bounds);
  }
}
