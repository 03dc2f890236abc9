package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class VerifyCommandsTest {

  @Test
  void verifyPoolIsACommandLikeVerifyEngineAndTakesItsOptions() {
    // Given
    CommandLine launcher = Main.commands().commandLine(false);

    // When
    CommandLine.ParseResult parsed =
        launcher
            .parseArgs(
                "verify-pool",
                "--url",
                "http://gpu:8000",
                "--model",
                "m",
                "--engine-api-key",
                "key")
            .subcommand();

    // Then
    assertThat(launcher.getSubcommands()).containsKey("verify-engine");
    assertThat(parsed.matchedOptions()).hasSize(3);
  }
}
