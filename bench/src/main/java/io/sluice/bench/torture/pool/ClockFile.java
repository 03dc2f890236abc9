package io.sluice.bench.torture.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Locale;

/**
 * The offset of a process's wall clock, in a file that the process reads again and again. It holds
 * a sign and seconds, which is a format of libfaketime.
 */
record ClockFile(Path path) {
  /** Makes the clock step; the process sees it within a second. */
  void set(Duration offset) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.writeString(next, String.format(Locale.ROOT, "%+d", offset.toSeconds()));
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns the offset that was set last. */
  Duration offset() throws IOException {
    return Duration.ofSeconds(Long.parseLong(Files.readString(path).strip()));
  }
}
