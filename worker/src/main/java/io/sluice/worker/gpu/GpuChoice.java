package io.sluice.worker.gpu;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The GPUs of a worker's engine among those of a machine.
 *
 * @param names their indexes, UUIDs or pods; empty for all
 */
record GpuChoice(List<String> names) {
  private static final int MOST_SHOWN = 16;

  GpuChoice {
    names = List.copyOf(names);
  }

  /**
   * Returns the GPUs of the engine that tell anything.
   *
   * @throws GpuReadingException if one is not listed, or none tells anything
   */
  List<Gpu> of(List<Gpu> listed) throws GpuReadingException {
    for (String name : names) {
      if (listed.stream().noneMatch(gpu -> gpu.isCalled(name))) {
        throw new GpuReadingException(
            "--gpu names %s, which is not listed; there are %s".formatted(name, shown(listed)));
      }
    }
    List<Gpu> chosen = listed.stream().filter(this::isChosen).toList();
    List<Gpu> telling = chosen.stream().filter(Gpu::tells).toList();
    if (telling.isEmpty()) {
      throw new GpuReadingException(
          "no temperature and no clocks are reported for %s; check --gpu and --gpu-readings"
              .formatted(shown(chosen)));
    }
    return telling;
  }

  private boolean isChosen(Gpu gpu) {
    return names.isEmpty() || names.stream().anyMatch(gpu::isCalled);
  }

  private static String shown(List<Gpu> gpus) {
    return gpus.stream()
        .limit(MOST_SHOWN)
        .map(gpu -> gpu.index() + " (" + gpu.uuid() + ")")
        .collect(Collectors.joining(", "));
  }
}
