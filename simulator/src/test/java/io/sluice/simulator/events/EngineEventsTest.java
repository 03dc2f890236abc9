package io.sluice.simulator.events;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.simulator.Patience;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.GpuProfile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.msgpack.core.MessagePack;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A served engine publishes the content of its prefix cache. */
class EngineEventsTest {

  @ParameterizedTest(name = "blocks of {0} tokens")
  @CsvSource({"16, 32", "32, 32", "8, 40"})
  void theBlocksOfAPromptCanBeReplayedWithTheirTokens(int blockTokens, int stored)
      throws Exception {
    // Given
    KvEventsConfig events = KvEventsConfig.at("tcp://127.0.0.1:*").withReplay("tcp://127.0.0.1:*");
    SimulatorConfig config =
        SimulatorConfig.of(GpuProfile.H100)
            .withModels(List.of("m"))
            .withSpeed(50)
            .withBlockTokens(blockTokens)
            .withKvEvents(events);
    try (SimulatedEngine engine = SimulatedEngine.start(config);
        ZContext context = new ZContext()) {
      List<Integer> prompt = java.util.stream.IntStream.rangeClosed(1, 40).boxed().toList();

      // When
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create(engine.uri() + "/v1/completions"))
                      .header("content-type", "application/json")
                      .POST(
                          HttpRequest.BodyPublishers.ofString(
                              "{\"prompt\":" + prompt + ",\"max_tokens\":1}"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());

      // Then
      assertThat(answer.statusCode()).isEqualTo(200);
      ZMQ.Socket dealer = context.createSocket(SocketType.DEALER);
      dealer.setHandshakeIvl(300);
      dealer.setReceiveTimeOut((int) Patience.LONGEST.toMillis());
      dealer.connect(engine.kvEvents().orElseThrow().replayEndpoints().getFirst());
      await().pollInSameThread().until(() -> firstReplayed(dealer).contains("BlockStored"));
      assertThat(firstReplayed(dealer))
          .contains(
              "null,"
                  + prompt.subList(0, stored).toString().replace(" ", "")
                  + ","
                  + blockTokens
                  + ",");
    }
  }

  /** Returns the payload of batch 0 as text; empty if there is none yet. */
  private static String firstReplayed(ZMQ.Socket dealer) throws Exception {
    dealer.send(ByteBuffer.allocate(8).putLong(0).array());
    String first = "";
    while (true) {
      long number = ByteBuffer.wrap(dealer.recv()).getLong();
      byte[] payload = dealer.recv();
      if (number == -1) {
        return first;
      }
      if (number == 0) {
        first = MessagePack.newDefaultUnpacker(payload).unpackValue().toString();
      }
    }
  }
}
