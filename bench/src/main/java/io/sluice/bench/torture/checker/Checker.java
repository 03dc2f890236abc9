package io.sluice.bench.torture.checker;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.direct.Difference;
import io.sluice.bench.torture.load.Ending;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.Reading;
import io.sluice.bench.torture.log.ReplyLine;
import io.sluice.bench.torture.log.RequestLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds one request to what docs/protocol.md promises, and finds what is broken. */
public final class Checker {
  private final Evidence evidence;
  private final PlannedRequest request;
  private final RequestLog log;
  private final Reading reading;
  private final Ending ending;
  private final Verdict verdict = new Verdict();

  private Checker(Evidence evidence) {
    this.evidence = evidence;
    this.request = evidence.request();
    this.log = evidence.log();
    this.reading = evidence.own().reading();
    this.ending = Ending.of(request.kind());
  }

  public static List<Violation> check(Evidence evidence) {
    var checker = new Checker(evidence);
    checker.check();
    return checker.verdict.violations(evidence.request(), evidence.log().allReplies());
  }

  private void check() {
    if (log.seenMillis().isEmpty()) {
      verdict.must(evidence.isUnsent(), "Kafka took it, and it is in no log");
      verdict.must(log.allReplies().isEmpty(), "it was never appended, and has replies");
      return;
    }
    if (request.kind() == RequestKind.ASTRAY) {
      AstrayCheck.check(evidence, verdict);
    } else {
      verdict.must(reading.end().isPresent(), "it has no end");
      readersAgree();
    }
    reading.end().ifPresent(this::ended);
    started();
    RepeatCheck.check(evidence, verdict);
    fewDied();
  }

  /** A death of which only a router knows that dies itself is not counted. */
  private void fewDied() {
    long ended = reading.end().map(ReplyLine::seenMillis).orElseGet(System::currentTimeMillis);
    long unseen = evidence.allowance().routersTakenOver(evidence.beganMillis(), ended);
    int most =
        evidence.request().kind() == RequestKind.DEADLY_TO_ENGINES
            ? Ending.MOST_ENGINES_KILLED
            : Ending.MOST_WORKERS_KILLED;
    verdict.must(
        evidence.workersKilled() <= most + unseen,
        "%d workers died of it".formatted(evidence.workersKilled()));
  }

  private void ended(ReplyLine end) {
    EndInTime.check(evidence, end, verdict);
    Optional<String> error = reading.errorCode();
    if (error.isPresent()) {
      failed(error.get(), end);
    } else {
      completed(end);
    }
  }

  private void failed(String code, ReplyLine end) {
    boolean isAllowed =
        ending.errors().contains(code)
            || (code.equals("engine_error") && log.failures().size() >= Ending.MOST_FAILURES)
            || (code.equals("cancelled") && log.cancelMillis().isPresent())
            || (code.equals("deadline_exceeded") && mayBeAwaited(end));
    verdict.must(
        isAllowed,
        "it ended with %s: %s; failures: %s".formatted(code, end.value(), log.failures()),
        ending.mayComplete() && Ending.OF_TIME.contains(code));
    if (code.equals("deadline_exceeded")) {
      long early = evidence.beganMillis() + request.timeout().toMillis() - end.seenMillis();
      verdict.must(early <= 100, "it was ended %d ms before its deadline".formatted(early));
    }
    verdict.must(
        Ending.WITHOUT_LETTER.contains(code) || !log.letters().isEmpty(),
        "it ended with %s, and is no dead letter".formatted(code));
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                verdict.must(
                    reference(choice).startsWith(text),
                    "what came before the error is not the beginning: " + differs(choice, text)));
  }

  /** A model that a request waited for when its router died is waited for by the next one. */
  private boolean mayBeAwaited(ReplyLine end) {
    return request.kind() == RequestKind.UNKNOWN_MODEL
        && evidence.allowance().routersTakenOver(0, end.seenMillis()) > 0;
  }

  private void completed(ReplyLine end) {
    verdict.must(ending.mayComplete(), "it should not have been answered");
    Map<Integer, String> texts = reading.texts(request.isStreamed());
    for (Integer choice : evidence.reference().texts().keySet()) {
      String text = texts.getOrDefault(choice, "");
      verdict.must(text.equals(reference(choice)), "its text is not: " + differs(choice, text));
    }
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                verdict.must(
                    texts.getOrDefault(choice, "").startsWith(text),
                    "its chunks are no part of the whole: " + differs(choice, text)));
    JsonNode usage = end.json().path("usage").path("completion_tokens");
    verdict.must(usage.isInt(), "its end does not tell the usage");
    // The end of a whole answer holds all of it, also what no progress was told of.
    boolean isCounted =
        request.isStreamed()
            ? reading.tokens() == usage.asInt()
            : reading.tokens() <= usage.asInt();
    verdict.must(
        isCounted && usage.asInt() == evidence.reference().tokens(),
        "%d tokens were counted and %d told of %d"
            .formatted(reading.tokens(), usage.asInt(), evidence.reference().tokens()));
  }

  private void started() {
    boolean isPatient = request.kind().isBulk() || request.kind() == RequestKind.ASTRAY;
    if (isPatient || !ending.mayComplete() || evidence.own().lines().isEmpty()) {
      return;
    }
    long from = log.seenMillis().getAsLong();
    long first = evidence.own().lines().getFirst().seenMillis();
    Duration most =
        evidence
            .allowance()
            .engines()
            .firstWithin()
            .plus(Allowance.TAKEOVER.multipliedBy(evidence.allowance().takeovers(from, first)));
    verdict.inTime(
        first - from <= most.toMillis(),
        "it waited %d ms for its first word".formatted(first - from));
  }

  private void readersAgree() {
    verdict.must(
        recorded(evidence.late().at(request.replyTopic())).equals(recorded(evidence.own())),
        "who reads late sees other records");
    evidence
        .reattached()
        .ifPresent(
            other ->
                verdict.must(
                    other.gathered().equals(reading.gathered())
                        && other.tokens() == reading.tokens()
                        && other
                            .end()
                            .map(ReplyLine::asRecorded)
                            .equals(reading.end().map(ReplyLine::asRecorded)),
                    "who came in mid-stream read something else"));
    ProductFold fold = ProductFold.of(evidence.own().lines());
    verdict.must(
        fold.tokens() == reading.tokens() && fold.isEnded() == reading.isOver(),
        "the product comes to %s, this reader to %d tokens".formatted(fold, reading.tokens()));
    evidence.told().filter(SdkAnswer::sent).ifPresent(this::sdkAgrees);
  }

  private static List<ReplyLine> recorded(RequestLog.At at) {
    return at.lines().stream().map(ReplyLine::asRecorded).toList();
  }

  private void sdkAgrees(SdkAnswer told) {
    verdict.must(
        told.error().equals(reading.errorCode()),
        "the SDK's caller was told %s".formatted(told.error().orElse("that it completed")),
        told.error().filter(Ending.OF_TIME::contains).isPresent());
    if (told.error().isEmpty()) {
      String text = reading.texts(request.isStreamed()).getOrDefault(0, "");
      verdict.must(told.whole().equals(text), "the SDK's caller got another text: " + told.whole());
      verdict.must(
          told.tokens() == reading.tokens()
              && (request.isStreamed() ? text.equals(told.text()) : text.startsWith(told.text())),
          "the SDK's caller was streamed %d tokens: %s".formatted(told.tokens(), told.text()));
    }
  }

  private String reference(int choice) {
    return evidence.reference().texts().getOrDefault(choice, "");
  }

  private String differs(int choice, String text) {
    return Difference.of(choice, reference(choice), text);
  }
}
