package io.sluice.bench.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildTest {
  @TempDir private Path checkout;

  @Test
  void theServicesComeBeforeKafkaBecauseOneOfTheirClassesReplacesOneOfKafkas() throws Exception {
    // Given
    Path target = checkout.resolve("standalone").resolve("target");
    Files.createDirectories(target.resolve("lib"));
    Path own = Files.createFile(target.resolve("sluice-standalone-1.jar"));
    Path kafka = Files.createFile(target.resolve("lib").resolve("kafka-clients-4.jar"));
    Path services = Files.createFile(target.resolve("lib").resolve("sluice-services-1.jar"));

    // When
    Build build = Build.of("old", checkout);

    // Then
    assertThat(build.classPath().split(":"))
        .containsExactly(own.toString(), services.toString(), kafka.toString());
  }

  @Test
  void aCheckoutThatIsNotBuiltIsOneClearError() {
    assertThatThrownBy(() -> Build.of("old", checkout))
        .isInstanceOf(IOException.class)
        .hasMessage("%s is not built: run %s --help first", checkout, checkout.resolve("sluice"));
  }
}
