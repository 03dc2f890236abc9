package io.sluice.standalone.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LocalPortTest {
  /** Linux takes the ports of outgoing connections from here on. */
  private static final int OUTGOING = 32_768;

  @Test
  void aFreePortIsNoneThatAnOutgoingConnectionMayTakeAndNoneThatWasReturnedBefore() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      int port = LocalPort.settle(0, "a test");
      assertThat(port).isBetween(1_024, OUTGOING - 1);
      assertThat(ports.add(port)).isTrue();
    }
  }
}
