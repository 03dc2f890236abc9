package io.sluice.standalone.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where {@code up --engine} keeps its data if it is not told. */
class DataOptionsTest {
  private static final String HOME = "/home/alice";

  @Test
  void aServiceKeepsItsDataWhereSystemdSaysAndAUserBelowTheHome() {
    assertThat(directory(Map.of())).isEqualTo(Path.of("/home/alice/.local/state/sluice/default"));
    assertThat(directory(Map.of("XDG_STATE_HOME", "/big")))
        .isEqualTo(Path.of("/big/sluice/default"));
    assertThat(directory(Map.of("XDG_STATE_HOME", "relative")))
        .isEqualTo(Path.of("/home/alice/.local/state/sluice/default"));
    assertThat(directory(Map.of("STATE_DIRECTORY", "/var/lib/sluice:/b", "XDG_STATE_HOME", "/big")))
        .isEqualTo(Path.of("/var/lib/sluice"));
  }

  private static Path directory(Map<String, String> environment) {
    return DataOptions.defaultDirectory(environment, HOME);
  }
}
