package io.sluice.bench.kills;

import java.util.List;
import java.util.OptionalLong;

/**
 * A row of the table.
 *
 * @param what what was done to the pool
 * @param right how many streams were complete and right at their gateway
 * @param continued how many did not end with {@code [DONE]}, and were complete and right at another
 *     gateway
 * @param lost how many broke and were not continued
 * @param wrong how many ended with {@code [DONE]} but had another text
 * @param stoppedMillis the longest time until nothing waited or ran after a client had left
 */
record KillRow(
    String what,
    List<Sighting> seen,
    int right,
    int continued,
    int lost,
    int wrong,
    OptionalLong stoppedMillis) {
  KillRow {
    seen = List.copyOf(seen);
  }

  /** A row about clients that leave, and so see nothing. */
  static KillRow ofClients(String what, OptionalLong stoppedMillis) {
    return new KillRow(what, List.of(), 0, 0, 0, 0, stoppedMillis);
  }

  int count(Sighting.End end) {
    return (int) seen.stream().filter(one -> one.end() == end).count();
  }

  /** Returns the status codes of errors, each with its number. */
  String statuses() {
    List<Integer> all =
        seen.stream()
            .filter(one -> one.end() == Sighting.End.STATUS)
            .map(Sighting::status)
            .sorted()
            .toList();
    return all.isEmpty() ? "-" : all.toString();
  }

  long longestGapMillis() {
    return seen.stream().mapToLong(Sighting::longestGapMillis).max().orElse(0);
  }

  /**
   * Returns whether a client was deceived: by a text that is wrong, or an end that it cannot tell.
   */
  boolean isDeceiving() {
    return wrong > 0 || count(Sighting.End.SILENT) > 0;
  }

  /** Returns whether a client was deceived, lost an answer, or had one made after it left. */
  boolean isBroken() {
    return isDeceiving() || lost > 0 || stoppedMillis.orElse(0) > 1_000;
  }
}
