package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.RecordPosition;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.ReplyRecord;
import java.util.List;

/**
 * Checks that every hostile record on a request topic was refused: by an error under the id made of
 * its position, or by a dead letter that names its position. What the record does to other requests
 * shows in their checks.
 */
public final class HostileCheck {
  private HostileCheck() {}

  /** Returns whether no more records of it are expected. */
  public static boolean isOver(HostileCaller.Accepted accepted, Journal journal) {
    return !accepted.record().isRequest()
        || !journal.deadLettersOf(accepted.place()).isEmpty()
        || hasEnd(accepted.place(), journal);
  }

  public static List<Violation> check(HostileCaller.Accepted accepted, Journal journal) {
    var verdict = new Verdict();
    verdict.must(isOver(accepted, journal), "it has no error and no dead letter");
    return verdict.violations(accepted);
  }

  private static boolean hasEnd(RecordPosition place, Journal journal) {
    return journal.see(place.id(), log -> log.allReplies().stream().anyMatch(ReplyRecord::isEnd));
  }
}
