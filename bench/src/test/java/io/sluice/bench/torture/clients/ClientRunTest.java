package io.sluice.bench.torture.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.ScriptedGateway;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientRunTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"id\":\"re", "", "<html>"})
  void anAnswerThatCannotBeReadIsAProblem(String answer) throws Exception {
    // Given
    var client =
        new PlannedClient(
            0,
            ClientKind.STREAM,
            Duration.ZERO,
            JSON.createObjectNode().put("model", "m").put("temperature", 0).put("max_tokens", 1));
    try (var gateway = new ScriptedGateway(ScriptedGateway.whole(answer));
        var gateways = new Gateways(List.of(gateway.uri()))) {

      // When
      ClientSession session =
          new ClientRun(client, gateways, Duration.ofSeconds(1)).run(Duration.ofMillis(100));

      // Then
      assertThat(session.problems())
          .isNotEmpty()
          .allMatch(what -> what.startsWith("the answer to its request cannot be read: "));
      assertThat(session.breaks()).isZero();
    }
  }
}
