package io.sluice.simulator.http;

import io.sluice.simulator.serving.EngineDriver;
import io.sluice.simulator.serving.OutputListener;
import io.sluice.simulator.serving.Submission;
import java.util.Optional;

/** {@code /v1/chat/completions} and {@code /v1/completions}. */
final class GenerationEndpoint {

  private final RequestReader reader;
  private final EngineDriver driver;
  private final ServedModel model;

  GenerationEndpoint(RequestReader reader, EngineDriver driver, ServedModel model) {
    this.reader = reader;
    this.driver = driver;
    this.model = model;
  }

  void chat(Exchange exchange) {
    GenerationRequest request = reader.chat(JsonBody.of(exchange), exchange.header("x-request-id"));
    generate(exchange, request, new ChatFormat(request, head(request)));
  }

  void completion(Exchange exchange) {
    GenerationRequest request =
        reader.completion(JsonBody.of(exchange), exchange.header("x-request-id"));
    generate(exchange, request, new CompletionFormat(request, head(request)));
  }

  private ResponseHead head(GenerationRequest request) {
    return new ResponseHead(
        request.id(), System.currentTimeMillis() / 1000, model.name(), model.fingerprint());
  }

  private void generate(Exchange exchange, GenerationRequest request, ResponseFormat format) {
    Optional<Fault> fault = Fault.of(exchange.header(Fault.HEADER));
    if (fault.isPresent() && fault.get() instanceof Fault.Status status) {
      throw ApiError.injected(status.status());
    }
    if (request.stream()) {
      StreamReply reply = new StreamReply(exchange, format, request);
      reply.open();
      submit(exchange, request, reply, fault, () -> reply.fail(ApiError.engineFailure()));
    } else {
      WholeReply reply = new WholeReply(exchange, format, request.choices());
      submit(exchange, request, reply, fault, () -> reply.fail(ApiError.engineFailure()));
    }
  }

  private void submit(
      Exchange exchange,
      GenerationRequest request,
      OutputListener reply,
      Optional<Fault> fault,
      Runnable fail) {
    OutputListener listener =
        fault.map(wanted -> faulty(wanted, exchange, reply, fail)).orElse(reply);
    Submission submission = driver.submit(request.prompts(), request.sampling(), listener);
    exchange.onGone(submission::cancel);
  }

  private static OutputListener faulty(
      Fault fault, Exchange exchange, OutputListener reply, Runnable fail) {
    return switch (fault) {
      case Fault.Status status -> reply;
      case Fault.CutAfter cut ->
          new FaultyListener(reply, cut.tokens(), () -> exchange.execute(exchange::hangUp));
      case Fault.StallAfter stall -> new FaultyListener(reply, stall.tokens(), () -> {});
      case Fault.ErrorAfter error ->
          new FaultyListener(
              reply,
              error.tokens(),
              () ->
                  exchange.execute(
                      () -> {
                        exchange.cancel();
                        fail.run();
                      }));
    };
  }
}
