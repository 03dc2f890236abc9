package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The image's build gets all modules. */
class ImageSourcesTest {
  private static final Path ROOT = Path.of("..");

  @Test
  void everyModuleIsCopied() throws IOException {
    // Given
    List<String> modules =
        Pattern.compile("<module>(.+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")))
            .results()
            .map((MatchResult found) -> found.group(1))
            .toList();
    List<String> context = Files.readAllLines(ROOT.resolve(".dockerignore"));
    List<String> steps = Files.readAllLines(ROOT.resolve("Dockerfile"));

    // Then
    assertThat(modules)
        .contains("gateway")
        .allSatisfy(
            module -> {
              assertThat(context).contains("!" + module + "/");
              assertThat(steps).contains("COPY %1$s/pom.xml %1$s/".formatted(module));
            });
  }
}
