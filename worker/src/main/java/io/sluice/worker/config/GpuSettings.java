package io.sluice.worker.config;

import io.sluice.config.Setting;
import java.util.List;

/**
 * How a worker learns that the GPUs of its engine are too hot.
 *
 * @param source where readings come from
 * @param gpus the indexes or UUIDs of the engine's GPUs; empty for all that the source lists
 * @param hotCelsius a GPU above this is hot
 */
public record GpuSettings(
    @Setting(
            key = "gpu-readings",
            defaultValue = "none",
            meaning =
                "Where the GPUs' temperatures come from: `none`, `nvidia-smi`, or the URL of a DCGM"
                    + " exporter, such as `http://127.0.0.1:9400/metrics`. A hot GPU lowers the"
                    + " limit of requests. See [watchdog](watchdog.md#gpu-temperature).")
        GpuSource source,
    @Setting(
            key = "gpu",
            otherwise = "all that are listed",
            unit = "GPUs",
            meaning =
                "The engine's GPUs, by index or UUID; with a DCGM exporter also by the name of the"
                    + " pod that has them.")
        List<String> gpus,
    @Setting(
            key = "gpu-hot-celsius",
            defaultValue = "85",
            unit = "°C",
            min = 30,
            max = 150,
            meaning = "A GPU above this temperature is hot.")
        int hotCelsius) {

  public GpuSettings {
    gpus = List.copyOf(gpus);
    if (source instanceof GpuSource.None && !gpus.isEmpty()) {
      throw new IllegalArgumentException("--gpu needs --gpu-readings");
    }
  }
}
