package io.sluice.worker.engine;

import java.time.Duration;

/** An inference engine with an OpenAI-compatible HTTP API. Thread-safe. */
public interface EngineClient {

  /**
   * Starts a generation and returns at once. Its results and its failures come through the stream.
   */
  EngineStream open(EngineRequest request);

  /**
   * Sends a GET to one of the engine's small endpoints.
   *
   * @throws EngineException if no answer comes within the time; an answer of any status is returned
   */
  EngineAnswer get(String path, Duration atMost) throws EngineException, InterruptedException;

  /**
   * Posts JSON to one of the engine's small endpoints.
   *
   * @throws EngineException if no answer comes within the time; an answer of any status is returned
   */
  EngineAnswer post(String path, byte[] json, Duration atMost)
      throws EngineException, InterruptedException;
}
