package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.standalone.backend.LocalPort;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An embedded Kafka that cannot go on. */
class FatalFaultIT {
  @TempDir private Path folder;

  @Test
  void itSaysThatItEndsTheProcess() throws Exception {
    Path data = folder.resolve("data");
    int port = LocalPort.settle(0, "Kafka");
    try (var kafka = ServiceProcess.start("kafka", Integer.toString(port), data.toString())) {
      // When
      delete(data);

      // Then
      assertThat(kafka.awaitLine("sluice: ")).contains("Kafka met a fault", "ends this process");
    }
  }

  /** Deletes a folder in which files may appear meanwhile. */
  private static void delete(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
