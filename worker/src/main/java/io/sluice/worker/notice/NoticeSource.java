package io.sluice.worker.notice;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Tells whether the machine is about to go. For one thread; another may close it. */
interface NoticeSource extends AutoCloseable {
  /** Returns what the source is called in logs. */
  String name();

  /**
   * Asks; takes some seconds at most.
   *
   * @return how long the machine stays; empty if nothing says that it goes
   * @throws IOException if the source does not answer, or answers something else
   */
  Optional<Duration> timeLeft() throws IOException, InterruptedException;

  /** Gives up what the source holds. */
  @Override
  default void close() {}
}
