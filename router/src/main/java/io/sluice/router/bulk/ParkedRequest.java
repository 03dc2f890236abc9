package io.sluice.router.bulk;

import io.sluice.common.protocol.Slack;
import io.sluice.router.queue.FairShare;
import io.sluice.router.request.EarlyControlIds;
import io.sluice.router.request.RequestMetadata;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A request of the bulk topic that is known here and has not entered: the place of its record, and
 * what decides when it enters. The record itself stays in Kafka, because there may be a million of
 * these. One takes about 100 bytes with its entries in all queues. Not thread-safe.
 */
final class ParkedRequest {
  /** Requests whose slack ends first come first. */
  static final Comparator<ParkedRequest> ORDER =
      Comparator.<ParkedRequest>comparingLong(request -> request.slackEndsMillis)
          .thenComparingLong(request -> request.deadlineMillis)
          .thenComparingLong(request -> request.offset)
          .thenComparingInt(request -> request.partition);

  /** The order of the records in Kafka, in which they are read again fastest. */
  static final Comparator<ParkedRequest> BY_PLACE =
      Comparator.<ParkedRequest>comparingInt(request -> request.partition)
          .thenComparingLong(request -> request.offset);

  /** Its progress. */
  enum Stage {
    WAITING,
    /** It is being put into its lane. */
    TAKEN,
    ENTERED
  }

  /** What it waits for. Later constants go first. */
  enum Turn {
    /** For room, or for the end of its slack. */
    IN_LINE,
    /**
     * For the router to take any request, because it is to be amended or no worker is going to
     * serve it.
     */
    NEXT,
    /** For nothing: the scheduler only has to report its end. */
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
  private FairShare.@Nullable Charge charge;
  private boolean isUnread;
  private Turn turn = Turn.IN_LINE;
  private Stage stage = Stage.WAITING;

  /**
   * Creates a waiting request.
   *
   * @param bytes the size of its record
   * @param slackEndsMillis the time from which it can no longer be postponed, epoch milliseconds
   * @param markMillis the same by the clock that wrote its append time; every router computes the
   *     same value, whatever it knows about clocks
   * @param idHash stands for its id, see {@link EarlyControlIds#hash}
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

  /**
   * Creates a waiting request from what the router reads of it.
   *
   * @param bytes the size of its record
   * @param deadlineMillis the deadline of a request that is bulk unless it says otherwise
   * @param markMillis the end of its slack by the clock that wrote its append time
   */
  static ParkedRequest of(
      RequestMetadata metadata,
      int bytes,
      long deadlineMillis,
      long markMillis,
      BulkLine line,
      long idHash) {
    return new ParkedRequest(
        metadata.source().partition(),
        metadata.source().offset(),
        bytes,
        Slack.endsAtMillis(metadata.appendTimeMillis(), deadlineMillis),
        markMillis,
        deadlineMillis,
        metadata.contextTokens(),
        line,
        idHash);
  }

  /** Returns a request of which nothing is known but its place, so that it enters at once. */
  static ParkedRequest unread(int partition, long offset, int bytes, BulkLine line) {
    var request = new ParkedRequest(partition, offset, bytes, 0, Long.MIN_VALUE, 0, 0, line, 0);
    request.isUnread = true;
    request.turn = Turn.AT_ONCE;
    return request;
  }

  /** Returns whether the router fails at its record, which then enters as it is. */
  boolean isUnread() {
    return isUnread;
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

  /** Gives it this turn if that is earlier than its own. */
  void advance(Turn next) {
    if (next.compareTo(turn) > 0) {
      turn = next;
    }
  }

  /** Returns whether it waits in its line, for its turn or for the end of its slack. */
  boolean isInLine() {
    return stage == Stage.WAITING && turn == Turn.IN_LINE;
  }

  boolean isWaiting() {
    return stage == Stage.WAITING;
  }

  boolean hasEntered() {
    return stage == Stage.ENTERED;
  }

  void become(Stage next) {
    stage = next;
    if (next == Stage.ENTERED) {
      charge = null;
    }
  }

  /** Its tenant is charged for it. */
  void charge(FairShare share) {
    charge = share.charge(line.tenant(), contextTokens);
  }

  /** It did not enter: its tenant gets the charge back, if there was one. */
  void giveChargeBack() {
    if (charge != null) {
      charge.giveBack();
      charge = null;
    }
  }
}
