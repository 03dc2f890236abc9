package io.sluice.simulator.endpoint;

import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.metrics.AdmissionLimit;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.openai.request.Fields;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.request.RequestReader;
import io.sluice.simulator.openai.response.ResponseFormat;
import io.sluice.simulator.openai.response.ResponseFormats;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.serving.OutputListener;
import io.sluice.simulator.serving.PendingWork;
import io.sluice.simulator.serving.Submission;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;

/** {@code /v1/chat/completions}, {@code /v1/completions} and {@code /invocations}. */
final class GenerationEndpoint {

  private final RequestReader reader;
  private final EngineDriver driver;
  private final ResponseFormats formats;
  private final ApiOptions options;
  private final FaultBoard faults;
  private final ServerMetrics metrics;
  private final Runnable onEngineDead;

  /** The number of in-flight requests. Used on the event loop only. */
  private int load;

  GenerationEndpoint(
      RequestReader reader,
      EngineDriver driver,
      ResponseFormats formats,
      ApiOptions options,
      FaultBoard faults,
      ServerMetrics metrics,
      Runnable onEngineDead) {
    this.reader = reader;
    this.driver = driver;
    this.formats = formats;
    this.options = options;
    this.faults = faults;
    this.metrics = metrics;
    this.onEngineDead = onEngineDead;
  }

  /** Returns the number of in-flight requests; 0 unless the server tracks them. */
  int load() {
    return options.loadTracking() ? load : 0;
  }

  void chat(Exchange exchange) {
    answer(exchange, reader::chat, formats::chat);
  }

  void completion(Exchange exchange) {
    answer(exchange, reader::completion, formats::completion);
  }

  /** Serves SageMaker's single path. The shape of the body decides which API it belongs to. */
  void invocation(Exchange exchange) {
    Fields body = RequestBody.of(exchange);
    if (body.has("messages")) {
      chat(exchange);
    } else {
      completion(exchange);
    }
  }

  private void answer(
      Exchange exchange,
      BiFunction<Fields, Function<String, Optional<String>>, GenerationRequest> read,
      Function<GenerationRequest, ResponseFormat> formatOf) {
    load++;
    exchange.onFinished(() -> load--);
    Optional<Effect.OnRequest> fault = fault(exchange);
    if (fault.isPresent() && isAnsweredBy(fault.get(), exchange)) {
      return;
    }
    Fields body = RequestBody.of(exchange);
    GenerationRequest request;
    try {
      request = read.apply(body, exchange::header);
    } catch (ApiError error) {
      if (error.isLazy() && body.flag("stream", false)) {
        StreamReply.fail(exchange.openStream(Optional.empty()), error);
        return;
      }
      throw error;
    }
    if (driver.isDead()) {
      onEngineDead.run();
      throw ApiError.engineFailure();
    }
    generate(exchange, request, formatOf.apply(request), fault);
  }

  private void generate(
      Exchange exchange,
      GenerationRequest request,
      ResponseFormat format,
      Optional<Effect.OnRequest> fault) {
    checkLimits(request);
    Reply reply =
        request.streaming().on()
            ? StreamReply.open(exchange, options.sseKeepAlive(), format, request)
            : new WholeReply(exchange, format, request.choices(), metrics, onEngineDead);
    if (fault.isPresent() && fault.get() instanceof Effect.NoDone) {
      reply.withoutMarker();
    }
    if (fault.isPresent() && fault.get() instanceof Effect.HangBeforeFirstToken) {
      return;
    }
    OutputListener listener =
        fault.<OutputListener>map(effect -> new FaultyReply(effect, exchange, reply)).orElse(reply);
    Submission submission = driver.submit(request.prompts(), request.sampling(), listener);
    exchange.onGone(submission::cancel);
  }

  /**
   * Applies the optional queue limits. Requests above them are rejected before their answer begins.
   */
  private void checkLimits(GenerationRequest request) {
    PendingWork pending = driver.pendingWork();
    OptionalInt requests = options.maxQueuedRequests();
    if (requests.isPresent() && pending.unfinished() + request.choices() > requests.getAsInt()) {
      metrics.rejected(AdmissionLimit.QUEUED_REQUESTS);
      throw ApiError.busy();
    }
    OptionalLong tokens = options.maxQueuedTokens();
    if (tokens.isPresent() && pending.prefillTokens() >= tokens.getAsLong()) {
      metrics.rejected(AdmissionLimit.QUEUED_TOKENS);
      throw ApiError.prefillBacklog();
    }
  }

  /**
   * Returns the fault for a request. The fault in its header takes precedence over the active ones.
   */
  private Optional<Effect.OnRequest> fault(Exchange exchange) {
    Optional<String> header = exchange.header(Fault.HEADER);
    if (header.isEmpty()) {
      return faults.draw();
    }
    Fault fault;
    try {
      fault = Fault.parse(header.get());
    } catch (IllegalArgumentException e) {
      throw ApiError.badRequest(String.valueOf(e.getMessage()));
    }
    if (!(fault.effect() instanceof Effect.OnRequest effect)) {
      throw ApiError.badRequest("The fault '" + fault + "' does not apply to a single request.");
    }
    return Optional.of(effect);
  }

  private static boolean isAnsweredBy(Effect.OnRequest fault, Exchange exchange) {
    return switch (fault) {
      case Effect.Status status -> {
        ApiError error = ApiError.injected(status.status());
        boolean retry = status.retryAfterSeconds().isPresent();
        exchange.reply(
            error.status(),
            "application/json",
            error.body(),
            retry ? "retry-after" : "",
            retry ? String.valueOf(status.retryAfterSeconds().getAsInt()) : "");
        yield true;
      }
      case Effect.Reset _ -> {
        exchange.reset();
        yield true;
      }
      case Effect.HangBeforeHead _ -> true;
      default -> false;
    };
  }
}
