package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.ReplyTopics;
import java.util.Optional;

/**
 * Checks requests whose reply topic is deleted or cannot be written for a while: they end on their
 * own topic or, with a dead letter, on the usual one.
 */
final class ReplyTopicCheck {
  private ReplyTopicCheck() {}

  static void check(Evidence evidence, Verdict verdict) {
    Optional<ReplyRecord> atHome = evidence.atUsualTopic().reading().end();
    // An end counts here even if no reader can fold it: the beginning of its stream may have been
    // deleted with the topic.
    boolean isAtOwn = evidence.own().lines().stream().anyMatch(ReplyRecord::isEnd);
    verdict.must(
        isAtOwn || atHome.isPresent() || (isLost(evidence) && evidence.log().isCompleted()),
        "it has no end on its reply topic and none on " + PlannedRequest.REPLIES);
    atHome.ifPresent(
        end -> {
          verdict.must(
              end.kind().equals("error"), "it was answered on a topic that it did not name");
          verdict.must(
              isLost(evidence) || evidence.own().reading().end().isEmpty(),
              "it has two ends, one on its reply topic and one on " + PlannedRequest.REPLIES);
          verdict.must(
              !evidence.log().deadLetters().isEmpty(),
              "it ended on another topic than its own and has no dead letter");
          DeadlineCheck.check(evidence, end, verdict);
        });
  }

  private static boolean isLost(Evidence evidence) {
    return evidence.request().replyTopic().startsWith(ReplyTopics.LOST_PREFIX);
  }
}
