package io.sluice.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Holds one request to what docs/protocol.md promises, and finds what is broken. */
final class Checker {
  /**
   * How much later than its deadline, or than its cancellation, a request may end: the router looks
   * once a second, and the end has to pass through Kafka. Where what should have ended it was
   * itself taken out, another one must first take over.
   */
  static final Duration GRACE = Duration.ofSeconds(5);

  /** As long as it takes until another router or broker has taken over. */
  static final Duration TAKEOVER = Duration.ofSeconds(15);

  /** Ends that a pool too slow for its load gives rightly. */
  private static final Set<String> OF_TIME = Set.of("deadline_exceeded", "overloaded");

  /** Failures in engines after which a request may be given up. */
  private static final int MOST_FAILURES = 3;

  /**
   * What is known of a request.
   *
   * @param isUnsent whether its caller was told that Kafka did not take it
   */
  record Evidence(
      PlannedRequest request,
      RequestLog log,
      Reference.Answer reference,
      Optional<SdkCaller.Told> told,
      Optional<Reading> reattached,
      boolean isUnsent,
      List<ReplyLine> late,
      List<Adversary.Done> blows) {}

  private final Evidence evidence;
  private final PlannedRequest request;
  private final RequestLog log;
  private final Reading reading;
  private final List<Found> found = new ArrayList<>();

  private record Found(String what, boolean isLate) {}

  private Checker(Evidence evidence) {
    this.evidence = evidence;
    this.request = evidence.request();
    this.log = evidence.log();
    this.reading = log.reading();
  }

  static List<Violation> check(Evidence evidence) {
    var checker = new Checker(evidence);
    checker.check();
    return checker.found.stream()
        .map(
            each ->
                new Violation(
                    evidence.request().id(),
                    evidence.request().kind().name(),
                    each.what(),
                    each.isLate(),
                    evidence.log().replies().stream().map(ReplyLine::toString).toList()))
        .toList();
  }

  private void check() {
    if (log.appendMillis().isEmpty()) {
      must(evidence.isUnsent(), "Kafka took it, and it is in no log");
      must(log.replies().isEmpty(), "it was never appended, and has replies");
      return;
    }
    Optional<ReplyLine> end = reading.end();
    must(end.isPresent(), "it has no end");
    end.ifPresent(this::ended);
    readersAgree();
    if (request.kind().isRefused()) {
      must(log.deadLetters() > 0, "it was refused, and is no dead letter");
    }
  }

  private void ended(ReplyLine end) {
    long deadline = log.appendMillis().getAsLong() + request.timeout().toMillis();
    long late = end.appendMillis() - deadline;
    inTime(
        late <= grace(deadline, end.appendMillis()).toMillis(),
        "it ended %d ms after its deadline".formatted(late));
    Optional<String> error = reading.errorCode();
    if (error.isPresent()) {
      failed(error.get(), end, deadline);
    } else {
      completed(end);
    }
  }

  private void failed(String code, ReplyLine end, long deadline) {
    boolean isAllowed =
        request.kind().error().equals(code)
            || (code.equals("overloaded") && request.kind() == RequestKind.HURRIED)
            || (code.equals("engine_error") && log.failures().size() >= MOST_FAILURES)
            || (code.equals("cancelled") && log.cancelMillis().isPresent());
    must(
        isAllowed,
        "it ended with %s: %s; failures: %s".formatted(code, end.value(), log.failures()),
        OF_TIME.contains(code));
    if (code.equals("deadline_exceeded")) {
      must(end.appendMillis() >= deadline - 100, "it was ended before its deadline");
    }
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                must(
                    reference(choice).startsWith(text),
                    "what came before the error is not the beginning: " + differs(choice, text)));
  }

  private void completed(ReplyLine end) {
    must(!request.kind().isRefused(), "it should have been refused");
    if (log.cancelMillis().isPresent()) {
      long cancelled = log.cancelMillis().getAsLong();
      inTime(
          end.appendMillis() - cancelled <= grace(cancelled, end.appendMillis()).toMillis(),
          "it completed %d ms after it was cancelled".formatted(end.appendMillis() - cancelled));
    }
    Map<Integer, String> texts = reading.texts(request.isStreamed());
    for (Integer choice : evidence.reference().texts().keySet()) {
      String text = texts.getOrDefault(choice, "");
      must(text.equals(reference(choice)), "its text is not: " + differs(choice, text));
    }
    reading
        .gathered()
        .forEach(
            (choice, text) ->
                must(
                    texts.getOrDefault(choice, "").startsWith(text),
                    "its chunks are no part of the whole: " + differs(choice, text)));
    JsonNode usage = end.json().path("usage").path("completion_tokens");
    must(usage.isInt(), "its end does not tell the usage");
    // The end of a whole answer holds all of it, also what no progress was told of.
    boolean isCounted =
        request.isStreamed()
            ? reading.tokens() == usage.asInt()
            : reading.tokens() <= usage.asInt();
    must(
        isCounted && usage.asInt() == evidence.reference().tokens(),
        "%d tokens were counted and %d told of %d"
            .formatted(reading.tokens(), usage.asInt(), evidence.reference().tokens()));
  }

  private void readersAgree() {
    must(evidence.late().equals(log.replies()), "who reads late sees other records");
    evidence
        .reattached()
        .ifPresent(
            other ->
                must(
                    other.gathered().equals(reading.gathered())
                        && other.tokens() == reading.tokens()
                        && other.end().equals(reading.end()),
                    "who came in mid-stream read something else"));
    ReplyFold fold = ReplyFold.fromStart();
    for (ReplyLine line : log.replies()) {
      fold = fold.next(headers(line)).fold();
    }
    must(
        fold.tokens() == reading.tokens()
            && (fold.phase() == ReplyFold.Phase.ENDED) == reading.isOver(),
        "the product's fold comes to %s, this one to %d tokens".formatted(fold, reading.tokens()));
    evidence.told().filter(SdkCaller.Told::sent).ifPresent(this::sdkAgrees);
  }

  private void sdkAgrees(SdkCaller.Told told) {
    must(
        told.error().equals(reading.errorCode()),
        "the SDK's caller was told %s".formatted(told.error().orElse("that it completed")),
        told.error().filter(OF_TIME::contains).isPresent());
    if (told.error().isEmpty()) {
      String text = reading.texts(request.isStreamed()).getOrDefault(0, "");
      must(told.whole().equals(text), "the SDK's caller got another text: " + told.whole());
      must(
          told.tokens() == reading.tokens()
              && (request.isStreamed() ? text.equals(told.text()) : text.startsWith(told.text())),
          "the SDK's caller was streamed %d tokens: %s".formatted(told.tokens(), told.text()));
    }
  }

  /** Longer by a takeover for each blow that hit a process whose part another one has to do. */
  private Duration grace(long fromMillis, long untilMillis) {
    long takeovers =
        evidence.blows().stream()
            .filter(
                blow ->
                    blow.untilMillis() + TAKEOVER.toMillis() > fromMillis
                        && blow.fromMillis() < untilMillis)
            .filter(blow -> blow.blow().targets().stream().anyMatch(Checker::isTakenOver))
            .count();
    return GRACE.plus(TAKEOVER.multipliedBy(takeovers));
  }

  private static boolean isTakenOver(Target target) {
    return switch (target.role()) {
      case BROKER, ROUTER, WORKER -> true;
      case REDIS, ENGINE -> false;
    };
  }

  private String reference(int choice) {
    return evidence.reference().texts().getOrDefault(choice, "");
  }

  private String differs(int choice, String text) {
    String wanted = reference(choice);
    int at = 0;
    while (at < Math.min(wanted.length(), text.length()) && wanted.charAt(at) == text.charAt(at)) {
      at++;
    }
    return "choice %d from character %d on: '%s' instead of '%s' (%d characters of %d)"
        .formatted(
            choice, at, excerpt(text, at), excerpt(wanted, at), text.length(), wanted.length());
  }

  private static String excerpt(String text, int at) {
    return text.substring(Math.max(0, at - 20), Math.min(text.length(), at + 40));
  }

  private static ReplyHeaders headers(ReplyLine line) {
    return new ReplyHeaders(
        line.requestId(),
        ReplyKind.parse(line.kind()).orElseThrow(),
        line.attempt(),
        line.lease(),
        ClaimMode.parse(line.mode()).orElse(ClaimMode.RESUME),
        Math.max(0, line.index()),
        Math.max(0, line.count()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false,
        OptionalLong.empty());
  }

  private void must(boolean holds, String otherwise) {
    must(holds, otherwise, false);
  }

  private void inTime(boolean holds, String otherwise) {
    must(holds, otherwise, true);
  }

  private void must(boolean holds, String otherwise, boolean isLate) {
    if (!holds) {
      found.add(new Found(otherwise, isLate));
    }
  }
}
