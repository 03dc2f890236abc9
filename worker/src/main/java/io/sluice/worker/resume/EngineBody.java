package io.sluice.worker.resume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;
import java.util.Optional;

/** Prepares the body that the engine gets for a request. */
public final class EngineBody {
  private EngineBody() {}

  /**
   * Returns the body as JSON. It asks for a stream that reports its usage, or for a whole answer
   * where engines do not stream one. All else is as the caller wrote it, and continued as the
   * continuation says.
   *
   * @param model replaces the caller's
   * @param ids what the engine is asked for token ids for; its dialect must support them
   */
  public static byte[] of(
      OpenAiRequest request,
      EngineDialect dialect,
      Optional<String> model,
      Continuation continuation,
      IdUse ids) {
    ObjectNode body = request.json().deepCopy();
    if (request.limit().isMissingNode()) {
      // Not every engine has this default, and a resumed answer must not end earlier.
      request.maxTokens().ifPresent(limit -> body.put("max_tokens", limit));
    }
    if (isStreamed(request)) {
      dialect.askForStream(body);
    }
    model.ifPresent(name -> body.put("model", name));
    if (continuation.tokens() > 0) {
      lowerLimits(body, request.endpoint(), continuation.tokens());
    }
    continuation.left().ifPresent(left -> limit(body, request.endpoint(), left));
    if (ids != IdUse.NONE) {
      boolean showsStopTexts = ids == IdUse.RESUME && !request.stopTexts().isEmpty();
      dialect.tokenIds().ifPresent(how -> how.askForIds(body, showsStopTexts));
    }
    continuation.applyTo(body);
    return Json.bytes(body);
  }

  /**
   * Returns whether engines stream the answer to a request, also if its caller does not ask for it.
   */
  public static boolean isStreamed(OpenAiRequest request) {
    return request.isStream() || !(request.hasPromptLogprobs() || request.isBeamSearch());
  }

  /** Takes the tokens that exist already off the limits. */
  private static void lowerLimits(ObjectNode body, Endpoint endpoint, int made) {
    OpenAiRequest.limits(endpoint).forEach(field -> subtract(body, field, made, 1));
    EngineDialects.minimumOptions().forEach(field -> subtract(body, field, made, 0));
  }

  /** Engines differ in which limit counts if there are several, so all of them are set. */
  private static void limit(ObjectNode body, Endpoint endpoint, int tokens) {
    body.put("max_tokens", tokens);
    OpenAiRequest.limits(endpoint).stream()
        .filter(body::has)
        .forEach(field -> body.put(field, tokens));
  }

  private static void subtract(ObjectNode body, String field, int made, int least) {
    if (body.path(field).canConvertToInt()) {
      body.put(field, Math.max(least, body.path(field).asInt() - made));
    }
  }
}
