package io.sluice.bench.upgrade;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A built checkout of Sluice.
 *
 * @param name as the table shows it
 * @param classPath of its command line
 */
record Build(String name, String classPath) {
  private static final String SERVICES = "sluice-services-";

  /**
   * Finds the jars of a checkout.
   *
   * @throws IOException if it is not built
   */
  static Build of(String name, Path checkout) throws IOException {
    Path target = checkout.resolve("standalone").resolve("target");
    List<Path> own = jars(target, "sluice-standalone-");
    List<Path> others = jars(target.resolve("lib"), "");
    if (own.isEmpty() || others.isEmpty()) {
      throw new IOException(
          "%s is not built: run %s --help first".formatted(checkout, checkout.resolve("sluice")));
    }
    // The jar of the services comes before Kafka's, as in the launcher.
    String classPath =
        Stream.of(
                own.stream(),
                others.stream().filter(Build::isServices),
                others.stream().filter(jar -> !isServices(jar)))
            .flatMap(jars -> jars)
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator));
    return new Build(name, classPath);
  }

  private static boolean isServices(Path jar) {
    return jar.getFileName().toString().startsWith(SERVICES);
  }

  private static List<Path> jars(Path folder, String prefix) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .filter(file -> file.toString().endsWith(".jar"))
          .sorted()
          .toList();
    }
  }
}
