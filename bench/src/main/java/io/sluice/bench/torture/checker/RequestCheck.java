package io.sluice.bench.torture.checker;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.direct.Difference;
import io.sluice.bench.torture.load.ExpectedEnd;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.RequestLog;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks one request against the promises of docs/protocol.md, and reports violations. */
public final class RequestCheck {
  private final Evidence evidence;
  private final PlannedRequest request;
  private final RequestLog log;
  private final IndependentFold reading;
  private final ExpectedEnd ending;
  private final Verdict verdict = new Verdict();

  private RequestCheck(Evidence evidence) {
    this.evidence = evidence;
    this.request = evidence.request();
    this.log = evidence.log();
    this.reading = evidence.own().reading();
    this.ending = ExpectedEnd.of(request.kind());
  }

  public static List<Violation> check(Evidence evidence) {
    var checker = new RequestCheck(evidence);
    checker.check();
    return checker.verdict.violations(evidence.request(), evidence.log().allReplies());
  }

  private void check() {
    if (log.seenMillis().isEmpty()) {
      verdict.must(evidence.caller().isUnsent(), "Kafka accepted it, but it is in no topic");
      verdict.must(log.allReplies().isEmpty(), "it was never appended, but has replies");
      return;
    }
    if (request.kind() == RequestKind.LOST_REPLY_TOPIC) {
      ReplyTopicCheck.check(evidence, verdict);
    } else {
      verdict.must(reading.end().isPresent(), "it has no end");
      readersAgree();
    }
    reading.end().ifPresent(this::ended);
    started();
    RepeatCheck.check(evidence, verdict);
    fewWorkersDied();
  }

  /**
   * A router that dies may lose the death of a worker that only it knew of, so each takeover allows
   * one more.
   */
  private void fewWorkersDied() {
    long ended = reading.end().map(ReplyRecord::seenMillis).orElseGet(System::currentTimeMillis);
    long unseen = evidence.allowance().routersTakenOver(evidence.beganMillis(), ended);
    int most =
        evidence.request().kind() == RequestKind.KILLS_ENGINES
            ? ExpectedEnd.MOST_ENGINES_KILLED
            : ExpectedEnd.MOST_WORKERS_KILLED;
    verdict.must(
        evidence.workersKilled() <= most + unseen,
        "it killed %d workers".formatted(evidence.workersKilled()));
  }

  private void ended(ReplyRecord end) {
    DeadlineCheck.check(evidence, end, verdict);
    Optional<String> error = reading.errorCode();
    if (error.isPresent()) {
      failed(error.get(), end);
    } else {
      completed(end);
    }
  }

  private void failed(String code, ReplyRecord end) {
    boolean isAllowed =
        ending.errors().contains(code)
            || (code.equals("engine_error") && log.failures().size() >= ExpectedEnd.MOST_FAILURES)
            || (code.equals("cancelled") && log.cancelMillis().isPresent())
            || (code.equals("deadline_exceeded") && mayBeAwaited(end))
            || (code.equals("worker_lost") && mayBeBlamed(end));
    verdict.must(
        isAllowed,
        "it ended with %s: %s; failures: %s".formatted(code, end.value(), log.failures()),
        ending.mayComplete() && ExpectedEnd.OF_TIME.contains(code));
    if (code.equals("deadline_exceeded")) {
      long early = evidence.beganMillis() + request.timeout().toMillis() - end.seenMillis();
      verdict.must(early <= 100, "it was ended %d ms before its deadline".formatted(early));
    }
    verdict.must(
        ExpectedEnd.WITHOUT_DEAD_LETTER.contains(code) || !log.deadLetters().isEmpty(),
        "it ended with %s and has no dead letter".formatted(code));
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                verdict.must(
                    reference(choice).startsWith(text),
                    "the text before the error is not the beginning of the answer: "
                        + differs(choice, text)));
  }

  /**
   * After a takeover the next router keeps waiting for a model that the request already waited for.
   */
  private boolean mayBeAwaited(ReplyRecord end) {
    return request.kind() == RequestKind.UNKNOWN_MODEL
        && evidence.allowance().routersTakenOver(0, end.seenMillis()) > 0;
  }

  /**
   * Nothing distinguishes a prompt that kills workers from one whose workers are killed twice
   * before they make its first token.
   */
  private boolean mayBeBlamed(ReplyRecord end) {
    boolean hasTokens = log.allReplies().stream().anyMatch(line -> line.kind().equals("tokens"));
    long deaths = evidence.allowance().workersDisrupted(evidence.beganMillis(), end.seenMillis());
    return !hasTokens && deaths >= ExpectedEnd.DEATHS_TO_BLAME;
  }

  private void completed(ReplyRecord end) {
    verdict.must(ending.mayComplete(), "it should not have been answered");
    Map<Integer, String> texts = reading.texts(request.isStreamed());
    for (Integer choice : evidence.reference().texts().keySet()) {
      String text = texts.getOrDefault(choice, "");
      verdict.must(
          text.equals(reference(choice)),
          "its text differs from the reference: " + differs(choice, text));
    }
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                verdict.must(
                    texts.getOrDefault(choice, "").startsWith(text),
                    "its chunks are not the beginning of the whole answer: "
                        + differs(choice, text)));
    JsonNode usage = end.json().path("usage").path("completion_tokens");
    verdict.must(usage.isInt(), "its end has no usage");
    // The end of an answer that is not streamed holds all tokens, including those not published
    // before.
    boolean isCounted =
        request.isStreamed()
            ? reading.tokens() == usage.asInt()
            : reading.tokens() <= usage.asInt();
    verdict.must(
        isCounted && usage.asInt() == evidence.reference().tokens(),
        "%d tokens were read, its usage says %d, and the reference has %d"
            .formatted(reading.tokens(), usage.asInt(), evidence.reference().tokens()));
  }

  private void started() {
    boolean isPatient = request.kind().isBulk() || request.kind() == RequestKind.LOST_REPLY_TOPIC;
    if (isPatient || !ending.mayComplete() || evidence.own().lines().isEmpty()) {
      return;
    }
    long from = log.seenMillis().getAsLong();
    long first = evidence.own().lines().getFirst().seenMillis();
    Duration most = evidence.allowance().firstWithin(from, first);
    verdict.inTime(
        first - from <= most.toMillis(),
        "it waited %d ms for its first record".formatted(first - from));
  }

  private void readersAgree() {
    verdict.must(
        recorded(evidence.readings().late().at(request.replyTopic()))
            .equals(recorded(evidence.own())),
        "a reader that started later sees other records");
    evidence
        .readings()
        .reattached()
        .ifPresent(
            other ->
                verdict.must(
                    other.gathered().equals(reading.gathered())
                        && other.tokens() == reading.tokens()
                        && other
                            .end()
                            .map(ReplyRecord::asRecorded)
                            .equals(reading.end().map(ReplyRecord::asRecorded)),
                    "a reader that joined in mid-stream read another answer"));
    ProductFold fold = ProductFold.of(evidence.own().lines());
    verdict.must(
        fold.tokens() == reading.tokens() && fold.isEnded() == reading.isOver(),
        "the product's fold gives %s, this reader %d tokens".formatted(fold, reading.tokens()));
    evidence.caller().told().filter(SdkAnswer::sent).ifPresent(this::sdkAgrees);
  }

  /**
   * By partition, because readers see the partitions of a topic in any order. A line that two
   * gateways send has an answer in the partition of the first, and a pointer in that of the second.
   */
  private static List<ReplyRecord> recorded(RequestLog.OnTopic at) {
    return at.lines().stream()
        .map(ReplyRecord::asRecorded)
        .sorted(Comparator.comparingInt(line -> line.position().partition()))
        .toList();
  }

  private void sdkAgrees(SdkAnswer told) {
    verdict.must(
        told.error().equals(reading.errorCode()),
        "the SDK's caller was told %s".formatted(told.error().orElse("that it completed")),
        told.error().filter(ExpectedEnd.OF_TIME::contains).isPresent());
    if (told.error().isEmpty()) {
      String text = reading.texts(request.isStreamed()).getOrDefault(0, "");
      verdict.must(told.whole().equals(text), "the SDK's caller got another text: " + told.whole());
      verdict.must(
          told.tokens() == reading.tokens()
              && (request.isStreamed() ? text.equals(told.text()) : text.startsWith(told.text())),
          "the SDK streamed %d tokens to its caller: %s".formatted(told.tokens(), told.text()));
    }
  }

  private String reference(int choice) {
    return evidence.reference().texts().getOrDefault(choice, "");
  }

  private String differs(int choice, String text) {
    return Difference.of(choice, reference(choice), text);
  }
}
