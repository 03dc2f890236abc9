package io.sluice.gateway.completion;

import io.sluice.producer.reply.Answer;
import java.util.function.Function;

/** How an API gives the answer to one request, which it may hold. */
public interface AnswerFormat {

  /**
   * Returns the events of the answer as a stream.
   *
   * @param requestId the pool's id of the request
   */
  Frames frames(String requestId);

  /** Returns what makes the body of the whole answer, as JSON. It does not hold the request. */
  Function<Answer, byte[]> whole();
}
