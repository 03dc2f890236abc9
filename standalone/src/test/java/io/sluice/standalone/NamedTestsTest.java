package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The tests that the docs name for a promise exist: {@code AClassTest}, {@code AClassTest.aMethod},
 * and further methods of the class behind it. A name may be cut with three dots.
 */
class NamedTestsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String METHOD = "[a-z]\\w*(?:\\.\\.\\.)?";
  private static final Pattern NAMED =
      Pattern.compile(
          "`([A-Z]\\w*(?:Test|IT))(?:\\.(%1$s))?`((?:,?\\s+(?:and\\s+)?`%1$s`)*)"
              .formatted(METHOD));
  private static final Pattern FURTHER = Pattern.compile("`(%s)`".formatted(METHOD));

  private final Map<String, Path> tests = new HashMap<>();

  NamedTestsTest() throws IOException {
    for (Path module : modules()) {
      try (Stream<Path> sources = Files.walk(module)) {
        sources
            .filter(path -> path.toString().endsWith(".java"))
            .forEach(path -> tests.put(path.getFileName().toString().replace(".java", ""), path));
      }
    }
  }

  @Test
  void theDocsNameOnlyTestsThatExist() throws IOException {
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Path page : pages()) {
      Matcher name = NAMED.matcher(Files.readString(page));
      while (name.find()) {
        named++;
        List<String> methods = new ArrayList<>();
        Optional.ofNullable(name.group(2)).ifPresent(methods::add);
        FURTHER.matcher(name.group(3)).results().forEach(found -> methods.add(found.group(1)));
        missing(name.group(1), methods)
            .forEach(test -> missing.add(ROOT.relativize(page) + ": " + test));
      }
    }

    assertThat(missing).isEmpty();
    assertThat(named).isGreaterThan(200);
  }

  private List<String> missing(String test, List<String> methods) throws IOException {
    Path source = tests.get(test);
    if (source == null) {
      return List.of(test);
    }
    String text = Files.readString(source);
    return methods.stream()
        .filter(method -> !Pattern.compile("void " + begins(method) + "\\(").matcher(text).find())
        .map(method -> test + "." + method)
        .toList();
  }

  private static String begins(String method) {
    return method.replace("...", "\\w*");
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT)) {
      return folders
          .map(folder -> folder.resolve("src").resolve("test").resolve("java"))
          .filter(Files::isDirectory)
          .toList();
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> root = Files.list(ROOT)) {
      return Stream.concat(docs, root).filter(path -> path.toString().endsWith(".md")).toList();
    }
  }
}
