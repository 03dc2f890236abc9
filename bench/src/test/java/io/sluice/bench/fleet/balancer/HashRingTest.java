package io.sluice.bench.fleet.balancer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HashRingTest {
  private static final int SESSIONS = 20_000;

  @Test
  void aSessionStaysWithItsEngineUnlessThatOneLeaves() {
    HashRing nine = new HashRing(9);
    HashRing eight = new HashRing(8);

    for (long session = 0; session < SESSIONS; session++) {
      int before = nine.engineOf(session, engine -> true);
      if (before < 8) {
        assertThat(eight.engineOf(session, engine -> true)).isEqualTo(before);
      }
    }
  }

  @Test
  void sessionsAreSpreadOverAllEngines() {
    int[] sessions = new int[8];
    HashRing ring = new HashRing(8);
    for (long session = 0; session < SESSIONS; session++) {
      sessions[ring.engineOf(session, engine -> true)]++;
    }

    assertThat(Arrays.stream(sessions))
        .allMatch(count -> count > SESSIONS / 8 / 2 && count < SESSIONS / 8 * 2);
  }
}
