package io.sluice.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** Measures and deletes temporary folders. */
public final class Folders {
  private Folders() {}

  /** Deletes a folder and everything in it. */
  public static void delete(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * The bytes of the files in a folder whose names end so. Files may be deleted meanwhile.
   *
   * @param end empty for all files
   */
  public static long bytes(Path folder, String end) throws IOException {
    try (var files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(end) && Files.isRegularFile(file))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
