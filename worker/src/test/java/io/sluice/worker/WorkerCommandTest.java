package io.sluice.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class WorkerCommandTest {

  @Test
  void aWrongSettingIsWrongUsage() {
    var errors = new StringWriter();
    var command = new CommandLine(new WorkerCommand()).setErr(new PrintWriter(errors));

    int exit = command.execute("--id", "w", "--engine", "nowhere");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString())
        .contains("'engine-url' must be a URL such as http://127.0.0.1:8000, not 'nowhere'");
  }

  @Test
  void aSettingThatDoesNotExistIsWrongUsage() {
    var errors = new StringWriter();
    var command = new CommandLine(new WorkerCommand()).setErr(new PrintWriter(errors));

    int exit = command.execute("--id", "w", "--set", "colour=red");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("unknown worker setting 'colour'");
  }
}
