package io.sluice.cli.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.UnservedRequest;
import org.junit.jupiter.api.Test;

class UnservedTextTest {
  private static final long AT = 1_800_000_000_000L;

  @Test
  void itSaysSinceWhenAndUntilWhenARequestWaits() {
    assertThat(UnservedText.of(unserved(true)).lines())
        .containsExactly(
            "waits for a worker of the model llama to start, since 2027-01-15T08:00:00Z",
            "  waits until its deadline at 2027-01-15T08:10:00Z, unless it has been cancelled; by router router-0");
  }

  @Test
  void itSaysWhatMayEndItEarlier() {
    assertThat(UnservedText.of(unserved(false)).lines())
        .last()
        .asString()
        .contains("--models", "model_not_found");
  }

  @Test
  void theNameOfAModelCannotBreakTheTerminal() {
    assertThat(
            UnservedText.of(
                new UnservedRequest("r", "\u001b[2J\nllama", AT, "router-0", AT, AT, true)))
        .startsWith("waits for a worker of the model  [2J llama to start")
        .hasLineCount(2);
  }

  private static UnservedRequest unserved(boolean isKnown) {
    return new UnservedRequest("r", "llama", AT + 1_000, "router-0", AT, AT + 600_000, isKnown);
  }
}
