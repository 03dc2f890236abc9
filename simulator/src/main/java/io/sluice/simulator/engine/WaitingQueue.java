package io.sluice.simulator.engine;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.SequencedCollection;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The waiting sequences, in the order of admission. A new sequence cannot be admitted until it is
 * released.
 */
final class WaitingQueue implements Iterable<Sequence> {

  /**
   * By priority and arrival. No two sequences have the same arrival, so that the order is total.
   */
  static final Comparator<Sequence> BY_PRIORITY =
      Comparator.comparingInt(Sequence::priority).thenComparingLong(Sequence::arrival);

  private final SequencedCollection<Sequence> sequences;
  private final Consumer<Sequence> putBack;
  private final Deque<Sequence> outside = new ArrayDeque<>();

  private WaitingQueue(SequencedCollection<Sequence> sequences, Consumer<Sequence> putBack) {
    this.sequences = sequences;
    this.putBack = putBack;
  }

  /**
   * Returns the order: either first come, first served, where only returned sequences change it, or
   * by priority, where the origin of a sequence does not matter.
   */
  static WaitingQueue of(SchedulingPolicy policy) {
    return switch (policy) {
      case FCFS -> {
        Deque<Sequence> byArrival = new ArrayDeque<>();
        yield new WaitingQueue(byArrival, byArrival::addFirst);
      }
      case PRIORITY -> {
        TreeSet<Sequence> byPriority = new TreeSet<>(BY_PRIORITY);
        yield new WaitingQueue(byPriority, byPriority::add);
      }
    };
  }

  /** Adds a new sequence, which cannot be admitted yet. */
  void add(Sequence sequence) {
    outside.add(sequence);
  }

  /** Allows the admission of all sequences that have been added. */
  void letIn() {
    sequences.addAll(outside);
    outside.clear();
  }

  /** Returns whether a sequence can be admitted. */
  boolean hasHead() {
    return !sequences.isEmpty();
  }

  /** Returns a sequence that was admitted or skipped before. It goes before all equal ones. */
  void putBack(Sequence sequence) {
    putBack.accept(sequence);
  }

  Sequence head() {
    return sequences.getFirst();
  }

  void removeHead() {
    sequences.removeFirst();
  }

  void remove(Sequence sequence) {
    if (!sequences.remove(sequence)) {
      outside.remove(sequence);
    }
  }

  int size() {
    return sequences.size() + outside.size();
  }

  @Override
  public Iterator<Sequence> iterator() {
    return Stream.concat(sequences.stream(), outside.stream()).iterator();
  }
}
