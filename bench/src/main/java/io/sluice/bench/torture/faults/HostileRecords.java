package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.HostileRecord;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;

/** Writes hostile records to the topics that callers may write. */
record HostileRecords(List<HostileRecord> records, Duration duration) implements Fault {
  HostileRecords {
    records = List.copyOf(records);
  }

  @Override
  public List<Target> targets() {
    return List.of();
  }

  @Override
  public String label() {
    return "hostile records";
  }

  @Override
  public void inject(FaultContext context) throws InterruptedException {
    for (HostileRecord record : records) {
      context.hostile().send(record);
    }
  }

  @Override
  public void recover(FaultContext context) {
    // The records stay in their topics.
  }
}
