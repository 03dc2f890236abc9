package io.sluice.bench.torture.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * By how much a process's wall clock is off: a file with a sign and seconds, which the process
 * reads now and then. It is what libfaketime takes too.
 */
record ClockFile(Path path) {
  /** The clock steps; felt within a second. */
  void set(Duration offset) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.writeString(next, "%+d".formatted(offset.toSeconds()));
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** What was set last. */
  Duration offset() throws IOException {
    return Duration.ofSeconds(Long.parseLong(Files.readString(path).strip()));
  }
}
