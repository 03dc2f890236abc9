package io.sluice.bench.torture.faults;

import io.sluice.bench.torture.load.HostileRecord;
import io.sluice.bench.torture.pool.Target;
import java.time.Duration;
import java.util.List;

/** Records that no honest caller writes, on the topics that callers may write. */
record Hostility(List<HostileRecord> records, Duration lasting) implements Blow {
  Hostility {
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
  public void deal(Arena arena) throws InterruptedException {
    for (HostileRecord record : records) {
      arena.hostile().send(record);
    }
  }

  @Override
  public void recover(Arena arena) {
    // They stay in the log.
  }
}
