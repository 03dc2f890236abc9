package io.sluice.cli;

import static io.sluice.cli.testing.TestCommands.unusedAddress;
import static io.sluice.cli.testing.TestCommands.withOneLineErrors;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.batch.BatchCommand;
import io.sluice.cli.deadletter.DeadLetterListCommand;
import io.sluice.cli.deadletter.DeadLetterRedriveCommand;
import io.sluice.cli.deadletter.DeadLetterShowCommand;
import io.sluice.cli.deadletter.DeadLettersCommand;
import io.sluice.cli.request.AttachCommand;
import io.sluice.cli.request.CancelCommand;
import io.sluice.cli.request.ChatCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ScopeType;

class ClientCommandsTest {
  private static final String REQUEST =
      "{\"custom_id\":\"a\",\"method\":\"POST\",\"url\":\"/v1/completions\",\"body\":{\"prompt\":\"x\"}}\n";

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** A root command like the launcher's. */
  @Command(name = "sluice", mixinStandardHelpOptions = true, scope = ScopeType.INHERIT)
  private static final class Root {}

  @Test
  void helpIsThereForBoth() {
    assertThat(run("chat", "--help")).isZero();
    assertThat(run("batch", "--help")).isZero();
    assertThat(out.toString())
        .contains(
            "--kafka", "--kafka-config", "--model", "--tier", "--deadline", "--raw", "--errors");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void helpIsThereForWhatIsDoneWithRequestsThatWereSent() {
    assertThat(run("attach", "--help")).isZero();
    assertThat(out.toString()).contains("--from", "--since", "--reply-to", "--wait", "--raw");
    assertThat(run("cancel", "--help")).isZero();
    assertThat(run("dead-letters", "--help")).isZero();
    assertThat(out.toString()).contains("list", "show", "redrive");
    assertThat(run("dead-letters", "list", "--help")).isZero();
    assertThat(run("dead-letters", "show", "--help")).isZero();
    assertThat(run("dead-letters", "redrive", "--help")).isZero();
    assertThat(out.toString())
        .contains("--code", "--tenant", "--limit", "--body", "--dry-run", "--reset-deadline");
  }

  @Test
  void wrongUseOfThemIsSaidInALine() {
    assertThat(run("attach")).isEqualTo(2);
    assertThat(err.toString()).contains("ID").hasLineCount(1);
    assertThat(run("attach", "r", "--from", "-1")).isEqualTo(2);
    assertThat(err.toString()).contains("--from must be at least 0");
    assertThat(run("attach", "r", "--raw", "--json")).isEqualTo(2);
    assertThat(err.toString()).contains("choose either --raw or --json");
    assertThat(run("dead-letters")).isEqualTo(2);
    assertThat(err.toString()).contains("Missing command: list, show or redrive");
    assertThat(run("dead-letters", "list", "--limit", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--limit must be at least 1");
    for (String[] unclear :
        new String[][] {
          {"dead-letters", "redrive"},
          {"dead-letters", "redrive", "r", "--all"},
          {"dead-letters", "redrive", "r", "--code", "engine_error"},
          {"dead-letters", "redrive", "--all", "--since", "2h"}
        }) {
      assertThat(run(unclear)).isEqualTo(2);
      assertThat(err.toString()).contains("give either one ID").hasLineCount(1);
    }
  }

  @Test
  void withoutKafkaAllOfThemSayWhatToDo() throws Exception {
    String nobody = unusedAddress();
    for (String[] command :
        new String[][] {
          {"attach", "r", "--kafka", nobody},
          {"cancel", "r", "--kafka", nobody},
          {"dead-letters", "list", "--kafka", nobody},
          {"dead-letters", "show", "r", "--kafka", nobody},
          {"dead-letters", "redrive", "--all", "--kafka", nobody}
        }) {
      assertThat(run(command)).isEqualTo(1);
      assertThat(err.toString())
          .startsWith("cannot reach Kafka at " + nobody + ": start the local stack")
          .hasLineCount(1);
    }
  }

  @Test
  void chatWithoutKafkaSaysWhatToDo() throws Exception {
    // Given
    String nobody = unusedAddress();

    // When
    int code = run("chat", "hello", "--kafka", nobody);

    // Then
    assertThat(code).isEqualTo(1);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            "cannot reach Kafka at "
                + nobody
                + ": start the local stack with ./sluice up, or set another address with --kafka");
  }

  @Test
  void aBrokerThatCannotExistIsAClearError() {
    // When
    int code = run("chat", "hello", "--kafka", "no-port-at-all");

    // Then
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("no-port-at-all").hasLineCount(1);
  }

  @Test
  void wrongOptionsAreWrongUsage() {
    assertThat(run("chat", "x", "--deadline", "soon")).isEqualTo(2);
    assertThat(err.toString()).contains("'soon' is not a duration: write it like 500ms, 30s");
    assertThat(run("chat", "x", "--priority", "yesterday")).isEqualTo(2);
    assertThat(err.toString()).contains("urgent, interactive or bulk");
    assertThat(run("chat", "x", "--max-tokens", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--max-tokens must be at least 1");
    assertThat(run("chat", "x", "--kafka-config", folder.resolve("none").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("no such file");
  }

  @Test
  void batchRefusesUnusableFilesBeforeItLooksForKafka() throws Exception {
    // Given
    Path input = Files.writeString(folder.resolve("in.jsonl"), REQUEST);
    String output = folder.resolve("out.jsonl").toString();

    // Then
    assertThat(run("batch", folder.resolve("none").toString(), "-o", output)).isEqualTo(2);
    assertThat(err.toString()).contains("none: no such file");
    assertThat(run("batch", input.toString(), "-o", folder.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("it is a directory");
    assertThat(run("batch", input.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--output");
    assertThat(run("batch", input.toString(), "-o", output, "--max-in-flight", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--max-in-flight must be at least 1");
  }

  @Test
  void batchWithoutKafkaLeavesAnEarlierOutputAsItIs() throws Exception {
    // Given
    Path input = Files.writeString(folder.resolve("in.jsonl"), REQUEST);
    Path output = folder.resolve("out.jsonl");
    String earlier =
        "{\"id\":\"i\",\"custom_id\":\"z\",\"response\":{\"status_code\":200,\"body\":{}},\"error\":null}\n";
    Files.writeString(output, earlier);

    // When
    int code = run("batch", input.toString(), "-o", output.toString(), "--kafka", unusedAddress());

    // Then
    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).contains("start the local stack with ./sluice up").hasLineCount(1);
    assertThat(output).hasContent(earlier);
  }

  @Test
  void theConfigFileCanNameTheBrokers() throws Exception {
    // Given
    String nobody = unusedAddress();
    Path config =
        Files.writeString(
            folder.resolve("client.properties"), "bootstrap.servers=" + nobody + "\n");

    // When
    run("chat", "hello", "--kafka-config", config.toString());

    // Then
    assertThat(err.toString()).startsWith("cannot reach Kafka at " + nobody);
  }

  private int run(String... args) {
    err.getBuffer().setLength(0);
    CommandLine root = new CommandLine(new Root());
    root.addSubcommand("chat", new ChatCommand());
    root.addSubcommand("batch", new BatchCommand());
    root.addSubcommand("attach", new AttachCommand());
    root.addSubcommand("cancel", new CancelCommand());
    CommandLine deadLetters = new CommandLine(new DeadLettersCommand());
    deadLetters.addSubcommand("list", new DeadLetterListCommand());
    deadLetters.addSubcommand("show", new DeadLetterShowCommand());
    deadLetters.addSubcommand("redrive", new DeadLetterRedriveCommand());
    root.addSubcommand("dead-letters", deadLetters);
    return withOneLineErrors(root)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
