package io.sluice.worker.config;

import java.net.URI;
import java.util.Locale;

/** Where readings of GPUs come from. */
public sealed interface GpuSource {
  /** Nowhere. */
  record None() implements GpuSource {}

  /** The command {@code nvidia-smi}. */
  record NvidiaSmi() implements GpuSource {}

  /**
   * NVIDIA's DCGM exporter.
   *
   * @param url its page of metrics
   */
  record Exporter(URI url) implements GpuSource {}

  /**
   * Reads {@code none}, {@code nvidia-smi} or a URL.
   *
   * @throws IllegalArgumentException for any other text
   */
  static GpuSource parse(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "none" -> new None();
      case "nvidia-smi" -> new NvidiaSmi();
      default -> new Exporter(url(text));
    };
  }

  private static URI url(String text) {
    if (!text.startsWith("http://") && !text.startsWith("https://")) {
      throw new IllegalArgumentException(
          "it must be none, nvidia-smi or a URL such as http://127.0.0.1:9400/metrics");
    }
    return URI.create(text);
  }
}
