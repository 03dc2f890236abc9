package io.sluice.router.schedule.task;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the heap that ended requests may take in all tasks of the process. Thread-safe. */
public final class EndedLimit {
  private final long most;
  private final AtomicLong bytes = new AtomicLong();

  /** Creates a limit that is not used yet. */
  public EndedLimit(long mostBytes) {
    this.most = mostBytes;
  }

  /** About how many bytes the ended requests take now. */
  public long bytes() {
    return bytes.get();
  }

  void add(long more) {
    bytes.addAndGet(more);
  }

  boolean isExceeded() {
    return bytes.get() > most;
  }
}
