package io.sluice.router.bulk;

import io.sluice.router.request.EarlyControlIds;
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

  /** The order in which they stand in Kafka, and are read again soonest. */
  static final Comparator<ParkedRequest> BY_PLACE =
      Comparator.<ParkedRequest>comparingInt(request -> request.partition)
          .thenComparingLong(request -> request.offset);

  /** How far it has come. */
  enum Stage {
    WAITING,
    /** It is being put into its lane. */
    TAKEN,
    ENTERED
  }

  /** For what it waits; the later ones go first. */
  enum Turn {
    /** For room, or for its time to run out. */
    IN_LINE,
    /** For the router to take any: it is to be changed, or nobody is going to serve it. */
    NEXT,
    /** For nothing: the scheduler has only to tell its end. */
    AT_ONCE
  }

  private final int partition;
  private final long offset;
  private final int bytes;
  private final long slackEndsMillis;
  private final long deadlineMillis;
  private final long contextTokens;
  private final BulkLine line;
  private final long markMillis;
  private final long idHash;
  private Turn turn = Turn.IN_LINE;
  private Stage stage = Stage.WAITING;

  /**
   * A request that waits.
   *
   * @param bytes of its record
   * @param slackEndsMillis from when on it can be put off no longer, epoch milliseconds
   * @param markMillis the same by the clock that wrote its append time: every router, whatever it
   *     knows of clocks, reckons the same
   * @param idHash stands for its id, by {@link EarlyControlIds#hash}
   */
  ParkedRequest(
      int partition,
      long offset,
      int bytes,
      long slackEndsMillis,
      long markMillis,
      long deadlineMillis,
      long contextTokens,
      BulkLine line,
      long idHash) {
    this.partition = partition;
    this.offset = offset;
    this.bytes = bytes;
    this.slackEndsMillis = slackEndsMillis;
    this.deadlineMillis = deadlineMillis;
    this.contextTokens = contextTokens;
    this.line = line;
    this.markMillis = markMillis;
    this.idHash = idHash;
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

  long markMillis() {
    return markMillis;
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

  long idHash() {
    return idHash;
  }

  Turn turn() {
    return turn;
  }

  void give(Turn next) {
    turn = next;
  }

  /** Whether it waits in its line, for its turn or for its time to run out. */
  boolean isInLine() {
    return stage == Stage.WAITING && turn == Turn.IN_LINE;
  }

  boolean hasEntered() {
    return stage == Stage.ENTERED;
  }

  void become(Stage next) {
    stage = next;
  }
}
