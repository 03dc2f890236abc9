package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineQuestions;
import java.util.OptionalInt;

/** How an engine is asked for the most tokens that it would generate for a request. Stateless. */
public interface OutputLimitProbe {

  /**
   * Returns the most output tokens that the engine allows; empty if it does not say. Generates
   * none.
   *
   * @param body the request; may be changed
   * @throws EngineException if the engine fails to answer
   */
  OptionalInt ask(EngineQuestions engine, Endpoint endpoint, ObjectNode body)
      throws EngineException, InterruptedException;
}
