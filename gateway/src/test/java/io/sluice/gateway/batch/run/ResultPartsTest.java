package io.sluice.gateway.batch.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.files.FileStore;
import io.sluice.gateway.files.StoredFile.Part;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ResultPartsTest {
  private final Locale before = Locale.getDefault();

  @AfterEach
  void restore() {
    Locale.setDefault(before);
  }

  @Test
  void theNamesOfPartsDoNotDependOnTheLocale() {
    // Given a machine that writes numbers with its own digits
    Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
    FileStore files = new FileStore(new MemoryObjects(), Clock.systemUTC());
    ResultParts parts = new ResultParts(files, files.newId(), "acme", "run", List.of());
    parts.append("{}\n".getBytes(UTF_8));

    // When
    List<Part> stored = parts.flush();

    // Then
    assertThat("%d".formatted(7)).isNotEqualTo("7");
    assertThat(stored).containsExactly(new Part("run-00000000", 3));
  }
}
