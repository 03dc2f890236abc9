package io.sluice.worker.engine.client;

/** What a stream waits for. */
enum Phase {
  HEAD,
  FIRST_TOKEN,
  TOKENS,
  WHOLE_BODY,
  ERROR_BODY,
  FINISHED
}
