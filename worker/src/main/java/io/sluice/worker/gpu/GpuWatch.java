package io.sluice.worker.gpu;

import io.sluice.worker.clock.Periodic;
import io.sluice.worker.config.GpuSettings;
import io.sluice.worker.config.GpuSource;
import io.sluice.worker.limit.HeatLimit;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the engine's GPUs every five seconds, on a thread of its own. While one is hot or slowed
 * down, each reading lowers the limit of requests. When none is slowed down, and all are {@value
 * #MARGIN} degrees below the mark, each reading raises it; so does one that fails. Thread-safe.
 */
public final class GpuWatch implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /** Between the mark and this far below it, the limit stays as it is. */
  private static final int MARGIN = 5;

  private static final Logger log = LoggerFactory.getLogger(GpuWatch.class);

  /** What the readings tell. */
  private enum State {
    OFF,
    UNREAD,
    UNKNOWN,
    NORMAL,
    HOT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Optional<GpuReader> reader;
  private final GpuChoice choice;
  private final int hotCelsius;
  private final HeatLimit limit;
  private final Consumer<List<Gpu>> listener;
  private final Periodic loop;
  private volatile State state;

  /** A watch that has not started. */
  GpuWatch(
      Optional<GpuReader> reader,
      GpuSettings settings,
      HeatLimit limit,
      Consumer<List<Gpu>> listener) {
    this.reader = reader;
    this.choice = new GpuChoice(settings.gpus());
    this.hotCelsius = settings.hotCelsius();
    this.limit = limit;
    this.listener = listener;
    this.state = reader.isPresent() ? State.UNREAD : State.OFF;
    this.loop = new Periodic("sluice-gpu", PAUSE, () -> read(reader.orElseThrow()));
  }

  /**
   * Returns the watch that the settings ask for.
   *
   * @param listener gets each reading; an empty one if it failed
   */
  public static GpuWatch of(GpuSettings settings, HeatLimit limit, Consumer<List<Gpu>> listener) {
    return new GpuWatch(reader(settings.source()), settings, limit, listener);
  }

  private static Optional<GpuReader> reader(GpuSource source) {
    return switch (source) {
      case GpuSource.None _ -> Optional.empty();
      case GpuSource.NvidiaSmi _ -> Optional.of(new NvidiaSmi("nvidia-smi", NvidiaSmi.AT_MOST));
      case GpuSource.Exporter exporter ->
          Optional.of(new DcgmExporter(exporter.url(), DcgmExporter.AT_MOST));
    };
  }

  /** Begins to read, if the settings say so. */
  public void start() {
    if (reader.isPresent()) {
      loop.start();
    }
  }

  /**
   * Returns what the last reading tells: {@code normal} or {@code hot}; {@code off} if nothing is
   * read, {@code unread} before the first reading, and {@code unknown} after one that failed.
   */
  public String state() {
    return state.toString();
  }

  /** Ends the readings; one in progress is given up. */
  @Override
  public void close() {
    loop.close();
    reader.ifPresent(GpuReader::close);
  }

  /** Takes one reading. An unexpected exception is a failed one. */
  void read(GpuReader from) throws InterruptedException {
    try {
      observe(choice.of(from.read()));
    } catch (GpuReadingException e) {
      fail(e.getMessage());
    } catch (RuntimeException e) {
      fail(e.toString());
    }
  }

  private void fail(@Nullable String reason) {
    limit.raise();
    listener.accept(List.of());
    if (state != State.UNKNOWN) {
      log.warn("event=gpu_unreadable reason=\"{}\"", reason);
      state = State.UNKNOWN;
    }
  }

  private void observe(List<Gpu> gpus) {
    listener.accept(gpus);
    if (state == State.UNREAD || state == State.UNKNOWN) {
      log.info("event=gpu_readable gpus={}", gpus);
      state = State.NORMAL;
    }
    List<Gpu> hot = gpus.stream().filter(this::isHot).toList();
    if (!hot.isEmpty()) {
      limit.lower();
      if (state != State.HOT) {
        log.warn("event=gpu_hot gpus={}", hot);
        state = State.HOT;
      }
    } else if (gpus.stream().allMatch(this::isCool)) {
      limit.raise();
      if (state == State.HOT) {
        log.info("event=gpu_cooled gpus={}", gpus);
        state = State.NORMAL;
      }
    }
  }

  private boolean isHot(Gpu gpu) {
    return gpu.celsius().orElse(0) > hotCelsius || !gpu.slowdowns().isEmpty();
  }

  private boolean isCool(Gpu gpu) {
    return gpu.celsius().orElse(0) <= hotCelsius - MARGIN && gpu.slowdowns().isEmpty();
  }
}
