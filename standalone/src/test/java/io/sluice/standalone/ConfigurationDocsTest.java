package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.config.Setting;
import io.sluice.config.SettingSpec;
import io.sluice.config.SettingsSchema;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.router.app.RouterConfig;
import io.sluice.router.policy.PolicyWeight;
import io.sluice.simulator.command.SimulatorSettings;
import io.sluice.worker.config.WorkerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables of docs/configuration.md are what the code declares. With {@code
 * -Dsluice.docs.update=true} the test writes them instead.
 */
class ConfigurationDocsTest {
  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final boolean UPDATE = Boolean.getBoolean("sluice.docs.update");

  static Stream<SettingsSchema<?>> services() {
    return Stream.of(
        GatewayConfig.SCHEMA, RouterConfig.SCHEMA, WorkerConfig.SCHEMA, SimulatorSettings.SCHEMA);
  }

  @ParameterizedTest
  @MethodSource("services")
  void theTableOfAServiceIsWhatItsSettingsDeclare(SettingsSchema<?> schema) {
    String rows =
        schema.settings().stream().map(ConfigurationDocsTest::row).collect(Collectors.joining());

    assertTable(
        schema.service() + " settings",
        "| flag | environment | default | unit | meaning |\n| --- | --- | --- | --- | --- |\n"
            + rows);
  }

  private static String row(SettingSpec setting) {
    Setting declared = setting.declaration();
    String shown = setting.shownDefault();
    return "| `%s` | `%s` | %s | %s | %s |\n"
        .formatted(
            setting.flag(),
            setting.environment(),
            shown.equals(declared.defaultValue()) ? "`" + shown + "`" : shown,
            declared.unit().isEmpty() ? "-" : declared.unit(),
            declared.meaning());
  }

  @Test
  void theTableOfWeightsIsWhatTheScorersDeclare() {
    var number = new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
    String rows =
        Arrays.stream(PolicyWeight.values())
            .map(
                weight ->
                    "| `%s` | %s | %s |\n"
                        .formatted(
                            weight.label(), number.format(weight.defaultValue()), weight.meaning()))
            .collect(Collectors.joining());

    assertTable("weights", "| name | default | meaning |\n| --- | --- | --- |\n" + rows);
  }

  private static void assertTable(String name, String expected) {
    String begin = "<!-- " + name + ": written by ConfigurationDocsTest -->\n";
    String end = "<!-- end of " + name + " -->";
    String page = read();
    assertThat(page).contains(begin).contains(end);
    int from = page.indexOf(begin) + begin.length();
    int to = page.indexOf(end, from);
    if (UPDATE) {
      write(page.substring(0, from) + expected + page.substring(to));
    } else {
      assertThat(page.substring(from, to))
          .as("the table '%s' in docs/configuration.md; -Dsluice.docs.update=true writes it", name)
          .isEqualTo(expected);
    }
  }

  private static String read() {
    try {
      return Files.readString(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(String page) {
    try {
      Files.writeString(PAGE, page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
