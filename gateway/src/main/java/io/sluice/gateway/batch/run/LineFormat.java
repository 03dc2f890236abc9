package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.producer.client.Answer;
import io.sluice.producer.client.InferenceRequest;
import java.util.function.Consumer;

/** What the lines of a batch mean to the pool, by the batch's endpoint. Thread-safe. */
public interface LineFormat {
  /**
   * Makes the request of a line, without an id, and passes it on while there is memory for its
   * tree. May block a bounded time.
   *
   * @param body that of the line
   * @param sender must not keep the request
   * @throws RefusedLineException if the line cannot be run
   */
  void request(CreatedBatch batch, byte[] body, Consumer<InferenceRequest.Builder> sender);

  /**
   * Returns the body of a line's result, as JSON.
   *
   * @param body that of the line
   */
  String result(CreatedBatch batch, byte[] body, Answer answer);
}
