package io.sluice.worker.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.worker.config.GpuSettings;
import io.sluice.worker.config.GpuSource;
import io.sluice.worker.limit.HeatLimit;
import io.sluice.worker.testing.LogLines;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class GpuWatchTest {
  private static final GpuSource SOURCE =
      new GpuSource.Exporter(URI.create("http://127.0.0.1:9400/metrics"));

  private final HeatLimit limit = new HeatLimit(() -> 100);
  private final List<List<Gpu>> shown = new ArrayList<>();
  private final LogLines log = LogLines.of(GpuWatch.class);

  @AfterEach
  void stop() {
    log.close();
  }

  @Test
  void aHotGpuLowersTheLimitUntilAllAreFiveDegreesBelowTheMark() throws Exception {
    GpuWatch watch = watch();

    reads(watch, gpu("0", 70), gpu("1", 85));
    assertThat(limit.limit()).isEqualTo(100);
    assertThat(watch.state()).isEqualTo("normal");

    reads(watch, gpu("0", 70), gpu("1", 86));
    reads(watch, gpu("0", 70), gpu("1", 86));
    assertThat(limit.limit()).isEqualTo(64);
    assertThat(watch.state()).isEqualTo("hot");

    reads(watch, gpu("0", 70), gpu("1", 85));
    reads(watch, gpu("0", 70), gpu("1", 81));
    assertThat(limit.limit()).isEqualTo(64);
    assertThat(watch.state()).isEqualTo("hot");

    reads(watch, gpu("0", 70), gpu("1", 80));
    assertThat(limit.limit()).isEqualTo(70);
    assertThat(watch.state()).isEqualTo("normal");
    assertThat(log.lines())
        .containsExactly(
            "event=gpu_readable gpus=[0: 70 C, 1: 85 C]",
            "event=gpu_hot gpus=[1: 86 C]",
            "event=gpu_cooled gpus=[0: 70 C, 1: 80 C]");
  }

  @Test
  void aGpuThatIsSlowedDownLowersTheLimitHoweverCoolItIs() throws Exception {
    GpuWatch watch = watch();

    reads(watch, gpu("0", 60, 0x80));

    assertThat(limit.limit()).isEqualTo(80);
    assertThat(log.lines()).last().isEqualTo("event=gpu_hot gpus=[0: 60 C power-brake]");
  }

  @Test
  void aGpuAtItsPowerCapIsNotSlowedDown() throws Exception {
    GpuWatch watch = watch();

    reads(watch, gpu("0", 60, 0x4));

    assertThat(limit.limit()).isEqualTo(100);
  }

  @Test
  void onlyTheEnginesGpusCount() throws Exception {
    GpuWatch watch = watch("gpu-2");

    reads(watch, gpu("1", 95), gpu("2", 60));

    assertThat(limit.limit()).isEqualTo(100);
    assertThat(shown.getLast()).containsExactly(gpu("2", 60));
  }

  @Test
  void aGpuThatIsNotListedIsTold() throws Exception {
    GpuWatch watch = watch("0", "7");

    reads(watch, gpu("0", 60), gpu("1", 60));

    assertThat(watch.state()).isEqualTo("unknown");
    assertThat(log.lines())
        .containsExactly(
            "event=gpu_unreadable reason=\"--gpu names 7, which is not listed; there are 0"
                + " (GPU-0), 1 (GPU-1)\"");
  }

  @Test
  void aGpuThatTellsNothingIsTold() throws Exception {
    GpuWatch watch = watch();

    reads(watch, new Gpu("0", "GPU-0", Set.of(), OptionalDouble.empty(), OptionalLong.empty()));

    assertThat(log.lines())
        .containsExactly(
            "event=gpu_unreadable reason=\"no temperature and no clocks are reported for 0"
                + " (GPU-0); check --gpu and --gpu-readings\"");
  }

  @Test
  void readingsThatFailLetTheLimitRiseAndAreToldOnce() throws Exception {
    GpuWatch watch = watch();
    reads(watch, gpu("0", 90));

    fails(watch);
    fails(watch);
    fails(watch);

    assertThat(limit.limit()).isEqualTo(100);
    assertThat(shown.getLast()).isEmpty();
    reads(watch, gpu("0", 60));
    assertThat(log.lines())
        .containsExactly(
            "event=gpu_readable gpus=[0: 90 C]",
            "event=gpu_hot gpus=[0: 90 C]",
            "event=gpu_unreadable reason=\"away\"",
            "event=gpu_readable gpus=[0: 60 C]");
  }

  @Test
  void anUnexpectedExceptionIsAFailure() throws Exception {
    GpuWatch watch = watch();

    watch.read(
        () -> {
          throw new IllegalStateException("broken");
        });

    assertThat(watch.state()).isEqualTo("unknown");
  }

  @Test
  void itReadsOnceStartedAndClosesItsReader() {
    // Given
    var isClosed = new AtomicBoolean();
    var reader =
        new GpuReader() {
          @Override
          public List<Gpu> read() {
            return List.of(gpu("0", 90));
          }

          @Override
          public void close() {
            isClosed.set(true);
          }
        };
    GpuWatch watch = watch(Optional.of(reader));
    assertThat(watch.state()).isEqualTo("unread");

    // When
    watch.start();

    // Then
    await().until(() -> watch.state().equals("hot"));
    watch.close();
    await().untilTrue(isClosed);
  }

  private GpuWatch watch(String... gpus) {
    return watch(Optional.of(List::of), gpus);
  }

  private GpuWatch watch(Optional<GpuReader> reader, String... gpus) {
    return new GpuWatch(reader, new GpuSettings(SOURCE, List.of(gpus), 85), limit, shown::add);
  }

  private static void reads(GpuWatch watch, Gpu... gpus) throws InterruptedException {
    watch.read(() -> List.of(gpus));
  }

  private static void fails(GpuWatch watch) throws InterruptedException {
    watch.read(
        () -> {
          throw new GpuReadingException("away");
        });
  }

  private static Gpu gpu(String index, double celsius) {
    return gpu(index, celsius, 0);
  }

  private static Gpu gpu(String index, double celsius, long reasons) {
    return new Gpu(
        index, "GPU-" + index, Set.of(), OptionalDouble.of(celsius), OptionalLong.of(reasons));
  }
}
