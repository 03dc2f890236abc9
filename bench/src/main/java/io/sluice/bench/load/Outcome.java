package io.sluice.bench.load;

/**
 * What happened to a request. Times count from when the request was due, not from when it was sent,
 * so that a server which delays its callers cannot hide it.
 *
 * @param status the HTTP status; 0 if the connection broke before it
 * @param isWhole whether the answer came to its end
 * @param ttftMillis the time to the first token; infinite if the answer is not whole
 * @param tpotMillis the mean time per token after the first; 0 of answers of one token, infinite of
 *     those that are not whole
 * @param tokens of the answer, as the server counts them
 */
record Outcome(int status, boolean isWhole, double ttftMillis, double tpotMillis, long tokens) {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;

  static Outcome failed(int status) {
    return new Outcome(status, false, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY, 0);
  }

  /** Returns whether the server had no room for it. */
  boolean isRefused() {
    return status == TOO_MANY_REQUESTS || status == UNAVAILABLE;
  }
}
