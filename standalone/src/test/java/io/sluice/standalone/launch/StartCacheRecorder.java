package io.sluice.standalone.launch;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Records the start-up cache of the module's jars, which the build runs before integration tests.
 */
public final class StartCacheRecorder {
  private static final int WITHIN_MINUTES = 5;

  private StartCacheRecorder() {}

  /** Argument: the jar of the module. */
  public static void main(String[] arguments) throws Exception {
    StartCache cache = new StartCache(Path.of(arguments[0]));
    if (cache.isCurrent()) {
      return;
    }
    Files.deleteIfExists(cache.file());
    Path log = cache.jar().resolveSibling("pool.aot.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(StartCache.FLAGS);
    command.addAll(
        List.of(
            "-Xmx512m",
            // With the second compiler it also records what to compile, which slows down the start.
            "-XX:TieredStopAtLevel=1",
            "-XX:AOTCacheOutput=" + cache.file(),
            "-cp",
            cache.classPath(),
            "io.sluice.standalone.Main",
            "warm-up-pool"));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(WITHIN_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IllegalStateException(
          "the start-up cache was not recorded:\n" + Files.readString(log));
    }
  }
}
