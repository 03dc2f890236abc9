package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.concurrent.atomic.LongAdder;

/** Measures folders. */
public final class Folders {
  private Folders() {}

  /**
   * Returns the bytes of the files in a folder whose names end so. Files may be deleted meanwhile.
   *
   * @param end empty for all files
   */
  public static long bytes(Path folder, String end) throws IOException {
    var bytes = new LongAdder();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(end)) {
              bytes.add(attributes.size());
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return bytes.sum();
  }
}
