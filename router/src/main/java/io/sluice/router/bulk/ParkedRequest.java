package io.sluice.router.bulk;

import java.util.Comparator;

/**
 * A request of the bulk topic that is known here and has not entered: where its record stands, and
 * what decides when it enters. The record itself stays in Kafka, for there may be a million of
 * these; one takes some 100 bytes with its places in all queues. Not thread-safe.
 */
final class ParkedRequest {
  /** Those whose time runs out first come first. */
  static final Comparator<ParkedRequest> ORDER =
      Comparator.<ParkedRequest>comparingLong(request -> request.slackEndsMillis)
          .thenComparingLong(request -> request.deadlineMillis)
          .thenComparingLong(request -> request.offset)
          .thenComparingInt(request -> request.partition);

  /** How far it has come. */
  enum Stage {
    WAITING,
    /** It is being put into its lane. */
    TAKEN,
    ENTERED
  }

  private final int partition;
  private final long offset;
  private final int bytes;
  private final long slackEndsMillis;
  private final long deadlineMillis;
  private final long contextTokens;
  private final BulkLine line;
  private Stage stage = Stage.WAITING;

  /**
   * A request that waits.
   *
   * @param bytes of its record
   * @param slackEndsMillis from when on it can be put off no longer, epoch milliseconds
   */
  ParkedRequest(
      int partition,
      long offset,
      int bytes,
      long slackEndsMillis,
      long deadlineMillis,
      long contextTokens,
      BulkLine line) {
    this.partition = partition;
    this.offset = offset;
    this.bytes = bytes;
    this.slackEndsMillis = slackEndsMillis;
    this.deadlineMillis = deadlineMillis;
    this.contextTokens = contextTokens;
    this.line = line;
  }

  int partition() {
    return partition;
  }

  long offset() {
    return offset;
  }

  int bytes() {
    return bytes;
  }

  long slackEndsMillis() {
    return slackEndsMillis;
  }

  long deadlineMillis() {
    return deadlineMillis;
  }

  long contextTokens() {
    return contextTokens;
  }

  BulkLine line() {
    return line;
  }

  boolean isWaiting() {
    return stage == Stage.WAITING;
  }

  boolean hasEntered() {
    return stage == Stage.ENTERED;
  }

  void become(Stage next) {
    stage = next;
  }
}
