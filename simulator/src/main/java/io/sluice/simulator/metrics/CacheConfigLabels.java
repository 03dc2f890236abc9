package io.sluice.simulator.metrics;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.release.Release;
import java.util.HashMap;
import java.util.Map;

/** The labels of {@code vllm:cache_config_info}: all fields of vLLM's cache configuration. */
final class CacheConfigLabels {

  private CacheConfigLabels() {}

  static Labels of(EngineConfig config, Release release) {
    long tokens = (long) config.blockTokens() * config.kvBlocks();
    Map<String, String> labels = new HashMap<>();
    labels.put("_block_size_resolved", "True");
    labels.put("block_size", Integer.toString(config.blockTokens()));
    labels.put("cache_dtype", "auto");
    labels.put("enable_prefix_caching", config.prefixCaching() ? "True" : "False");
    labels.put("engine", "0");
    labels.put("gpu_memory_utilization", "0.92");
    labels.put("is_attention_free", "False");
    labels.put("kv_cache_dtype_skip_layers", "[]");
    labels.put("kv_cache_layout", "None");
    labels.put(
        "kv_cache_max_concurrency", PythonFloat.text((double) tokens / config.maxModelLen()));
    labels.put("kv_cache_memory_bytes", "None");
    labels.put("kv_cache_size_tokens", Long.toString(tokens));
    labels.put("kv_offloading_backend", "native");
    labels.put("kv_offloading_size", "None");
    labels.put("kv_sharing_fast_prefill", "False");
    labels.put("mamba_block_size", "None");
    labels.put("mamba_cache_dtype", "auto");
    labels.put("mamba_cache_mode", "none");
    labels.put("mamba_page_size_padded", "None");
    labels.put("mamba_ssm_cache_dtype", "auto");
    labels.put("num_cpu_blocks", "None");
    labels.put("num_gpu_blocks", Integer.toString(config.kvBlocks()));
    labels.put("num_gpu_blocks_override", "None");
    labels.put("prefix_cache_retention_interval", "0");
    labels.put("prefix_caching_hash_algo", "sha256");
    labels.put("prefix_match_unit", "None");
    labels.put("replayssm_buffer_len", "16");
    labels.put("skip_page_size_padded", "None");
    labels.put("sliding_window", "None");
    labels.put("use_kda_recoverssm", "False");
    labels.put("use_replayssm", "False");
    labels.put("user_specified_block_size", "False");
    if (release.before(32)) {
      labels.put("enable_mamba_fine_grained_prefix_cache", "False");
      labels.put("user_specified_mamba_block_size", "False");
    } else {
      labels.put("cache_hit_alignment_tokens", "None");
      labels.put("effective_attention_block_size", Integer.toString(config.blockTokens()));
      labels.put("enable_mamba_shared_prefix_checkpoint", "False");
      labels.put("hash_block_size", "None");
      labels.put("swa_bounded_replay", "True");
    }
    return Labels.of(labels);
  }
}
