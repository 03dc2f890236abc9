package io.sluice.worker.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DocumentedSettingsTest {

  @ParameterizedTest
  @EnumSource
  void everySettingIsDocumentedWithItsDefault(WorkerSetting setting) throws IOException {
    String value = setting.defaultValue().isEmpty() ? "-" : "`" + setting.defaultValue() + "`";

    assertThat(Files.readString(Path.of("..", "docs", "worker.md")))
        .contains(
            "| `%s` | `%s` | %s | %s |"
                .formatted(setting.key(), setting.environment(), value, setting.meaning()));
  }
}
