package io.sluice.worker.engine.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Outcome;
import io.sluice.simulator.SimulatedEngine;
import io.sluice.simulator.SimulatorConfig;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.worker.engine.EngineAnswer;
import io.sluice.worker.engine.EngineClient;
import io.sluice.worker.engine.EngineEvent;
import io.sluice.worker.engine.EngineException;
import io.sluice.worker.engine.EngineFailure;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.EngineStream;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.reply.PartialReply;
import io.sluice.worker.reply.ReplyRecord;
import io.sluice.worker.testing.Surroundings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of the simulated engine, over HTTP, that are cut off again and again. */
@Tag("slow")
@Timeout(60)
class SimulatedResumeTest {
  private static final List<Integer> FRAMES_PER_ATTEMPT = List.of(7, 1, 23, 2, 12, 30);

  private static SimulatedEngine simulator;
  private static EngineHttp http;

  @BeforeAll
  static void start() throws Exception {
    simulator = SimulatedEngine.start(SimulatorConfig.of(GpuProfile.H100));
    http = new EngineHttp(simulator.uri(), EngineHttp.patient());
  }

  @AfterAll
  static void stop() {
    http.close();
    simulator.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Tell me a story.\"}]}",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"And another 🦜.\"}],\"max_tokens\":90,\"min_tokens\":80,\"ignore_eos\":true}",
        "{\"messages\":[{\"role\":\"system\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Why?\"}]}],\"stop\":[\"\\n\\n\",\" it \"],\"min_tokens\":40}",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"Code!\"}],\"truncate_prompt_tokens\":9}",
        "{\"messages\":[{\"role\":\"assistant\",\"content\":\"Well, \"}],\"continue_final_message\":true,\"add_generation_prompt\":false,\"max_completion_tokens\":85}",
        "{\"prompt\":\"Once upon a time\",\"max_tokens\":100}",
        "{\"prompt\":[9906,11,856],\"max_tokens\":100}"
      })
  void aStreamIsTheSameHoweverOftenItIsCutOff(String body) throws Exception {
    // Given
    var engine = new FrailEngine(http.client());
    Surroundings whole = answered(body, List.of(), engine);
    assertThat(engine.paths).hasSize(1);

    // When
    Surroundings cut = answered(body, FRAMES_PER_ATTEMPT, engine);

    // Then
    assertThat(reply(cut).text()).isEqualTo(reply(whole).text()).isNotEmpty();
    assertThat(reply(cut).tokenIds()).isPresent().isEqualTo(reply(whole).tokenIds());
    assertThat(last(cut).path("choices")).isEqualTo(last(whole).path("choices"));
    assertThat(last(cut).path("usage")).isEqualTo(last(whole).path("usage"));
    assertThat(engine.paths.subList(2, engine.paths.size()))
        .isNotEmpty()
        .containsOnly("/v1/completions");
  }

  private static Surroundings answered(String body, List<Integer> lives, FrailEngine engine) {
    Endpoint endpoint =
        body.contains("messages") ? Endpoint.CHAT_COMPLETIONS : Endpoint.COMPLETIONS;
    var around = new Surroundings();
    around.serving = engine;
    around.facts = new EngineFacts(List.of(), Optional.empty(), EngineDialects.VLLM);
    around.gather = Duration.ZERO;
    String streamed = body.replaceFirst("\\{", "{\"stream\":true,");
    int attempt = 1;
    for (int frames : lives) {
      engine.framesToLive = frames;
      run(around, attempt++, endpoint, streamed);
    }
    engine.framesToLive = Integer.MAX_VALUE;
    run(around, attempt, endpoint, streamed);
    assertThat(around.log.lastEvent()).isInstanceOf(Outcome.Completed.class);
    return around;
  }

  private static void run(Surroundings around, int attempt, Endpoint endpoint, String body) {
    around
        .generation(
            around.assignment(attempt, "lease-" + attempt, attempt == 1, endpoint, false), body)
        .run();
  }

  private static PartialReply reply(Surroundings around) {
    var reply = new PartialReply();
    around.log.records().forEach(record -> reply.next(record.headers(), record.value()));
    return reply;
  }

  private static JsonNode last(Surroundings around) throws Exception {
    ReplyRecord last = around.log.records().getLast();
    return Json.tree(last.value());
  }

  /** Breaks each stream after some frames. */
  private static final class FrailEngine implements EngineClient {
    private final EngineClient engine;
    private final List<String> paths = new ArrayList<>();
    private int framesToLive;

    FrailEngine(EngineClient engine) {
      this.engine = engine;
    }

    @Override
    public EngineStream open(EngineRequest request) {
      paths.add(request.path());
      return new FrailStream(engine.open(request), framesToLive);
    }

    @Override
    public EngineAnswer get(String path, Duration atMost)
        throws EngineException, InterruptedException {
      return engine.get(path, atMost);
    }

    @Override
    public EngineAnswer post(String path, byte[] json, Duration atMost)
        throws EngineException, InterruptedException {
      return engine.post(path, json, atMost);
    }
  }

  private static final class FrailStream implements EngineStream {
    private final EngineStream stream;
    private int left;

    FrailStream(EngineStream stream, int left) {
      this.stream = stream;
      this.left = left;
    }

    @Override
    public Optional<EngineEvent> next(Duration atMost)
        throws EngineException, InterruptedException {
      Optional<EngineEvent> event = stream.next(atMost);
      if (event.isPresent() && event.get() instanceof EngineEvent.Tokens && left-- == 0) {
        throw new EngineException(
            new EngineFailure.Broken(FailureCode.CUT, "the connection was cut"));
      }
      return event;
    }

    @Override
    public void cancel() {
      stream.cancel();
    }

    @Override
    public void close() {
      stream.close();
    }
  }
}
