package io.sluice.bench.torture;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The torture test with faults of callers, topics, memory and clocks. */
class CallerFaultsIT {
  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void everyRequestEndsExactlyOnceWhateverCallersAndTopicsDo() throws Exception {
    ShortTorture.passes(
        folder,
        0,
        List.of(
            "zombie router",
            "delete reply topic",
            "under-replicated reply topic",
            "hostile records",
            "repeated ids",
            "memory pressure",
            "prompt that kills workers",
            "prompt that kills engines",
            "clock skew"));
  }
}
