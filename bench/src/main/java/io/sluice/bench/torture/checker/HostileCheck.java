package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.Place;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.ReplyLine;
import java.util.List;

/**
 * Every hostile record that Kafka took on a request topic has one end: a reply of its place's id,
 * or a dead letter that names its place. What it does to others is theirs to show.
 */
public final class HostileCheck {
  private HostileCheck() {}

  /** Whether nothing more is to come. */
  public static boolean isOver(HostileCaller.Taken taken, Journal journal) {
    return !taken.record().isRequest()
        || !journal.lettersOf(taken.place()).isEmpty()
        || hasEnd(taken.place(), journal);
  }

  public static List<Violation> check(HostileCaller.Taken taken, Journal journal) {
    var verdict = new Verdict();
    verdict.must(isOver(taken, journal), "no error and no dead letter tells of it");
    return verdict.violations(taken);
  }

  private static boolean hasEnd(Place place, Journal journal) {
    return journal.see(place.id(), log -> log.allReplies().stream().anyMatch(ReplyLine::isEnd));
  }
}
