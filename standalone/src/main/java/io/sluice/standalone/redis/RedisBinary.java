package io.sluice.standalone.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis executable that may or may not run here.
 *
 * @param origin where it is from, for people
 * @param locator finds it, given a directory it may be unpacked to
 */
record RedisBinary(String origin, Locator locator) {

  @FunctionalInterface
  interface Locator {
    Path locate(Path directory) throws IOException;
  }

  /** In the order to try: the bundled one first, since it is the same on every machine. */
  static List<RedisBinary> candidates() {
    return List.of(
        new RedisBinary(
            "bundled Redis",
            directory ->
                ExecutableProvider.newJarResourceProvider(directory.toFile()).get().toPath()),
        new RedisBinary(
            "installed redis-server",
            directory -> ExecutableProvider.newExecutableInPath("redis-server").get().toPath()));
  }
}
