package io.sluice.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.gateway.ScriptedGateway;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class LoadCommandTest {
  private final StringWriter out = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new LoadCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(out))
        .execute(arguments);
  }

  @Test
  void targetsGetTheSameRequests() throws Exception {
    try (var whole =
            new ScriptedGateway(
                ScriptedGateway.whole(
                    """
                    data: {"choices":[{"delta":{"content":"one"}}]}

                    data: {"choices":[],"usage":{"completion_tokens":1}}

                    data: [DONE]

                    """));
        var half = new ScriptedGateway(ScriptedGateway.whole("data: {\"choices\":[]}\n\n"))) {
      int exit =
          run(
              "--target=whole=" + whole.uri(),
              "--target=half=" + half.uri(),
              "--rate=40",
              "--rounds=1",
              "--seconds=1",
              "--warm-up=0",
              "--warm-up-rounds=0");

      assertThat(exit).as("half an answer is a failure").isOne();
      assertThat(whole.asked()).hasSizeGreaterThan(10).hasSameSizeAs(half.asked());
      assertThat(out.toString()).containsPattern("whole +100\\.0 .* 0\\.0 +0\\.0");
      assertThat(out.toString()).containsPattern("half +0\\.0 .* 0\\.0 +100\\.0");
    }
  }

  @Test
  void aRateOfNothingIsWrongUsage() {
    assertThat(run("--rate=0")).isEqualTo(2);

    assertThat(out.toString()).contains("--rounds, --seconds and --rate must be more than 0");
  }
}
