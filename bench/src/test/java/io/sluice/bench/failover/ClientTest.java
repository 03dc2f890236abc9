package io.sluice.bench.failover;

import static io.sluice.bench.gateway.ScriptedGateway.broken;
import static io.sluice.bench.gateway.ScriptedGateway.whole;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.ScriptedGateway;
import io.sluice.bench.gateway.ScriptedGateway.Reply;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ClientTest {
  private static final String DONE = "data: [DONE]\n\n";

  @Test
  void aWholeStreamHasAnArrivalForEachTextAndNoProblem() throws Exception {
    ClientAnswer answer =
        ask(List.of(whole(chunk("a") + chunk("") + chunk("b") + DONE)), List.of());
    assertThat(answer.text()).isEqualTo("ab");
    assertThat(answer.arrivals()).hasSize(2);
    assertThat(answer.problem()).isEmpty();
    assertThat(answer.lost()).isZero();
  }

  @Test
  void aBrokenStreamIsReadOnAtTheOtherGatewayAndOnlyNewTextCounts() throws Exception {
    // Given
    Reply again =
        whole(
            "id: 1\n"
                + chunk("a")
                + "id: 2\n"
                + chunk("b")
                + "id: 3\n"
                + chunk("c")
                + "id: 4\n"
                + DONE);

    // When
    ClientAnswer answer = ask(List.of(broken(chunk("a") + chunk("b"))), List.of(again));

    // Then
    assertThat(answer.text()).isEqualTo("abc");
    assertThat(answer.arrivals()).hasSize(3);
    assertThat(answer.problem()).isEmpty();
    assertThat(answer.lost()).isOne();
  }

  @Test
  void aGatewayThatSendsAwayIsReplacedByTheOtherOne() throws Exception {
    ClientAnswer answer =
        ask(List.of(new Reply(503, "", false)), List.of(whole(chunk("a") + DONE)));
    assertThat(answer.text()).isEqualTo("a");
    assertThat(answer.problem()).isEmpty();
    assertThat(answer.lost()).isOne();
  }

  @Test
  void anErrorIsAProblem() throws Exception {
    assertThat(ask(List.of(new Reply(500, "", false)), List.of()).problem()).contains("status 500");
    assertThat(ask(List.of(whole("data: {\"error\":{\"code\":\"x\"}}\n\n")), List.of()).problem())
        .contains("{\"code\":\"x\"}");
    assertThat(ask(List.of(whole(chunk("a"))), List.of()).problem())
        .contains("the stream ended without an end or an error");
  }

  private static ClientAnswer ask(List<Reply> first, List<Reply> second)
      throws IOException, InterruptedException {
    try (var one = new ScriptedGateway(first.toArray(Reply[]::new));
        var other = new ScriptedGateway(second.toArray(Reply[]::new));
        var gateways = new Gateways(List.of(one.uri(), other.uri()))) {
      return new Client(gateways, 0, new ObjectMapper().createObjectNode()).run();
    }
  }

  private static String chunk(String content) {
    return "data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}]}\n\n".formatted(content);
  }
}
