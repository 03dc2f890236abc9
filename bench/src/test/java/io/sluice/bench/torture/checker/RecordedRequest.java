package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.load.RecordPosition;
import io.sluice.bench.torture.load.Repeat;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.load.SdkAnswer;
import io.sluice.bench.torture.log.IndependentFold;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.RequestLog;
import io.sluice.bench.torture.pool.Engines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** The records of one request, as a checker's test puts them down. */
public final class RecordedRequest {
  public static final String TEXT = "one two three";
  public static final long SENT = 1_000_000;

  private static final int TOKENS = 3;

  PlannedRequest request;
  final RequestLog log = new RequestLog();
  final RequestLog late = new RequestLog();
  final List<Evidence.Reused> reused = new ArrayList<>();
  final List<InjectedFault> faults = new ArrayList<>();
  Optional<SdkAnswer> told = Optional.empty();
  Optional<IndependentFold> reattached = Optional.empty();
  boolean isUnsent;
  int workersKilled;
  private long offset;

  private RecordedRequest(PlannedRequest request) {
    this.request = request;
  }

  /** Nothing has happened yet. */
  static RecordedRequest of(RequestKind kind) {
    var body = new Prompts(new Random(1)).chat(Engines.simulated().model(), "hello");
    return new RecordedRequest(
        PlannedRequest.of("id", kind, body, "tenant", Duration.ofSeconds(150)));
  }

  /** Kafka has it. */
  static RecordedRequest sent(RequestKind kind) {
    RecordedRequest scene = of(kind);
    scene.log.appended(SENT);
    return scene;
  }

  /** It was answered rightly, a second later. */
  public static RecordedRequest answered(RequestKind kind) {
    return sent(kind).tokens(SENT + 500, 0, TOKENS, TEXT).end(SENT + 1_000, TOKENS, "", TOKENS);
  }

  RecordedRequest tokens(long millis, int index, int count, String text) {
    return line(PlannedRequest.REPLIES, millis, "tokens", index, count, text, "");
  }

  RecordedRequest end(long millis, int index, String text, int usage) {
    String value = "{\"usage\":{\"completion_tokens\":%d}}".formatted(usage);
    return line(PlannedRequest.REPLIES, millis, "final", index, -1, text, value);
  }

  RecordedRequest error(long millis, String code) {
    return error(PlannedRequest.REPLIES, millis, code);
  }

  RecordedRequest error(String topic, long millis, String code) {
    return line(topic, millis, "error", 0, -1, "", "{\"error\":{\"code\":\"" + code + "\"}}");
  }

  RecordedRequest pointer(String topic, String to) {
    return line(topic, SENT, "pointer", 0, -1, "", "{\"reply_to\":\"" + to + "\"}");
  }

  RecordedRequest deadLetter(String code) {
    log.deadLetter(code);
    return this;
  }

  /** Another tenant's request of its id is refused: no attempt of this one. */
  RecordedRequest refusal(String topic) {
    String value = "{\"error\":{\"code\":\"request_id_in_use\"}}";
    return line(topic, SENT, "error", 0, "none", 0, -1, "", value);
  }

  RecordedRequest line(
      String topic, long millis, String kind, int index, int count, String text, String value) {
    return line(topic, millis, kind, 1, "a", index, count, text, value);
  }

  private RecordedRequest line(
      String topic,
      long millis,
      String kind,
      int attempt,
      String lease,
      int index,
      int count,
      String text,
      String value) {
    List<ReplyRecord.Piece> pieces =
        text.isEmpty() ? List.of() : List.of(new ReplyRecord.Piece(0, text));
    var line =
        new ReplyRecord(
            new RecordPosition(topic, 0, offset++),
            millis,
            new ReplyRecord.Headers("id", kind, attempt, lease, "", index, count, "w1"),
            new ReplyRecord.Payload(pieces, value, 0));
    log.reply(line);
    late.reply(line.asRecorded());
    return this;
  }

  /** Its id is used again. */
  RecordedRequest reused(String tenant, Optional<String> replyTo, String... deadLetters) {
    var repeat = new Repeat(Duration.ZERO, PlannedRequest.LANE, tenant, replyTo);
    reused.add(new Evidence.Reused(repeat, List.of(deadLetters), Optional.empty()));
    return this;
  }

  public Evidence evidence() {
    return new Evidence(
        new LoadGenerator.Sent(request, SENT),
        new Evidence.Readings(log, late, reattached),
        new Evidence.CallerView(told, isUnsent),
        new ReferenceAnswers.Answer(Map.of(0, TEXT), TOKENS),
        reused,
        workersKilled,
        new DelayAllowance(faults, Engines.simulated()));
  }

  List<Violation> check() {
    return RequestCheck.check(evidence());
  }

  /** Returns what was found, in words. */
  List<String> found() {
    return check().stream().map(Violation::what).toList();
  }
}
