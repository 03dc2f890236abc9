package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.app.RouterCommand;
import io.sluice.router.policy.PolicyWeight;
import io.sluice.worker.config.WorkerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** docs/configuration.md lists every key with its default. */
class ConfigurationDocsTest {
  private static final Pattern ENVIRONMENT = Pattern.compile("\\$\\{env:([A-Z_]+)(?::-(.*))?}");

  private final String page = read();

  @Test
  void everySettingOfAWorkerIsListed() {
    for (WorkerSetting setting : WorkerSetting.values()) {
      assertThat(page).contains("`" + setting.environment() + "`").contains(setting.key());
      assertThat(rowOf(setting.environment())).contains(setting.defaultValue());
    }
  }

  @Test
  void everyOptionOfTheRouterIsListed() {
    for (var option : new CommandLine(new RouterCommand()).getCommandSpec().options()) {
      assertThat(page).contains("`" + option.longestName() + "`");
      var environment = ENVIRONMENT.matcher(String.valueOf(option.defaultValue()));
      if (environment.matches() && environment.group(2) != null) {
        assertThat(rowOf(environment.group(1))).contains(environment.group(2));
      }
    }
  }

  @Test
  void everyWeightIsListedWithItsDefaultAndMeaning() {
    for (PolicyWeight weight : PolicyWeight.values()) {
      String defaultValue =
          new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT))
              .format(weight.defaultValue());
      assertThat(page)
          .contains(
              "| `%s` | %s | %s |\n".formatted(weight.label(), defaultValue, weight.meaning()));
    }
  }

  private String rowOf(String environment) {
    return Arrays.stream(page.split("\n"))
        .filter(line -> line.contains("`" + environment + "`"))
        .findFirst()
        .orElseThrow();
  }

  private static String read() {
    try {
      return Files.readString(Path.of("..", "docs", "configuration.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
