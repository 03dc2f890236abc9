package io.sluice.cli.acl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class AclsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theCommandsOfARoleArePrinted() {
    // When
    int code = run("--role", "caller", "--principal", "User:orders", "--name", "orders");

    // Then
    assertThat(code).isZero();
    assertThat(out.toString())
        .hasLineCount(4)
        .contains(
            "--add --allow-principal 'User:orders' --operation WRITE --topic 'sluice.requests.'"
                + " --resource-pattern-type prefixed")
        .contains(
            "--operation READ --topic 'sluice.replies.orders' --resource-pattern-type literal");
  }

  @Test
  void wrongOptionsAreWrongUsage() {
    assertThat(run("--role", "king", "--principal", "User:x")).isEqualTo(2);
    assertThat(err.toString()).contains("unknown role 'king'; use one of: caller, gateway, router");
    assertThat(run("--role", "router", "--principal", "router")).isEqualTo(2);
    assertThat(err.toString()).contains("--principal must be like User:router");
    assertThat(run("--role", "router", "--principal", "User:x", "--name", "r")).isEqualTo(2);
    assertThat(err.toString()).contains("--name is for the roles caller, gateway and worker");
    assertThat(run("--role", "worker", "--principal", "User:x", "--name", "a b")).isEqualTo(2);
    assertThat(err.toString()).contains("worker id 'a b'");
  }

  private int run(String... arguments) {
    return new CommandLine(new AclsCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
