package io.sluice.standalone.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The cache that the build has recorded. */
class StartCacheIT {

  @Test
  void processesOfTestsUseIt() throws Exception {
    // Given
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(StartCache.FLAGS);
    command.addAll(StartCache.classPathOptions());
    // Without it, the JVM does not start.
    command.addAll(List.of("-XX:AOTMode=on", "io.sluice.standalone.Main", "--version"));

    // When
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());

    // Then
    assertThat(command).anyMatch(option -> option.startsWith("-XX:AOTCache="));
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
  }
}
