package io.sluice.router.bulk;

import io.sluice.router.bulk.ParkedRequest.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * How far one partition of the bulk topic is known here, and what of it has not entered. Not
 * thread-safe.
 */
final class ParkedPartition {
  private static final int SPARSE = 64;

  private final EnteredMark before;
  private final Deque<ParkedRequest> inOrder = new ArrayDeque<>();
  private int open;
  private long position;

  /**
   * Creates a partition without parked requests.
   *
   * @param before the mark of an earlier feeder
   */
  ParkedPartition(EnteredMark before) {
    this.before = before;
  }

  /** A record was read. */
  void advance(long offset) {
    position = offset + 1;
  }

  /** Returns whether a record had entered before this router took over the partition. */
  boolean hadEntered(long offset, long markMillis) {
    return before.covers(offset, markMillis);
  }

  void add(ParkedRequest request) {
    inOrder.add(request);
    open++;
  }

  void entered(ParkedRequest request) {
    request.become(Stage.ENTERED);
    open--;
    while (!inOrder.isEmpty() && inOrder.element().hasEntered()) {
      inOrder.remove();
    }
    if (inOrder.size() > 2 * open + SPARSE) {
      inOrder.removeIf(ParkedRequest::hasEntered);
    }
  }

  /** Returns the number that has not entered. */
  int open() {
    return open;
  }

  /** Returns the first record that has not entered, or else the next one to read. */
  long firstOpen() {
    return inOrder.isEmpty() ? position : inOrder.element().offset();
  }

  /**
   * Returns what the next feeder of this partition needs to know. Until all records are read that
   * the earlier feeder knew, this includes what that one said of the others.
   */
  EnteredMark mark() {
    boolean isBehind = position < before.position();
    if (inOrder.isEmpty() && !isBehind) {
      return EnteredMark.NONE;
    }
    long slackBefore = isBehind ? before.slackBefore() : Long.MAX_VALUE;
    long next = firstOpen();
    List<EnteredMark.Range> entered = new ArrayList<>();
    for (ParkedRequest request : inOrder) {
      if (!request.hasEntered()) {
        slackBefore = Math.min(slackBefore, request.markMillis());
        if (request.offset() > next && entered.size() < EnteredMark.MOST_RANGES) {
          entered.add(new EnteredMark.Range(next, request.offset()));
        }
        next = request.offset() + 1;
      }
    }
    if (position > next) {
      entered.add(new EnteredMark.Range(next, position));
    }
    before.entered().stream()
        .filter(range -> range.to() > position)
        .map(range -> new EnteredMark.Range(Math.max(range.from(), position), range.to()))
        .forEach(entered::add);
    return new EnteredMark(
        Math.max(position, before.position()),
        slackBefore,
        entered.stream().limit(EnteredMark.MOST_RANGES).toList());
  }
}
