package io.sluice.bench.kills;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class KillRowTest {
  private static final Sighting BROKEN =
      new Sighting(Sighting.End.BROKEN, 200, Map.of(0, "a b"), 20);
  private static final Sighting ERROR =
      new Sighting(Sighting.End.ERROR_EVENT, 200, Map.of(0, "a b"), 20);

  @Test
  void aStreamThatBrokeAndIsLostIsNotMadeUpForByAnErrorThatIsContinued() {
    assertThat(row(2, 0).isBroken()).isFalse();
    assertThat(row(1, 1).isBroken()).isTrue();
  }

  private static KillRow row(int continued, int lost) {
    return new KillRow(
        "a gateway is killed", List.of(BROKEN, ERROR), 0, continued, lost, 0, OptionalLong.empty());
  }
}
