package io.sluice.standalone.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import redis.embedded.core.ExecutableProvider;

/**
 * A Redis executable that may or may not run on this machine.
 *
 * @param origin where it comes from, for messages
 * @param locator finds it, given a directory into which it may be unpacked
 */
record RedisBinary(String origin, Locator locator) {

  @FunctionalInterface
  interface Locator {
    Path locate(Path directory) throws IOException;
  }

  /**
   * Returns the executables in the order to try them: the bundled one first, because it is the same
   * on every machine.
   */
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
