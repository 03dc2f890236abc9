package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.load.Ending;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.log.ReplyLine;
import io.sluice.bench.torture.log.RequestLog;
import java.util.List;

/** Requests whose id is used again, by the same tenant or another one. */
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
    verdict.must(!isAnsweredElsewhere, "an address that it never named has its answer");
  }

  private static boolean isAnswer(ReplyLine line) {
    return switch (line.kind()) {
      case "pointer", "error" -> false;
      default -> true;
    };
  }

  /** Who repeats a request is told where its answer is. */
  private static void own(Evidence evidence, Repeat repeat, Verdict verdict) {
    String topic = repeat.replyTo().orElse(PlannedRequest.REPLIES);
    RequestLog.At there = evidence.log().at(topic);
    List<ReplyLine> pointers =
        there.lines().stream().filter(line -> line.kind().equals("pointer")).toList();
    verdict.must(!pointers.isEmpty(), "its repeat got no pointer on " + topic);
    verdict.must(
        pointers.stream()
            .allMatch(
                line ->
                    line.json().path("reply_to").asText().equals(evidence.request().replyTopic())),
        "a pointer of it leads elsewhere");
  }

  /** Another tenant is refused, and told nothing of the first one's answer. */
  private static void foreign(Evidence evidence, Evidence.Reused reused, Verdict verdict) {
    String topic = reused.repeat().replyTo().orElse(PlannedRequest.REPLIES);
    RequestLog.At there = evidence.log().at(topic);
    boolean isApart = !topic.equals(evidence.request().replyTopic());
    boolean isTold =
        there.lines().stream().map(ReplyLine::errorCode).anyMatch(Ending.ID_TAKEN::contains)
            || reused.apart().filter(Ending.ID_TAKEN::contains).isPresent();
    verdict.must(isTold, "another tenant that used its id has heard of no error");
    verdict.must(
        reused.letters().stream().anyMatch(Ending.ID_TAKEN::contains),
        "another tenant's request that used its id is no dead letter");
    boolean isForeignOnly =
        evidence.reused().stream()
            .filter(other -> other.repeat().replyTo().equals(reused.repeat().replyTo()))
            .noneMatch(other -> other.repeat().tenant().equals(evidence.request().tenant()));
    verdict.must(
        !isApart || !isForeignOnly || !there.has("pointer"),
        "another tenant was told where its answer is");
  }
}
