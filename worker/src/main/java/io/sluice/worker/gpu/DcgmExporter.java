package io.sluice.worker.gpu;

import io.sluice.worker.bounded.BoundedHttp;
import io.sluice.worker.health.MetricsText;
import io.sluice.worker.health.MetricsText.Sample;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads GPUs from the metrics of NVIDIA's DCGM exporter. It exports the reasons of lowered clocks
 * only if its list of counters has them. A GPU with instances (MIG) has several series; its
 * temperature is the highest of them. For one thread.
 */
final class DcgmExporter implements GpuReader {
  static final Duration AT_MOST = Duration.ofSeconds(5);

  private static final List<String> CELSIUS = List.of("DCGM_FI_DEV_GPU_TEMP");

  /** The field's name since DCGM 3.3, and the one before. */
  private static final List<String> REASONS =
      List.of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS");

  private static final Set<String> NAMES =
      Set.of(CELSIUS.getFirst(), REASONS.getFirst(), REASONS.getLast());
  private static final long MOST_BYTES = 8 * 1024 * 1024;
  private static final int OK = 200;

  private final URI url;
  private final BoundedHttp http;

  /**
   * A reader of an exporter that need not answer yet.
   *
   * @param url its page of metrics
   * @param atMost how long an answer may take
   */
  DcgmExporter(URI url, Duration atMost) {
    this.url = url;
    this.http = BoundedHttp.of(atMost, MOST_BYTES);
  }

  @Override
  public List<Gpu> read() throws GpuReadingException, InterruptedException {
    HttpResponse<String> page = page();
    if (page.statusCode() != OK) {
      throw new GpuReadingException("%s answered with status %d".formatted(url, page.statusCode()));
    }
    List<Gpu> gpus = gpus(MetricsText.parse(page.body(), NAMES));
    if (gpus.isEmpty()) {
      throw new GpuReadingException(
          "%s has no metric %s; is it the page of a DCGM exporter?"
              .formatted(url, CELSIUS.getFirst()));
    }
    return gpus;
  }

  private HttpResponse<String> page() throws GpuReadingException, InterruptedException {
    try {
      return http.send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new GpuReadingException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    http.close();
  }

  private static List<Gpu> gpus(MetricsText text) {
    Map<String, Gpu> gpus = new LinkedHashMap<>();
    for (Sample sample : text.series(CELSIUS)) {
      add(gpus, sample, OptionalDouble.of(sample.value()), OptionalLong.empty());
    }
    for (Sample sample : text.series(REASONS)) {
      add(gpus, sample, OptionalDouble.empty(), OptionalLong.of((long) sample.value()));
    }
    return List.copyOf(gpus.values());
  }

  private static void add(
      Map<String, Gpu> gpus, Sample sample, OptionalDouble celsius, OptionalLong clockReasons) {
    Map<String, String> labels = sample.labels();
    String uuid = labels.getOrDefault("UUID", labels.getOrDefault("uuid", ""));
    String pod = labels.getOrDefault("pod", "");
    var gpu =
        new Gpu(
            labels.getOrDefault("gpu", uuid),
            uuid,
            pod.isEmpty() ? Set.of() : Set.of(pod),
            celsius,
            clockReasons);
    gpus.merge(gpu.index(), gpu, Gpu::and);
  }
}
