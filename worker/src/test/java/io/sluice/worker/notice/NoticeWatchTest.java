package io.sluice.worker.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.worker.intake.Drain;
import io.sluice.worker.intake.RunningGenerations;
import io.sluice.worker.testing.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class NoticeWatchTest {
  @TempDir private Path folder;

  private final ManualTime time = new ManualTime();
  private final Drain drain = new Drain(new RunningGenerations(), Duration.ZERO, Duration.ZERO);

  @Test
  void aNoticeDrainsTheWorkerUntilItIsWithdrawn() throws Exception {
    Path file = folder.resolve("notice");
    var watch = new NoticeWatch(List.of(new FileNotice(file, time)), drain);
    watch.ask();
    assertThat(drain.isDraining()).isFalse();

    write(file, "");
    watch.ask();

    assertThat(drain.isDraining()).isTrue();
    assertThat(watch.isGoing()).isTrue();

    Files.delete(file);
    watch.ask();

    assertThat(drain.isDraining()).isFalse();
    assertThat(watch.isGoing()).isFalse();
  }

  @Test
  void aSourceThatFailsNeitherEndsANoticeNorHidesThatOfAnother() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken"), "in a while");
    Path file = folder.resolve("notice");
    var watch =
        new NoticeWatch(List.of(new FileNotice(broken, time), new FileNotice(file, time)), drain);
    watch.ask();
    assertThat(drain.isDraining()).isFalse();

    write(file, "60");
    watch.ask();
    Files.delete(file);
    watch.ask();

    assertThat(drain.isDraining()).isTrue();
  }

  @Test
  void aFileTellsTheSecondsSinceItsLastChange() throws Exception {
    Path file = folder.resolve("notice");
    write(file, "60\n");
    time.advance(Duration.ofSeconds(20));

    assertThat(new FileNotice(file, time).timeLeft()).contains(Duration.ofSeconds(40));
  }

  @Test
  void anEmptyFileIsTheUsualNotice() throws Exception {
    Path file = folder.resolve("notice");
    write(file, "");

    assertThat(new FileNotice(file, time).timeLeft()).contains(Duration.ofMinutes(2));
  }

  @Test
  void aFileWithAnythingElseIsAnErrorThatSaysWhatToWrite() throws Exception {
    Path file = Files.writeString(folder.resolve("notice"), "x".repeat(1_000));

    assertThatThrownBy(() -> new FileNotice(file, time).timeLeft())
        .hasMessageContaining("must hold a number of seconds, or nothing");
  }

  private void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(time.instant()));
  }
}
