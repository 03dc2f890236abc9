package io.sluice.worker.engine;

import java.time.Duration;
import java.util.Optional;

/**
 * A running generation. One thread reads it; any thread may cancel it. It keeps its own deadlines
 * for the head, the first token and the time between tokens.
 */
public interface EngineStream extends AutoCloseable {

  /**
   * The next event.
   *
   * @return empty if there was none within the given time; after {@link EngineEvent.Finish} always
   * @throws EngineException if the generation failed, or was cancelled; it is over then
   */
  Optional<EngineEvent> next(Duration atMost) throws EngineException, InterruptedException;

  /**
   * Ends the generation in the engine, within a second, by closing its connection; the reader wakes
   * up with {@link EngineFailure.Cancelled}. Does nothing to one that is over.
   */
  void cancel();

  /** Cancels the generation unless it is over. */
  @Override
  void close();
}
