package io.sluice.gateway.batch.run;

import io.sluice.common.protocol.Endpoint;
import io.sluice.gateway.batch.record.CreatedBatch;
import io.sluice.producer.client.InferenceRequest;

/** Makes requests to the pool from lines of a batch. Thread-safe. */
@FunctionalInterface
public interface LineRequests {
  /**
   * Makes the request of a line, without an id.
   *
   * @throws RefusedLineException if the line cannot be run
   */
  InferenceRequest.Builder request(CreatedBatch batch, Endpoint endpoint, byte[] body);
}
