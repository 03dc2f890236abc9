package io.sluice.simulator.engine;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.TreeSet;

/** The sequences that wait, in the order in which they are admitted. */
sealed interface WaitingQueue extends Iterable<Sequence> {

  /** Adds a new sequence. */
  void add(Sequence sequence);

  /** Takes back one that was admitted before, or skipped: it goes before all equals. */
  void putBack(Sequence sequence);

  Sequence head();

  void removeHead();

  void remove(Sequence sequence);

  int size();

  static WaitingQueue of(SchedulingPolicy policy) {
    return switch (policy) {
      case FCFS -> new ByArrival();
      case PRIORITY -> new ByPriority();
    };
  }

  /** First come, first served; whoever is put back goes to the front. */
  final class ByArrival implements WaitingQueue {

    private final Deque<Sequence> sequences = new ArrayDeque<>();

    @Override
    public void add(Sequence sequence) {
      sequences.addLast(sequence);
    }

    @Override
    public void putBack(Sequence sequence) {
      sequences.addFirst(sequence);
    }

    @Override
    public Sequence head() {
      return sequences.getFirst();
    }

    @Override
    public void removeHead() {
      sequences.removeFirst();
    }

    @Override
    public void remove(Sequence sequence) {
      sequences.remove(sequence);
    }

    @Override
    public int size() {
      return sequences.size();
    }

    @Override
    public Iterator<Sequence> iterator() {
      return sequences.iterator();
    }
  }

  /** By priority and arrival; where one comes from makes no difference. */
  final class ByPriority implements WaitingQueue {

    /** Nobody's arrival is equal, so the order is total. */
    static final Comparator<Sequence> ORDER =
        Comparator.comparingInt(Sequence::priority).thenComparingLong(Sequence::arrival);

    private final NavigableSet<Sequence> sequences = new TreeSet<>(ORDER);

    @Override
    public void add(Sequence sequence) {
      sequences.add(sequence);
    }

    @Override
    public void putBack(Sequence sequence) {
      sequences.add(sequence);
    }

    @Override
    public Sequence head() {
      return sequences.first();
    }

    @Override
    public void removeHead() {
      sequences.removeFirst();
    }

    @Override
    public void remove(Sequence sequence) {
      sequences.remove(sequence);
    }

    @Override
    public int size() {
      return sequences.size();
    }

    @Override
    public Iterator<Sequence> iterator() {
      return sequences.iterator();
    }
  }
}
