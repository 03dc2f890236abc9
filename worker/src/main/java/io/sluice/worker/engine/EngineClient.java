package io.sluice.worker.engine;

import java.time.Duration;

/** An inference engine with an OpenAI-compatible HTTP API. Thread-safe. */
public interface EngineClient {

  /**
   * Starts a generation and returns at once; what comes of it, failures included, comes through the
   * stream.
   */
  EngineStream open(EngineRequest request);

  /**
   * Asks one of the engine's small endpoints.
   *
   * @throws EngineException if there is no answer within the time; an answer of any status is one
   */
  EngineAnswer get(String path, Duration atMost) throws EngineException, InterruptedException;

  /**
   * Asks one of the engine's small endpoints that take a question in JSON.
   *
   * @throws EngineException if there is no answer within the time; an answer of any status is one
   */
  EngineAnswer post(String path, byte[] json, Duration atMost)
      throws EngineException, InterruptedException;
}
