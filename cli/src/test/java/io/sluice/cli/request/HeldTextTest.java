package io.sluice.cli.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.HeldRequest;
import org.junit.jupiter.api.Test;

class HeldTextTest {
  private static final long AT = 1_800_000_000_000L;

  @Test
  void itSaysSinceWhenAndUntilWhenARequestIsHeld() {
    assertThat(HeldText.of(held(true)).lines())
        .containsExactly(
            "waits for a worker of the model llama to start, since 2027-01-15T08:00:00Z",
            "  held until its deadline at 2027-01-15T08:10:00Z, unless it has been cancelled; by router router-0");
  }

  @Test
  void itSaysWhatMayEndItEarlier() {
    assertThat(HeldText.of(held(false)).lines())
        .last()
        .asString()
        .contains("--models", "model_not_found");
  }

  private static HeldRequest held(boolean isKnown) {
    return new HeldRequest("r", "llama", AT + 1_000, "router-0", AT, AT + 600_000, isKnown);
  }
}
