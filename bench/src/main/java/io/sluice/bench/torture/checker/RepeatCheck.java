package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.ExpectedEnd;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.RequestLog;
import java.util.List;

/** Checks requests whose id is used again, by the same tenant or another one. */
final class RepeatCheck {
  private RepeatCheck() {}

  static void check(Evidence evidence, Verdict verdict) {
    PlannedRequest request = evidence.request();
    for (Evidence.Reused reused : evidence.reused()) {
      if (reused.repeat().tenant().equals(request.tenant())) {
        own(evidence, reused.repeat(), verdict);
      } else {
        foreign(evidence, reused, verdict);
      }
    }
    boolean isAnsweredElsewhere =
        evidence.log().topics().stream()
            .filter(topic -> !topic.equals(request.replyTopic()))
            .filter(topic -> request.replyTo().isEmpty() || !topic.equals(PlannedRequest.REPLIES))
            .anyMatch(
                topic -> evidence.log().at(topic).lines().stream().anyMatch(RepeatCheck::isAnswer));
    verdict.must(!isAnsweredElsewhere, "its answer is on a topic that it did not name");
  }

  private static boolean isAnswer(ReplyRecord line) {
    return switch (line.kind()) {
      case "pointer", "error" -> false;
      default -> true;
    };
  }

  /** A tenant that repeats its own request gets a pointer to the answer. */
  private static void own(Evidence evidence, Repeat repeat, Verdict verdict) {
    String topic = repeat.replyTo().orElse(PlannedRequest.REPLIES);
    RequestLog.OnTopic there = evidence.log().at(topic);
    List<ReplyRecord> pointers =
        there.lines().stream().filter(line -> line.kind().equals("pointer")).toList();
    verdict.must(!pointers.isEmpty(), "its repeat got no pointer on " + topic);
    verdict.must(
        pointers.stream()
            .allMatch(
                line ->
                    line.json().path("reply_to").asText().equals(evidence.request().replyTopic())),
        "a pointer names another topic than its reply topic");
  }

  /** Another tenant is refused and learns nothing of the first one's answer. */
  private static void foreign(Evidence evidence, Evidence.Reused reused, Verdict verdict) {
    String topic = reused.repeat().replyTo().orElse(PlannedRequest.REPLIES);
    RequestLog.OnTopic there = evidence.log().at(topic);
    boolean isApart = !topic.equals(evidence.request().replyTopic());
    boolean isTold =
        there.lines().stream().map(ReplyRecord::errorCode).anyMatch(ExpectedEnd.ID_TAKEN::contains)
            || reused.atPosition().filter(ExpectedEnd.ID_TAKEN::contains).isPresent();
    verdict.must(isTold, "another tenant that used its id got no error");
    verdict.must(
        reused.deadLetters().stream().anyMatch(ExpectedEnd.ID_TAKEN::contains),
        "another tenant's request with its id has no dead letter");
    boolean isForeignOnly =
        evidence.reused().stream()
            .filter(other -> other.repeat().replyTo().equals(reused.repeat().replyTo()))
            .noneMatch(other -> other.repeat().tenant().equals(evidence.request().tenant()));
    verdict.must(
        !isApart || !isForeignOnly || !there.has("pointer"),
        "another tenant was told where its answer is");
  }
}
