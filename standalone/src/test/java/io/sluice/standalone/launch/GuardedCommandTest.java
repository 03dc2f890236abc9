package io.sluice.standalone.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GuardedCommandTest {
  private static final List<String> LONG = List.of("sleep", "600");

  static Stream<List<String>> commands() {
    return Stream.of(
        GuardedCommand.of(LONG),
        GuardedCommand.inSession(LONG),
        GuardedCommand.ofGroup(List.of("sh", "-c", "sleep 600; exit 1")));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void itEndsWhenItsStandardInputIsClosed(List<String> command)
      throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).start();
    try {
      assertThat(process.isAlive()).isTrue();

      process.getOutputStream().close();

      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(128 + 9);
    } finally {
      process.destroyForcibly();
    }
  }
}
