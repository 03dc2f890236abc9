package io.sluice.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What production images start with: every command of theirs, and nothing that only tests need. */
class ProductionClassPathTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io/sluice/simulator/command/SimulatorCommand.class",
        "io/sluice/verify/VerifyEngineCommand.class",
        "io/sluice/standalone/Main.class",
        "kafka/server/KafkaRaftServer.class",
        "org/apache/kafka/metadata/storage/Formatter.class",
        "redis/embedded/RedisServer.class"
      })
  void neitherASimulatorNorAnEmbeddedBackendIsThere(String resource) {
    assertThat(Main.class.getClassLoader().getResource(resource)).isNull();
  }

  static Stream<String> commands() {
    return ServiceCommands.all().stream()
        .flatMap(
            entry ->
                Stream.concat(
                    Stream.of(entry.name()),
                    entry.subcommands().stream().map(child -> entry.name() + " " + child.name())));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandIsLoadedWithoutThem(String command) {
    var output = new StringWriter();
    int exitCode =
        new Commands(ServiceCommands.all())
            .commandLine(false)
            .setOut(new PrintWriter(output))
            .execute((command + " --help").split(" "));

    assertThat(exitCode).isZero();
    assertThat(output.toString()).contains("Usage: sluice " + command);
  }

  @Test
  @Tag("slow")
  void theirMainStartsInAProcessOfItsOwn() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "router",
                "--help")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output).startsWith("Usage: sluice router");
  }

  @Test
  void aCommandsKindDecidesWhereItsLogGoes() {
    Commands commands = new Commands(ServiceCommands.all());

    assertThat(commands.kindOf("router")).isEqualTo(CommandKind.SERVICE);
    assertThat(commands.kindOf("--verbose", "worker", "--id", "w")).isEqualTo(CommandKind.SERVICE);
    assertThat(commands.kindOf("worker", "list")).isEqualTo(CommandKind.CLIENT);
    assertThat(commands.kindOf("--help")).isEqualTo(CommandKind.CLIENT);
  }
}
