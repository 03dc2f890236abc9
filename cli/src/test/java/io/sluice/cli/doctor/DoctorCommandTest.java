package io.sluice.cli.doctor;

import static io.sluice.cli.testing.TestCommands.unusedAddress;
import static io.sluice.cli.testing.TestCommands.withOneLineErrors;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@Tag("slow")
class DoctorCommandTest {
  private final StringWriter out = new StringWriter();

  @Test
  void kafkaAndRedisThatAreAwayAreTwoFindingsWithoutThePassword() throws Exception {
    // Given
    String kafka = unusedAddress();
    String redis = unusedAddress();

    // When
    int code = run("--kafka", kafka, "--redis", "redis://user:secret@" + redis);

    // Then
    assertThat(code).isEqualTo(1);
    assertThat(out.toString())
        .contains("failure  Kafka: " + kafka)
        .contains("failure  Redis: redis://" + redis)
        .contains("0 ok, 0 warnings, 2 failures")
        .doesNotContain("secret");
  }

  private int run(String... args) {
    return withOneLineErrors(new CommandLine(new DoctorCommand()))
        .setOut(new PrintWriter(out, true))
        .execute(args);
  }
}
