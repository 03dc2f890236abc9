package io.sluice.bench.torture;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The torture test with faults of processes and connections. */
class ProcessFaultsIT {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void everyRequestEndsExactlyOnceWhateverHappensToProcesses() throws Exception {
    ShortTorture.passes(
        folder, 2, List.of("kill -9", "freeze", "restart", "cut", "stall", "engine"));
  }
}
