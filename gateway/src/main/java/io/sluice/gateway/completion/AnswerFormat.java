package io.sluice.gateway.completion;

import io.sluice.producer.client.Answer;

/** How an API gives the answer to one request. */
public interface AnswerFormat {

  /**
   * Returns the events of the answer as a stream.
   *
   * @param requestId the pool's id of the request
   */
  Frames frames(String requestId);

  /** Returns the body of the whole answer, as JSON. */
  byte[] whole(Answer answer);
}
