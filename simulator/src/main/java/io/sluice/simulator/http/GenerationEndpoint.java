package io.sluice.simulator.http;

import io.sluice.simulator.fault.Effect;
import io.sluice.simulator.fault.Fault;
import io.sluice.simulator.fault.FaultBoard;
import io.sluice.simulator.metrics.AdmissionLimit;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.serving.Backlog;
import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.serving.OutputListener;
import io.sluice.simulator.serving.Submission;
import io.sluice.simulator.text.Tokenizer;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/** {@code /v1/chat/completions}, {@code /v1/completions} and {@code /invocations}. */
final class GenerationEndpoint {

  private final RequestReader reader;
  private final EngineDriver driver;
  private final ServedModel model;
  private final ServerOptions options;
  private final Tokenizer tokenizer;
  private final FaultBoard faults;
  private final ServerMetrics metrics;
  private final Runnable onEngineDead;

  /** Requests under way; used on the one event loop only. */
  private int load;

  GenerationEndpoint(
      RequestReader reader,
      EngineDriver driver,
      ServedModel model,
      ServerOptions options,
      Tokenizer tokenizer,
      FaultBoard faults,
      ServerMetrics metrics,
      Runnable onEngineDead) {
    this.reader = reader;
    this.driver = driver;
    this.model = model;
    this.options = options;
    this.tokenizer = tokenizer;
    this.faults = faults;
    this.metrics = metrics;
    this.onEngineDead = onEngineDead;
  }

  /** Returns the requests under way; 0 unless the server tracks them. */
  int load() {
    return options.loadTracking() ? load : 0;
  }

  void chat(Exchange exchange) {
    answer(
        exchange,
        reader::chat,
        (request, head) -> new ChatFormat(request, head, tokenizer),
        UsageKeys.CHAT);
  }

  void completion(Exchange exchange) {
    answer(
        exchange,
        reader::completion,
        (request, head) -> new CompletionFormat(request, head, tokenizer),
        UsageKeys.COMPLETION);
  }

  /** SageMaker's single path: the body's shape tells what it is. */
  void invocation(Exchange exchange) {
    Fields body = JsonBody.of(exchange);
    if (body.has("messages")) {
      chat(exchange);
    } else {
      completion(exchange);
    }
  }

  private void answer(
      Exchange exchange,
      BiFunction<Fields, Exchange, GenerationRequest> read,
      BiFunction<GenerationRequest, ResponseHead, ResponseFormat> formatOf,
      UsageKeys keys) {
    load++;
    exchange.onFinished(() -> load--);
    Optional<Effect.OnRequest> fault = fault(exchange);
    if (fault.isPresent() && isAnsweredBy(fault.get(), exchange)) {
      return;
    }
    Fields body = JsonBody.of(exchange);
    GenerationRequest request;
    try {
      request = read.apply(body, exchange);
    } catch (ApiError error) {
      if (error.isLazy() && body.flag("stream", false)) {
        exchange.openStream();
        StreamReply.fail(exchange, error);
        return;
      }
      throw error;
    }
    if (driver.isDead()) {
      onEngineDead.run();
      throw ApiError.engineFailure();
    }
    ResponseHead head =
        new ResponseHead(
            request,
            System.currentTimeMillis() / 1000,
            model.fingerprint(),
            options.promptTokensDetails() && !request.beams(),
            model.release().before(32) ? UsageKeys.BEFORE_0_32 : keys);
    generate(exchange, request, formatOf.apply(request, head), fault);
  }

  private void generate(
      Exchange exchange,
      GenerationRequest request,
      ResponseFormat format,
      Optional<Effect.OnRequest> fault) {
    checkLimits(request);
    Reply reply =
        request.streaming().on()
            ? new StreamReply(
                exchange, format, request, new KeepAliveComments(options.sseKeepAlive()))
            : new WholeReply(exchange, format, request.choices(), metrics, onEngineDead);
    reply.open();
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

  /** The opt-in limits of the queue: what is over them is refused before its answer begins. */
  private void checkLimits(GenerationRequest request) {
    Backlog backlog = driver.backlog();
    OptionalInt requests = options.maxQueuedRequests();
    if (requests.isPresent() && backlog.unfinished() + request.choices() > requests.getAsInt()) {
      metrics.refused(AdmissionLimit.QUEUED_REQUESTS);
      throw ApiError.busy();
    }
    OptionalLong tokens = options.maxQueuedTokens();
    if (tokens.isPresent() && backlog.prefillTokens() >= tokens.getAsLong()) {
      metrics.refused(AdmissionLimit.QUEUED_TOKENS);
      throw ApiError.prefillBacklog();
    }
  }

  /** The header's fault comes before those that are on for everybody. */
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
      throw ApiError.badRequest("The fault '" + fault + "' is not one of a single request.");
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
