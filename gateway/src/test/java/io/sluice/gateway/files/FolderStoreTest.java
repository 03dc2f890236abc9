package io.sluice.gateway.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderStoreTest extends ObjectStoreContractTest {
  @TempDir private Path folder;

  @Override
  ObjectStore open() {
    return FolderStore.open(folder);
  }

  @Test
  void anotherGatewaySeesTheSame() {
    // Given
    try (ObjectStore one = open();
        ObjectStore other = open()) {
      // When
      one.put("a/b", new byte[] {1});

      // Then
      assertThat(other.get("a/b")).contains(new byte[] {1});
    }
  }

  @Test
  void whatACrashLeftIsRemovedAfterADay() throws Exception {
    // Given
    Path unfinished = Files.createDirectories(folder.resolve(".unfinished"));
    Path old = Files.write(unfinished.resolve("old"), new byte[3]);
    Path young = Files.write(unfinished.resolve("young"), new byte[3]);
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(2))));

    // When
    try (ObjectStore store = open()) {
      // Then
      assertThat(old).doesNotExist();
      assertThat(young).exists();
      assertThat(store.list("")).isEmpty();
    }
  }

  @Test
  void aFolderIsOpenedWhileAnotherGatewayWrites() throws Exception {
    // Given
    AtomicBoolean isOver = new AtomicBoolean();
    try (ObjectStore store = open()) {
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (!isOver.get()) {
                      store.put("a/b", new byte[1]);
                    }
                  });

      // When, Then
      try {
        for (int i = 0; i < 200; i++) {
          open().close();
        }
      } finally {
        isOver.set(true);
        writer.join();
      }
    }
  }

  @Test
  void deletedValuesLeaveNoFolders() throws Exception {
    // Given
    try (ObjectStore store = open()) {
      store.put("a/b/c", new byte[1]);

      // When
      store.delete("a/b/c");
    }

    // Then
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(folder.resolve(".unfinished"));
    }
  }

  @Test
  void writersAndDeletersOfOneFolderDoNotDisturbEachOther() throws Exception {
    try (ObjectStore store = open()) {
      // Given
      AtomicBoolean isOver = new AtomicBoolean();
      Thread deleter =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!isOver.get()) {
                      store.delete("a/b/other");
                    }
                  });

      // When
      try {
        for (int i = 0; i < 50; i++) {
          store.put("a/b/other", new byte[1]);
          store.put("a/b/mine", new byte[1]);
          assertThat(store.get("a/b/mine")).isPresent();
          store.delete("a/b/mine");
        }
      } finally {
        isOver.set(true);
        deleter.join();
      }
    }
  }

  @Test
  void anErrorSaysWhatWasTried() throws Exception {
    // Given
    Path file = Files.write(folder.resolve("file"), new byte[1]);

    // Then
    assertThatThrownBy(() -> FolderStore.open(file))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot open the folder " + file);
  }
}
