package io.sluice.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Only another process can have other environment variables. */
@Tag("slow")
class ClientOptionsTest {
  @TempDir private Path folder;

  @Test
  void aVariableNamesTheBrokersUnlessAFlagDoes() throws Exception {
    Map<String, String> variables = Map.of("SLUICE_KAFKA", "a:1,b:2");

    assertThat(brokers(variables)).isEqualTo("a:1,b:2");
    assertThat(brokers(variables, "--kafka", "c:3")).isEqualTo("c:3");
  }

  @Test
  void aVariableThatIsEmptyCountsAsNotSet() throws Exception {
    // Given
    Path config = Files.writeString(folder.resolve("c.properties"), "bootstrap.servers=d:4\n");

    // Then
    assertThat(brokers(Map.of("SLUICE_KAFKA", "", "SLUICE_KAFKA_CONFIG", config.toString())))
        .isEqualTo("d:4");
    assertThat(
            brokers(
                Map.of("SLUICE_KAFKA", "", "SLUICE_KAFKA_CONFIG", "", "SLUICE_REPLY_SERVICE", "")))
        .isEqualTo("127.0.0.1:19092");
  }

  private static String brokers(Map<String, String> variables, String... flags) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PrintBrokers.class.getName()));
    command.addAll(List.of(flags));
    ProcessBuilder process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    process.environment().putAll(variables);
    return new String(process.start().getInputStream().readAllBytes(), UTF_8).strip();
  }

  /** Prints the brokers that the options name. */
  @Command
  static final class PrintBrokers implements Runnable {
    @Mixin private final ClientOptions client = new ClientOptions();

    public static void main(String[] arguments) {
      System.exit(new CommandLine(new PrintBrokers()).execute(arguments));
    }

    @Override
    public void run() {
      System.out.println(client.clientConfig().bootstrapServers());
    }
  }
}
