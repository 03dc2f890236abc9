package io.sluice.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.gateway.ScriptedGateway;
import io.sluice.bench.gateway.ScriptedGateway.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerTest {
  private static final Plan.Planned REQUEST = new Plan.Planned(0, true, "river stone", 3);

  private static final String TOKENS =
      """
      data: {"choices":[{"delta":{"role":"assistant","content":""}}]}

      data: {"choices":[{"delta":{"content":"one"}}]}

      data: {"choices":[{"delta":{"content":" two three"}}]}

      data: {"choices":[],"usage":{"completion_tokens":3}}

      """;

  private static final String END = "data: [DONE]\n\n";

  private static Outcome call(Reply reply, long dueNanos) throws Exception {
    try (var scripted = new ScriptedGateway(reply);
        var server = new Server("scripted", List.of(scripted.uri()), "m", Map.of())) {
      return server.call(REQUEST, dueNanos);
    }
  }

  @Test
  void timesCountFromWhenTheRequestWasDue() throws Exception {
    long due = System.nanoTime() - Duration.ofSeconds(5).toNanos();

    Outcome outcome = call(ScriptedGateway.whole(TOKENS + END), due);

    assertThat(outcome.isWhole()).isTrue();
    assertThat(outcome.tokens()).isEqualTo(3);
    assertThat(outcome.ttftMillis()).isGreaterThanOrEqualTo(5_000);
    assertThat(outcome.tpotMillis()).isBetween(0.0, outcome.ttftMillis());
  }

  @Test
  void anAnswerWithoutItsEndIsNotWhole() throws Exception {
    long now = System.nanoTime();

    for (Reply reply :
        List.of(ScriptedGateway.whole(TOKENS), ScriptedGateway.broken(TOKENS + END))) {
      Outcome outcome = call(reply, now);

      assertThat(outcome.status()).isEqualTo(200);
      assertThat(outcome.isWhole()).isFalse();
      assertThat(outcome.isRefused()).isFalse();
      assertThat(outcome.ttftMillis()).isInfinite();
    }
  }

  @Test
  void aRefusalIsNotAFailure() throws Exception {
    Outcome outcome = call(new Reply(429, "{\"error\":{}}", false), System.nanoTime());

    assertThat(outcome.isRefused()).isTrue();
    assertThat(outcome.isWhole()).isFalse();
  }

  @Test
  void severalServersGetRequestsInTurn() throws Exception {
    try (var one = new ScriptedGateway(ScriptedGateway.whole(TOKENS + END));
        var other = new ScriptedGateway(ScriptedGateway.whole(TOKENS + END));
        var server = new Server("both", List.of(one.uri(), other.uri()), "m", Map.of())) {
      for (int i = 0; i < 4; i++) {
        server.call(REQUEST, System.nanoTime());
      }

      assertThat(one.asked()).hasSize(2);
      assertThat(other.asked()).hasSize(2);
    }
  }

  @Test
  void aServerThatIsNotThereFails() throws Exception {
    var gone = new ScriptedGateway(ScriptedGateway.whole(""));
    gone.close();
    try (var server = new Server("gone", List.of(gone.uri()), "m", Map.of())) {
      Outcome outcome = server.call(REQUEST, System.nanoTime());

      assertThat(outcome.status()).isZero();
      assertThat(outcome.isWhole()).isFalse();
    }
  }
}
