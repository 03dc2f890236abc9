package io.sluice.worker.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.FailureCode;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.EngineTimeouts;
import io.sluice.worker.engine.Silence;
import io.sluice.worker.engine.Transport;
import io.sluice.worker.engine.Transport.Signal;
import io.sluice.worker.testing.ManualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long an engine may be silent, in manual time. */
class OpenAiEngineClientTest {
  private static final EngineTimeouts TIMEOUTS =
      new EngineTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(120), Duration.ofSeconds(10));

  private static final Silence WITHHOLDING = new Silence(false, true);

  private final ManualTime time = new ManualTime();
  private final PlayedExchange exchange = new PlayedExchange();
  private final OpenAiEngineClient client =
      new OpenAiEngineClient(call -> exchange, TIMEOUTS, time, Optional.empty());

  @ParameterizedTest
  @CsvSource({
    "599, 0, DONE",
    "601, 0, FIRST_TOKEN_TIMEOUT",
    "0, 599, DONE",
    "0, 601, STALL",
  })
  void anEngineThatMayWithholdTokensHasTenMinutes(long untilFirst, long untilSecond, String end)
      throws Exception {
    head(0).frame(untilFirst, "a").frame(untilSecond, "b").end();

    assertThat(read(WITHHOLDING)).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({"119, 9, DONE", "121, 0, FIRST_TOKEN_TIMEOUT", "0, 11, STALL"})
  void anyOtherEngineHasWhatIsConfigured(long untilFirst, long untilSecond, String end)
      throws Exception {
    head(0).frame(untilFirst, "a").frame(untilSecond, "b").end();

    assertThat(read(Silence.NONE)).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, 29, DONE",
    "false, false, 31, HEAD_TIMEOUT",
    "true, false, 149, DONE",
    "true, false, 151, HEAD_TIMEOUT",
    "true, true, 629, DONE",
    "true, true, 631, HEAD_TIMEOUT"
  })
  void aHeadThatComesWithTheFirstTokenHasItsTimeToo(
      boolean beforeHead, boolean betweenTokens, long untilHead, String end) throws Exception {
    head(untilHead).frame(0, "a").end();

    assertThat(read(new Silence(beforeHead, betweenTokens))).isEqualTo(end);
  }

  @Test
  void aConfiguredLimitThatIsLongerRemains() {
    var longer =
        new EngineTimeouts(Duration.ofSeconds(1), Duration.ofHours(1), Duration.ofHours(2));

    assertThat(longer.with(WITHHOLDING)).isEqualTo(longer);
  }

  @Test
  void framesWithOnlyTokenIdsAreSignsOfLife() throws Exception {
    head(0);
    for (int i = 0; i < 20; i++) {
      bytes(9, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"token_ids\":[7]}]}\n\n");
    }
    frame(9, "a").end();

    assertThat(read(Silence.NONE)).isEqualTo("DONE");
  }

  @Test
  void aWholeAnswerMayTakeLongAsLongAsItsBytesCome() throws Exception {
    String answer =
        "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}";
    exchange.plays(3_600, new Signal.Head(200, Optional.of("application/json"), Optional.empty()));
    answer.chars().forEach(c -> bytes(9, Character.toString(c)));
    exchange.plays(9, new Signal.End());

    assertThat(readWhole()).isEqualTo("DONE");
  }

  @Test
  void aWholeAnswerWhoseBytesStopFails() throws Exception {
    exchange.plays(0, new Signal.Head(200, Optional.of("application/json"), Optional.empty()));
    bytes(9, "{").bytes(11, "}");

    assertThat(readWhole()).isEqualTo("STALL");
  }

  @Test
  void anErrorIsReadToItsEnd() throws Exception {
    error().bytes(4, "o").bytes(4, "ops");
    exchange.plays(1, new Signal.End());

    assertThat(failure()).isEqualTo(new EngineFailure.Unable(500, "oops", OptionalLong.empty()));
  }

  @Test
  void anErrorThatDoesNotEndInTimeCountsAsFarAsItHasCome() throws Exception {
    error();
    for (int i = 0; i < 20; i++) {
      bytes(4, "o");
    }
    long start = time.nanos();

    assertThat(failure()).isEqualTo(new EngineFailure.Unable(500, "oo", OptionalLong.empty()));
    assertThat(time.since(start)).isEqualTo(TIMEOUTS.stall());
  }

  @Test
  void anErrorIsCutOffWhereItGetsTooLong() throws Exception {
    error().bytes(0, "no".repeat(400_000)).bytes(0, "no".repeat(400_000)).bytes(9, "no");
    long start = time.nanos();

    assertThat(failure())
        .isInstanceOfSatisfying(
            EngineFailure.Unable.class, unable -> assertThat(unable.message()).startsWith("nono"));
    assertThat(time.since(start)).isZero();
  }

  private OpenAiEngineClientTest error() {
    exchange.plays(0, new Signal.Head(500, Optional.of("text/plain"), Optional.empty()));
    return this;
  }

  private OpenAiEngineClientTest head(long afterSeconds) {
    exchange.plays(
        afterSeconds, new Signal.Head(200, Optional.of("text/event-stream"), Optional.empty()));
    return this;
  }

  private OpenAiEngineClientTest frame(long afterSeconds, String text) {
    return bytes(
        afterSeconds,
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n".formatted(text));
  }

  private OpenAiEngineClientTest bytes(long afterSeconds, String text) {
    exchange.plays(afterSeconds, new Signal.Bytes(text.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  private void end() {
    bytes(0, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n");
    bytes(0, "data: [DONE]\n\n");
    exchange.plays(0, new Signal.End());
  }

  private String read(Silence silence) throws InterruptedException {
    return read(streamed(silence));
  }

  private static EngineRequest streamed(Silence silence) {
    return new EngineRequest("/v1/chat/completions", new byte[0], true, silence, Map.of());
  }

  private String readWhole() throws InterruptedException {
    return read(
        new EngineRequest("/v1/chat/completions", new byte[0], false, Silence.NONE, Map.of()));
  }

  /** Returns how the generation ends. */
  private String read(EngineRequest request) throws InterruptedException {
    try {
      readToEnd(request);
      return "DONE";
    } catch (EngineException e) {
      FailureCode code = ((EngineFailure.Fault) e.failure()).code();
      return code.name();
    }
  }

  private EngineFailure failure() throws InterruptedException {
    try {
      readToEnd(streamed(Silence.NONE));
      throw new AssertionError("the stream did not fail");
    } catch (EngineException e) {
      return e.failure();
    }
  }

  private void readToEnd(EngineRequest request) throws EngineException, InterruptedException {
    try (EngineStream stream = client.open(request)) {
      Optional<EngineEvent> event = Optional.empty();
      while (!(event.orElse(null) instanceof EngineEvent.Finish)) {
        event = stream.next(Duration.ofSeconds(2));
      }
    }
  }

  /** Time passes only while somebody waits. */
  private final class PlayedExchange implements Transport.Exchange {
    private record Step(Duration after, Signal signal) {}

    private final ArrayDeque<Step> steps = new ArrayDeque<>();

    void plays(long afterSeconds, Signal signal) {
      steps.add(new Step(Duration.ofSeconds(afterSeconds), signal));
    }

    @Override
    public Optional<Signal> poll(long nanos) {
      Step next = steps.remove();
      Duration wait = Duration.ofNanos(nanos);
      if (next.after().compareTo(wait) > 0) {
        time.advance(wait);
        steps.push(new Step(next.after().minus(wait), next.signal()));
        return Optional.empty();
      }
      time.advance(next.after());
      return Optional.of(next.signal());
    }

    @Override
    public void abort() {}
  }
}
