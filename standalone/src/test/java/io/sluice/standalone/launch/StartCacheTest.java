package io.sluice.standalone.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCacheTest {
  private static final Instant BUILT = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir private Path folder;
  private StartCache cache;

  @BeforeEach
  void build() throws IOException {
    Files.createDirectory(folder.resolve("lib"));
    cache = new StartCache(file("sluice-standalone-1.jar", BUILT));
    file("lib/kafka-1.jar", BUILT);
    file("lib/kafka_2-1.jar", BUILT);
    file("lib/sluice-services-1.jar", BUILT);
    file("lib/notes.txt", BUILT);
  }

  @Test
  void theJarsAreInTheOrderOfTheLauncher() {
    assertThat(cache.classPath().replace(folder + "/", ""))
        .isEqualTo(
            "sluice-standalone-1.jar:lib/sluice-services-1.jar:lib/kafka-1.jar:lib/kafka_2-1.jar");
  }

  @Test
  void aCacheIsCurrentUntilAJarIsBuiltAgain() throws IOException {
    assertThat(cache.isCurrent()).isFalse();

    file("pool.aot", BUILT.plusSeconds(1));
    assertThat(cache.isCurrent()).isTrue();

    file("lib/kafka-1.jar", BUILT.plusSeconds(2));
    assertThat(cache.isCurrent()).isFalse();
  }

  private Path file(String name, Instant modified) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, name);
    Files.setLastModifiedTime(file, FileTime.from(modified));
    return file;
  }
}
