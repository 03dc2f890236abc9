package io.sluice.bench.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkewedTimeTest {
  private static final Duration OFF = Duration.ofHours(-3);

  @TempDir private Path folder;

  @Test
  void only_what_stamps_records_sees_the_skewed_clock() throws Exception {
    var file = new ClockFile(folder.resolve("b1.clock"));
    file.set(OFF);
    assertThat(file.offset()).isEqualTo(OFF);
    var time = new SkewedTime(file);
    var stamp = new AtomicLong();
    Thread.ofPlatform()
        .name("data-plane-kafka-request-handler-0")
        .start(() -> stamp.set(time.milliseconds()))
        .join();

    assertThat(stamp.get()).isCloseTo(System.currentTimeMillis() + OFF.toMillis(), within(60_000L));
    assertThat(time.milliseconds()).isCloseTo(System.currentTimeMillis(), within(60_000L));
  }
}
