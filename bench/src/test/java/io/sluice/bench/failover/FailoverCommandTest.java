package io.sluice.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FailoverCommandTest {
  private final StringWriter errors = new StringWriter();

  @Test
  void anUnknownFailureIsWrongUsage() {
    assertThat(execute("--only", "kill -9 worker,flood")).isEqualTo(2);
    assertThat(errors.toString()).contains("--only: no failure contains 'flood'");
  }

  @Test
  void aRunNeedsARoundAndAStream() {
    assertThat(execute("--rounds", "0")).isEqualTo(2);
    assertThat(execute("--streams", "0")).isEqualTo(2);
    assertThat(errors.toString()).contains("must be more than 0");
  }

  private int execute(String... arguments) {
    return new CommandLine(new FailoverCommand())
        .setErr(new PrintWriter(errors))
        .execute(arguments);
  }
}
