package io.sluice.simulator.metrics;

/** The limits that can reject a request before it is queued. */
public enum AdmissionLimit {
  /** {@code --max-num-queued-reqs}. */
  QUEUED_REQUESTS("max_num_queued_reqs"),
  /** {@code --max-num-queued-tokens}. */
  QUEUED_TOKENS("max_num_queued_tokens");

  private final String wireName;

  AdmissionLimit(String wireName) {
    this.wireName = wireName;
  }

  String wireName() {
    return wireName;
  }
}
