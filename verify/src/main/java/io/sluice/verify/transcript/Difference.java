package io.sluice.verify.transcript;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The lines by which two answers to one request differ.
 *
 * @param theirs what only the engine under examination has
 * @param ours what only the engine that it is compared with has
 */
record Difference(Set<String> theirs, Set<String> ours) {

  /** The difference of two transcripts. */
  static Difference between(Set<String> theirs, Set<String> ours) {
    return new Difference(without(theirs, ours), without(ours, theirs));
  }

  boolean isEmpty() {
    return theirs.isEmpty() && ours.isEmpty();
  }

  private static Set<String> without(Set<String> all, Set<String> some) {
    Set<String> rest = new LinkedHashSet<>(all);
    rest.removeAll(some);
    return rest;
  }
}
