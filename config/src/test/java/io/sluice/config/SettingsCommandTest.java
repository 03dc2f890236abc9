package io.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SettingsCommandTest {
  private final AtomicReference<ExampleConfig> read = new AtomicReference<>();
  private final StringWriter out = new StringWriter();

  private CommandLine command(Map<String, String> environment) {
    return new CommandLine(
            SettingsCommand.running(
                ExampleConfig.SCHEMA,
                environment,
                "Runs an example.",
                (settings, command) -> {
                  read.set(settings);
                  return 0;
                }))
        .setOut(new PrintWriter(out));
  }

  @Test
  void flagsEnvironmentAndFileGiveTheSettings(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("settings"), "share = 0.25\nthreads = 7\n");

    int exit =
        command(Map.of("EXAMPLE_THREADS", "5"))
            .execute(
                "--engine",
                "http://gpu:8000",
                "--chatty",
                "--names",
                "a",
                "--names=b",
                "--config",
                file.toString());

    assertThat(exit).isZero();
    assertThat(read.get().engine()).isEqualTo(URI.create("http://gpu:8000"));
    assertThat(read.get().threads()).isEqualTo(5);
    assertThat(read.get().inner().chatty()).isTrue();
    assertThat(read.get().inner().share()).isEqualTo(0.25);
    assertThat(read.get().names()).isEqualTo(List.of("a", "b"));
  }

  @Test
  void aFileThatIsNotThereIsWrongUsage() {
    CommandLine command = command(Map.of());
    StringWriter err = new StringWriter();
    command.setErr(new PrintWriter(err));

    int exit = command.execute("--engine", "http://gpu:8000", "--config", "no-such-file");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("cannot read --config no-such-file");
  }

  @Test
  void wrongSettingsAreToldTogetherAsWrongUsage() {
    StringWriter err = new StringWriter();
    CommandLine command = command(Map.of()).setErr(new PrintWriter(err));

    int exit = command.execute("--threads", "0");

    assertThat(exit).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString().lines())
        .contains(
            "--threads is '0', but must be a whole number from 1 to 64",
            "--engine-url is missing: give it, or set EXAMPLE_ENGINE_URL");
  }

  @Test
  void helpTellsMeaningDefaultUnitAndVariable() {
    String help =
        command(Map.of()).getUsageMessage(CommandLine.Help.Ansi.OFF).replaceAll("\\s+", " ");

    assertThat(help)
        .contains("The name of this example. Default: the host's name. (EXAMPLE_ID)")
        .contains("The longest wait. Default: 30 s. (EXAMPLE_MAX_WAIT_SECONDS)")
        .contains("--share=PERCENT A share. Default: 0.5 %. (EXAMPLE_SHARE)")
        .contains("--config=FILE");
  }

  @Test
  void settingsArePrintedWithTheirOriginAndWithoutSecrets() {
    CommandLine command =
        new CommandLine(
                SettingsCommand.printing(
                    ExampleConfig.SCHEMA, Map.of("EXAMPLE_PASSWORD", "hidden")))
            .setOut(new PrintWriter(out));

    int exit = command.execute("--engine", "http://gpu:8000");

    assertThat(exit).isZero();
    assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ").strip()))
        .contains(
            "id (the host's name) default",
            "max-wait 30 s default",
            "engine-url http://gpu:8000 --engine-url",
            "password ******** EXAMPLE_PASSWORD");
  }

  @Test
  void eachSettingShowsItsDefault() {
    assertThat(ExampleConfig.SCHEMA.settings())
        .extracting(SettingSpec::flag, SettingSpec::environment, SettingSpec::shownDefault)
        .contains(
            tuple("--id", "EXAMPLE_ID", "the host's name"),
            tuple("--threads", "EXAMPLE_THREADS", "2"),
            tuple("--engine-url", "EXAMPLE_ENGINE_URL", "required"),
            tuple("--chatty", "EXAMPLE_CHATTY", "off"));
  }
}
