package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The glossary stays short enough to be read before the other pages. */
class GlossaryTest {
  private static final int MAX_TERMS = 30;
  private static final Path PAGE = Path.of("..", "docs", "architecture.md");

  @Test
  void itHasFewTermsAndDefinesEachOnce() throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .dropWhile(line -> !line.equals("## Glossary"))
            .skip(1)
            .takeWhile(line -> !line.startsWith("## "))
            .filter(line -> line.startsWith("| "))
            .skip(2)
            .toList();

    assertThat(rows)
        .flatExtracting(row -> terms(row).toList())
        .isNotEmpty()
        .hasSizeLessThanOrEqualTo(MAX_TERMS)
        .doesNotHaveDuplicates();
  }

  private static Stream<String> terms(String row) {
    return Arrays.stream(row.split("\\|", -1)[1].split(",", -1)).map(String::strip);
  }
}
