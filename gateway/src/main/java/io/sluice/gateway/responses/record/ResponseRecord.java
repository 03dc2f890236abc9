package io.sluice.gateway.responses.record;

/** A record of {@code sluice.responses}. Its key is the id of the request to the pool. */
public sealed interface ResponseRecord permits CreatedResponse, DeletedResponse {

  /** Returns the id of the request to the pool. */
  String requestId();
}
