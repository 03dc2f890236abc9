package io.sluice.bench.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
  @TempDir private Path folder;

  @Test
  void theBytesOfAFolderAreThoseOfItsFilesByTheEndOfTheirNames() throws Exception {
    Path below = Files.createDirectories(folder.resolve("a").resolve("b"));
    Files.writeString(below.resolve("0.log"), "123");
    Files.writeString(folder.resolve("0.index"), "12");

    assertThat(Folders.bytes(folder, "")).isEqualTo(5);
    assertThat(Folders.bytes(folder, ".log")).isEqualTo(3);
  }

  @Test
  void filesMayBeDeletedMeanwhile() throws Exception {
    var isOver = new AtomicBoolean();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!isOver.get()) {
                    makeAndDelete();
                  }
                });
    try {
      for (int i = 0; i < 500; i++) {
        assertThat(Folders.bytes(folder, "")).isBetween(0L, 200L);
      }
    } finally {
      isOver.set(true);
      other.join();
    }
  }

  private void makeAndDelete() {
    try {
      for (int i = 0; i < 20; i++) {
        Files.writeString(folder.resolve("f" + i), "123");
      }
      for (int i = 0; i < 20; i++) {
        Files.delete(folder.resolve("f" + i));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
