package io.sluice.worker.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class WorkerCommandTest {

  @Test
  void aWrongSettingIsWrongUsage() {
    var errors = new StringWriter();
    var command = new CommandLine(WorkerCommand.spec()).setErr(new PrintWriter(errors));

    int exit = command.execute("--id", "w", "--engine", "nowhere");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString())
        .contains("--engine-url is 'nowhere', but must be a URL such as http://127.0.0.1:8000");
  }

  @Test
  void aSettingThatDoesNotExistIsWrongUsage() {
    var errors = new StringWriter();
    var command = new CommandLine(WorkerCommand.spec()).setErr(new PrintWriter(errors));

    int exit = command.execute("--id", "w", "--colour=red");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(errors.toString()).contains("Unknown option: '--colour=red'");
  }
}
