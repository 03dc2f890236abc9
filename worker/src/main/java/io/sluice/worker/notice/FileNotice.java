package io.sluice.worker.notice;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/**
 * A file that an agent of the machine creates. It holds the seconds that are left, counted from its
 * last change; an empty one means two minutes, the notice of most clouds.
 *
 * @param clock the clock of the file system
 */
record FileNotice(Path file, Clock clock) implements NoticeSource {
  private static final Duration USUAL = Duration.ofMinutes(2);
  private static final int LONGEST_TEXT = 9;

  @Override
  public String name() {
    return "file";
  }

  @Override
  public Optional<Duration> timeLeft() throws IOException {
    try {
      FileTime changed = Files.getLastModifiedTime(file);
      Duration passed = Duration.between(changed.toInstant(), clock.instant());
      return Optional.of(notice().minus(passed));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private Duration notice() throws IOException {
    if (Files.size(file) > LONGEST_TEXT) {
      throw new IOException(file + " must hold a number of seconds, or nothing");
    }
    String text = Files.readString(file).strip();
    try {
      return text.isEmpty() ? USUAL : Duration.ofSeconds(Integer.parseInt(text));
    } catch (NumberFormatException e) {
      throw new IOException(file + " must hold a number of seconds, or nothing", e);
    }
  }
}
