package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code up} and {@code demo} refuse before they start anything. */
class LocalPoolCommandsTest {
  @ParameterizedTest
  @CsvSource({
    "up --engine nonsense, --engine must be a URL such as http://127.0.0.1:8000",
    "up --engine localhost:8000, --engine must be a URL",
    "up --model m, give --engine too",
    "up --engine http://gpu:8000 --workers 2, --engine selects real engines",
    "up --workers 0, --workers must be at least 1",
    "up --partitions 0, --partitions must be at least 1",
    "up --data d --no-data, give either --data or --no-data",
    "up --host 0.0.0.0, --host must be the address at which other machines reach this one",
    "up --host 10.0.0.9 --kafka k:1, --host opens the embedded Kafka and Redis",
    "demo --prompts pom.xml --output missing/out.jsonl, cannot write missing/out.jsonl",
    "demo --prompts missing.jsonl, cannot read missing.jsonl"
  })
  void wrongUseIsOneLineThatSaysWhatIsRight(String line, String expected) {
    var errors = new StringWriter();

    int exitCode =
        Main.commands().commandLine(false).setErr(new PrintWriter(errors)).execute(line.split(" "));

    assertThat(exitCode).isEqualTo(2);
    assertThat(errors.toString().strip()).contains(expected).doesNotContain("\n");
  }
}
