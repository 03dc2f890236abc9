package io.sluice.gateway.completion;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.MutableHttpResponse;
import io.sluice.common.protocol.Endpoint;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Disconnect;
import io.sluice.gateway.http.EventStream;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.pool.ClientTry;
import io.sluice.gateway.pool.Exchange;
import io.sluice.gateway.pool.Pool;
import io.sluice.gateway.pool.Served;
import io.sluice.gateway.pool.Spent;
import io.sluice.gateway.quota.Admission;
import io.sluice.gateway.quota.BodyLimit;
import io.sluice.gateway.quota.Ticket;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends completion requests to the pool and returns their answers. Thread-safe. */
@Singleton
public final class Completions {
  private final Pool pool;
  private final Admission admission;
  private final GatewayConfig config;
  private final Served served;
  private final JsonMemory memory;

  Completions(
      Pool pool, Admission admission, JsonMemory memory, GatewayConfig config, Served served) {
    this.pool = pool;
    this.admission = admission;
    this.memory = memory;
    this.config = config;
    this.served = served;
  }

  /**
   * A request in another API's form, as the pool gets it.
   *
   * @param chat the body of a chat request
   */
  public record Translated(ObjectNode chat, AnswerFormat format) {}

  private record Prepared(InferenceRequest.Builder request, AnswerFormat format) {}

  /**
   * @param frames of an answer that is streamed
   */
  private record Begun(
      Exchange exchange, Optional<Frames> frames, Function<Answer, byte[]> whole) {}

  /** Answers a request for a completion. Blocks as for a translated one. */
  HttpResponse<?> complete(Endpoint endpoint, HttpRequest<?> http, byte @Nullable [] body)
      throws InterruptedException {
    return answer(
        http,
        JsonBody.bytes(body),
        sent -> {
          InferenceRequest.Builder request =
              pool.request(endpoint, sent, http.getHeaders(), Caller.of(http));
          return new Prepared(request, new CompletionFormat(request.openAi().streamUsage()));
        });
  }

  /**
   * Answers a request that was translated into a chat request. Blocks until the answer is there or,
   * for a stream, until its first event or the first keep-alive is due.
   *
   * @param body as the client sent it
   * @param translation of the body
   * @throws ApiException if there is no answer
   */
  public HttpResponse<?> translated(
      HttpRequest<?> http, byte @Nullable [] body, Function<byte[], Translated> translation)
      throws InterruptedException {
    return answer(
        http,
        JsonBody.bytes(body),
        sent -> {
          Translated to = translation.apply(sent);
          return new Prepared(
              pool.chat(to.chat(), http.getHeaders(), Caller.of(http)), to.format());
        });
  }

  private HttpResponse<?> answer(
      HttpRequest<?> http, byte[] sent, Function<byte[], Prepared> preparation)
      throws InterruptedException {
    BodyLimit.read(http, sent.length);
    Begun begun = begin(http, sent, preparation);
    Exchange exchange = begun.exchange();
    Disconnect disconnect = Disconnect.watch(http, exchange::clientLeft);
    if (begun.frames().isPresent()) {
      return streamed(exchange, begun.frames().get(), disconnect);
    }
    try (disconnect) {
      return whole(exchange.stream(), begun.whole());
    } finally {
      exchange.sent();
    }
  }

  /** The parsed request is let go when it was sent. */
  private Begun begin(HttpRequest<?> http, byte[] sent, Function<byte[], Prepared> preparation)
      throws InterruptedException {
    Caller caller = Caller.of(http);
    try (TenantShares.Share _ = memory.take(caller.tenant(), sent)) {
      Prepared prepared = preparation.apply(sent);
      InferenceRequest.Builder request = prepared.request();
      ClientTry attempt = ClientTry.of(http, caller, sent);
      Ticket ticket = admission.admit(http, caller, request.build(), () -> pool.refused(attempt));
      Exchange exchange = begin(request, attempt, ticket);
      AnswerFormat format = prepared.format();
      Optional<Frames> frames =
          request.openAi().isStream()
              ? Optional.of(format.frames(exchange.stream().requestId()))
              : Optional.empty();
      return new Begun(exchange, frames, format.whole());
    }
  }

  private Exchange begin(InferenceRequest.Builder request, ClientTry client, Ticket ticket)
      throws InterruptedException {
    boolean isBegun = false;
    try {
      Exchange exchange = pool.begin(request.withoutWholeAnswer(), client);
      isBegun = true;
      exchange.whenEnded(ticket::settle);
      return exchange;
    } finally {
      if (!isBegun) {
        ticket.settle(Spent.NOTHING);
      }
    }
  }

  private HttpResponse<?> streamed(Exchange exchange, Frames frames, Disconnect disconnect)
      throws InterruptedException {
    ReplyStream stream = exchange.stream();
    Optional<ReplyEvent> first = exchange.awaitFirst();
    if (first.isPresent() && first.get() instanceof ReplyEvent.Failed failed) {
      disconnect.close();
      exchange.sent();
      throw new ApiException(ApiError.of(failed).about(stream.requestId()));
    }
    exchange.responseBegins();
    MutableHttpResponse<?> head = HttpResponse.ok();
    Served.identify(head, stream.requestId());
    return EventStream.respond(
        head,
        events -> {
          try (disconnect) {
            new StreamedAnswer(stream, frames, events, config.keepAlive(), served)
                .write(first, exchange::sent, exchange::clientLeft);
          }
        },
        frames::error);
  }

  private HttpResponse<?> whole(ReplyStream stream, Function<Answer, byte[]> format)
      throws InterruptedException {
    stream.discardEvents();
    try {
      Answer answer = stream.answer().get();
      MutableHttpResponse<byte[]> response =
          HttpResponse.ok(format.apply(answer)).contentType(MediaType.APPLICATION_JSON_TYPE);
      Served.identify(response, stream.requestId());
      served.describe(response, answer);
      return response;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RequestFailedException failed) {
        throw new ApiException(ApiError.of(failed.failure()).about(stream.requestId()));
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
