package io.sluice.router.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.common.protocol.Lanes;
import io.sluice.config.SettingSources;
import io.sluice.router.classify.StandardRules;
import io.sluice.router.policy.PolicyWeights;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterConfigTest {

  @Test
  void defaultsAreTheDocumentedOnes() {
    RouterConfig config = RouterConfig.of(Map.of());

    assertThat(config.host()).isEqualTo("127.0.0.1");
    assertThat(config.id()).isNotEmpty();
    assertThat(config.port()).isEqualTo(8_090);
    assertThat(config.threads()).isEqualTo(2);
    assertThat(config.lanes()).isEqualTo(Lanes.standard());
    assertThat(config.models().catalogue().maxModelLen()).isEmpty();
    assertThat(config.models().grace()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.models().assumedOutputTokens()).isEqualTo(512);
    assertThat(config.limits())
        .isEqualTo(new LimitSettings(100_000, 0, Duration.ofSeconds(30), 3, Duration.ofHours(24)));
    assertThat(config.limits().backlog().bytes()).isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(config.tierSettings().rules()).isEqualTo(StandardRules.RULES);
    assertThat(config.weights()).isEqualTo(PolicyWeights.DEFAULTS);
    assertThat(config.stateDirectory()).isEmpty();
    assertThat(config.pool().partitions()).isEqualTo(48);
  }

  @Test
  void settingsAreReadFromTheEnvironmentByTheirNames() {
    RouterConfig config =
        RouterConfig.SCHEMA.read(
            new SettingSources(
                Map.of("tiers", ""),
                Map.of(
                    "SLUICE_ROUTER_ID", "r",
                    "SLUICE_MODELS", "m=4096",
                    "SLUICE_FALLBACK", "m=n",
                    "SLUICE_MAX_WAIT_SECONDS", "5",
                    "SLUICE_MAX_PENDING_BYTES", "1000",
                    "SLUICE_MAX_DEADLINE_HOURS", "48",
                    "SLUICE_STATE_DIR", "state"),
                Map.of()));

    assertThat(config.id()).isEqualTo("r");
    assertThat(config.models().catalogue().maxModelLen()).isEqualTo(Map.of("m", 4_096));
    assertThat(config.models().fallbacks().byModel()).isEqualTo(Map.of("m", "n"));
    assertThat(config.limits().maxWait()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.limits().backlog().bytes()).isEqualTo(1_000);
    assertThat(config.limits().longestDeadline()).isEqualTo(Duration.ofHours(48));
    assertThat(config.tierSettings().rules().tiers()).isEmpty();
    assertThat(config.stateDirectory()).contains(Path.of("state"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "threads;0;--threads is '0', but must be a whole number from 1 to 256 (threads)",
        "max-wait;-5;--max-wait is '-5', but must be a number from 0 to 86400 (s)",
        "max-deadline;23;--max-deadline is '23', but must be a number from 24 to 8784 (h)",
        "lanes;3k,3k;two lanes",
        "models;m;must be written as name=max_model_len",
        "weights;speed=1;speed",
        "tier-words;300,150;smaller number first",
        "tier-slo-ttft;slow=100;must name a tier of the pool: fast, balanced, precise"
      })
  void aWrongValueIsRefusedWithWhatIsExpected(String key, String value, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RouterConfig.of(Map.of(key, value)))
        .withMessageContaining(expected);
  }
}
