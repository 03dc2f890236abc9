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
 * The sequences that wait, in the order in which they are admitted. A new one has to be let in
 * first.
 */
final class WaitingQueue implements Iterable<Sequence> {

  /** By priority and arrival. Nobody's arrival is equal, so the order is total. */
  static final Comparator<Sequence> BY_PRIORITY =
      Comparator.comparingInt(Sequence::priority).thenComparingLong(Sequence::arrival);

  private final SequencedCollection<Sequence> sequences;
  private final Consumer<Sequence> putBack;
  private final Deque<Sequence> outside = new ArrayDeque<>();

  private WaitingQueue(SequencedCollection<Sequence> sequences, Consumer<Sequence> putBack) {
    this.sequences = sequences;
    this.putBack = putBack;
  }

  /** First come, first served, or by priority: then where one comes from makes no difference. */
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

  /** From now on all that have come can be admitted. */
  void letIn() {
    sequences.addAll(outside);
    outside.clear();
  }

  /** Whether there is one that can be admitted. */
  boolean hasHead() {
    return !sequences.isEmpty();
  }

  /** Takes back one that was admitted before, or skipped: it goes before all equals. */
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
