package io.sluice.verify.transcript;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The lines in which two answers to one request differ.
 *
 * @param theirs the lines that only the verified engine has
 * @param ours the lines that only the reference has
 */
record Difference(Set<String> theirs, Set<String> ours) {

  /** Returns the difference of two transcripts. */
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
