package io.sluice.bench.torture.checker;

import io.sluice.bench.direct.DirectCaller;
import io.sluice.bench.direct.DirectReply;
import io.sluice.bench.direct.Question;
import io.sluice.bench.direct.QuickEngine;
import io.sluice.bench.direct.WholeAnswer;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.pool.Engines;
import io.sluice.bench.torture.pool.PoolProcesses;
import io.sluice.bench.torture.pool.PoolSetup;
import io.sluice.bench.torture.pool.Target;
import io.sluice.simulator.SimulatedEngine;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The answers of undisturbed engines to the same bodies, asked over HTTP. */
public final class ReferenceAnswers implements AutoCloseable {

  /** The uninterrupted answer. */
  public record Answer(Map<Integer, String> texts, int tokens) {}

  private final Map<String, URI> engines;
  private final List<SimulatedEngine> own;
  private final DirectCaller caller = new DirectCaller();

  private ReferenceAnswers(Map<String, URI> engines, List<SimulatedEngine> own) {
    this.engines = Map.copyOf(engines);
    this.own = List.copyOf(own);
  }

  /** Starts simulated engines, or uses a real engine of the pool after all faults are over. */
  public static ReferenceAnswers of(PoolSetup setup, PoolProcesses pool) throws IOException {
    Engines kind = setup.engines();
    if (!kind.areSimulated()) {
      return new ReferenceAnswers(Map.of(kind.model(), pool.http(Target.engine(1), "")), List.of());
    }
    Map<String, URI> engines = new HashMap<>();
    List<SimulatedEngine> own = new ArrayList<>();
    // One engine for each model, because answers depend on the model.
    for (String model : List.of(kind.model(), kind.otherModel())) {
      SimulatedEngine engine = QuickEngine.start(model, kind.maxModelLen());
      own.add(engine);
      engines.put(model, engine.uri());
    }
    return new ReferenceAnswers(engines, own);
  }

  /** Asks for the answers to these requests, several at a time; returns them by request id. */
  public Map<String, Answer> answers(List<PlannedRequest> requests)
      throws IOException, InterruptedException {
    List<Question> questions =
        requests.stream()
            .map(request -> new Question(request.id(), request.endpoint(), request.body()))
            .toList();
    Map<String, Answer> answers = new HashMap<>();
    for (Map.Entry<String, DirectReply> reply : caller.ask(questions, this::engine).entrySet()) {
      answers.put(reply.getKey(), answer(reply.getKey(), reply.getValue()));
    }
    return answers;
  }

  private URI engine(Question question) {
    return Objects.requireNonNull(
        engines.get(question.body().path("model").asText()), question.id());
  }

  private static Answer answer(String id, DirectReply reply) throws IOException {
    if (!reply.isAnswer()) {
      throw new IOException(
          "no reference answer to %s: the engine answered %d: %s"
              .formatted(id, reply.status(), reply.body()));
    }
    WholeAnswer answer = WholeAnswer.of(reply.body());
    return new Answer(answer.texts(), answer.usage().completionTokens());
  }

  @Override
  public void close() {
    caller.close();
    own.forEach(SimulatedEngine::close);
  }
}
