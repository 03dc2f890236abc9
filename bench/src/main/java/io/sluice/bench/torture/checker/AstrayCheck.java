package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyLine;
import io.sluice.bench.torture.log.ReplyTopics;
import java.util.Optional;

/**
 * Requests whose reply topic goes away, or cannot be written for a while: they end at their topic
 * or, with a dead letter, at the usual one.
 */
final class AstrayCheck {
  private AstrayCheck() {}

  static void check(Evidence evidence, Verdict verdict) {
    Optional<ReplyLine> atHome = evidence.home().reading().end();
    // What was in a topic that was deleted, or came to the new one in the middle of an answer, is
    // an end that nobody can fold.
    boolean isAtOwn = evidence.own().lines().stream().anyMatch(ReplyLine::isEnd);
    verdict.must(
        isAtOwn || atHome.isPresent() || (isLost(evidence) && evidence.log().isCompleted()),
        "it has no end, neither at its reply topic nor on " + PlannedRequest.REPLIES);
    atHome.ifPresent(
        end -> {
          verdict.must(end.kind().equals("error"), "it was answered where nobody asked for it");
          verdict.must(
              isLost(evidence) || evidence.own().reading().end().isEmpty(),
              "it has two ends, one at its reply topic and one on " + PlannedRequest.REPLIES);
          verdict.must(
              !evidence.log().letters().isEmpty(),
              "it was ended elsewhere than asked for, and is no dead letter");
          EndInTime.check(evidence, end, verdict);
        });
  }

  private static boolean isLost(Evidence evidence) {
    return evidence.request().replyTopic().startsWith(ReplyTopics.LOST_PREFIX);
  }
}
