package io.sluice.standalone.launch;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The JVM's ahead-of-time cache of the classes of a pool, which the build records next to its jars.
 * With it, a service starts with half of the processor time. Immutable.
 *
 * <p>A JVM uses it only if its class path begins with the same jars in the same order, and if it
 * has {@link #FLAGS} and the options for native access that the recording JVM had (<a
 * href="https://openjdk.org/jeps/483">JEP 483</a>). Otherwise it starts without.
 *
 * @param jar the jar of this module; its libraries are in the folder {@code lib} next to it
 */
public record StartCache(Path jar) {
  /** The options that must be equal when the cache is recorded and when it is used. */
  public static final List<String> FLAGS =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:+UseCompactObjectHeaders",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  /** Otherwise it warns of machine code that it makes again (JDK-8364929). */
  private static final String QUIET = "-Xlog:aot+codecache*=off";

  /** Contains a class that replaces one of Kafka's. */
  private static final String FIRST_LIBRARY = "sluice-services-";

  /** Returns the cache of the jar that this class is from; empty if it is from no built module. */
  public static Optional<StartCache> ofThisModule() {
    try {
      Path source =
          Path.of(StartCache.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      StartCache cache = new StartCache(source);
      return Files.isRegularFile(source) && Files.isDirectory(cache.libraries())
          ? Optional.of(cache)
          : Optional.empty();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the options with which a JVM gets this JVM's class path, and its start-up cache if
   * there is a current one. They are to be followed by {@link #FLAGS}.
   */
  public static List<String> classPathOptions() {
    String classPath = System.getProperty("java.class.path");
    return ofThisModule()
        .filter(StartCache::isCurrent)
        .map(
            cache ->
                List.of(
                    "-XX:AOTCache=" + cache.file(),
                    QUIET,
                    "-cp",
                    cache.classPath() + File.pathSeparator + classPath))
        .orElse(List.of("-cp", classPath));
  }

  /** Returns where the cache is, or would be. */
  public Path file() {
    return jar.resolveSibling("pool.aot");
  }

  /** Returns whether there is a cache that is not older than the jars. */
  public boolean isCurrent() {
    try {
      if (!Files.exists(file())) {
        return false;
      }
      long recorded = Files.getLastModifiedTime(file()).toMillis();
      for (Path each : jars()) {
        if (Files.getLastModifiedTime(each).toMillis() > recorded) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the jars of the launcher, in its order. */
  public String classPath() {
    return String.join(File.pathSeparator, jars().stream().map(Path::toString).toList());
  }

  private List<Path> jars() {
    List<Path> jars = new ArrayList<>(List.of(jar));
    try (Stream<Path> files = Files.list(libraries())) {
      files
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted(
              Comparator.comparing((Path file) -> !name(file).startsWith(FIRST_LIBRARY))
                  .thenComparing(StartCache::name))
          .forEach(jars::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return jars;
  }

  private Path libraries() {
    return jar.resolveSibling("lib");
  }

  private static String name(Path file) {
    return file.getFileName().toString();
  }
}
