package io.sluice.worker.engine;

import java.time.Duration;
import java.util.Optional;

/**
 * A running generation. One thread reads it; any thread may cancel it. The stream enforces its own
 * time limits for the head, the first token and the time between tokens.
 */
public interface EngineStream extends AutoCloseable {

  /**
   * Returns the next event.
   *
   * @return empty if no event came within the given time, and always after {@link
   *     EngineEvent.Finish}
   * @throws EngineException if the generation failed or was cancelled; the stream is then finished
   */
  Optional<EngineEvent> next(Duration atMost) throws EngineException, InterruptedException;

  /**
   * Cancels the generation in the engine, within a second, by closing the connection. The reader
   * gets {@link EngineFailure.Cancelled}. Has no effect on a finished stream.
   */
  void cancel();

  /** Cancels the generation unless it is finished. */
  @Override
  void close();
}
