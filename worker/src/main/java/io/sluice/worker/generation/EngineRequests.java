package io.sluice.worker.generation;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.EngineRequest;
import io.sluice.worker.engine.Silence;
import io.sluice.worker.engine.dialect.EngineDialects;
import io.sluice.worker.engine.dialect.EngineFacts;
import io.sluice.worker.resume.Continuation;
import io.sluice.worker.resume.EngineBody;
import io.sluice.worker.resume.IdUse;
import io.sluice.worker.trace.EngineCall;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Makes what an engine is sent for an attempt. */
final class EngineRequests {
  private EngineRequests() {}

  /** Returns the request to the engine, and notes in the attempt's trace that it is sent. */
  static EngineRequest of(
      AssignedRequest request,
      OpenAiRequest body,
      EngineFacts engine,
      Continuation continuation,
      IdUse ids) {
    Assignment assignment = request.assignment();
    Optional<String> model = engine.engineModel(body.model(), assignment.fallbackModel());
    Endpoint endpoint = continuation.endpoint(assignment.endpoint());
    var call =
        new EngineCall(
            endpoint,
            engine.dialect().name(),
            model.orElse(body.model()),
            body.maxTokens(),
            EngineBody.isStreamed(body));
    Map<String, String> headers = new HashMap<>(request.trace().calling(call));
    headers.put("X-Request-Id", requestId(assignment));
    boolean mayWithhold = ids == IdUse.NONE && EngineDialects.mayWithhold(body);
    return new EngineRequest(
        endpoint.path(),
        EngineBody.of(body, engine.dialect(), model, continuation, ids),
        EngineBody.isStreamed(body),
        new Silence(!engine.dialect().hasEarlyHead(), mayWithhold),
        headers);
  }

  /** A caller's id may contain characters that are not allowed in a header. */
  private static String requestId(Assignment assignment) {
    String id = assignment.lease().requestId();
    boolean isPlain = id.chars().allMatch(c -> c > ' ' && c < 127);
    return isPlain ? id : assignment.lease().lease();
  }
}
