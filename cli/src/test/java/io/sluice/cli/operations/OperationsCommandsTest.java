package io.sluice.cli.operations;

import static io.sluice.cli.testing.TestCommands.unusedAddress;
import static io.sluice.cli.testing.TestCommands.withOneLineErrors;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OperationsCommandsTest {
  private final StringWriter err = new StringWriter();

  @Test
  void aRedisThatIsAwayIsOneLineThatSaysWhatToDo() throws Exception {
    // Given
    String address = unusedAddress();

    // When
    int code = run(new TopCommand(), "--redis", "redis://user:secret@" + address);

    // Then
    assertThat(code).isEqualTo(1);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "cannot reach Redis at redis://"
                + address
                + ": start the local stack with ./sluice up, or set another address with --redis");
  }

  @Test
  void whatCannotBeMeantIsWrongUsage() {
    assertThat(run(new TopCommand(), "--interval", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--interval must be at least 1");
    assertThat(run(new WorkerListCommand(), "--redis", "somewhere")).isEqualTo(2);
    assertThat(err.toString()).contains("must be like redis://");
    assertThat(run(new BreakerCommand(), "explode", "w1")).isEqualTo(2);
    assertThat(err.toString()).contains("explode");
    assertThat(run(new BreakerCommand(), "open")).isEqualTo(2);
  }

  private int run(Object command, String... args) {
    err.getBuffer().setLength(0);
    return withOneLineErrors(new CommandLine(command))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
