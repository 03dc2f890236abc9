package io.sluice.worker.engine.dialect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** How an engine is made to continue an assistant's message in the middle. Stateless. */
public interface MessageContinuation {

  /** Returns whether this request's answer can be continued so. */
  boolean fits(JsonNode body);

  /** Changes the request so that the answer continues the given text. */
  void apply(ObjectNode body, String text);
}
