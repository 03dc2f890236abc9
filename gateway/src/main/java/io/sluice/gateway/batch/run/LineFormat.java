package io.sluice.gateway.batch.run;

import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import java.util.List;

/** What the lines of a batch mean to the pool, by the batch's endpoint. Thread-safe. */
public interface LineFormat {
  /** The request of a line before it is parsed. */
  interface Draft {
    /** Returns what {@link #request} parses. */
    List<byte[]> json();

    /**
     * Returns the request, without an id.
     *
     * @throws RefusedLineException if the line cannot be run
     */
    InferenceRequest.Builder request();
  }

  /**
   * Prepares the request of a line. May block a bounded time.
   *
   * @param body that of the line
   * @throws RefusedLineException if the line cannot be run
   */
  Draft draft(CreatedBatch batch, byte[] body);

  /**
   * Returns the body of a line's result, as JSON.
   *
   * @param body that of the line
   */
  String result(CreatedBatch batch, byte[] body, Answer answer);
}
