package io.sluice.gateway.pool;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.dependency.Reasons;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.fleet.retry.RetryIndex;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.Failures;
import io.sluice.gateway.http.TenantShares;
import io.sluice.gateway.trace.RequestTraces;
import io.sluice.producer.ClientException;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.SluiceClient;
import io.sluice.producer.reply.AttachOptions;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import io.sluice.producer.reply.RequestFailedException;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends requests to the pool; what prevents that is an error in OpenAI's format. Thread-safe. */
@Singleton
public final class Pool {
  private static final Logger log = LoggerFactory.getLogger(Pool.class);

  /** Longer than Kafka may take to deliver a record. */
  private static final Duration SENT_WITHIN = Duration.ofSeconds(40);

  /** How answers are read: who needs the whole one gets it from a request that is not streamed. */
  private static final AttachOptions EVENTS = AttachOptions.standard().withoutWholeAnswer();

  private final SluiceClient client;
  private final Tries tries;
  private final ReaderSlots slots;
  private final RequestTraces traces;
  private final GatewayConfig config;
  private final Clock clock;

  Pool(
      SluiceClient client,
      Tries tries,
      ReaderSlots slots,
      RequestTraces traces,
      GatewayConfig config,
      Clock clock) {
    this.slots = slots;
    this.traces = traces;
    this.client = client;
    this.tries = tries;
    this.config = config;
    this.clock = clock;
  }

  /**
   * Prepares a request of a caller.
   *
   * @param headers those of the HTTP request, for the options in {@code x-sluice-*}
   * @throws ApiException if the body or an option is not valid
   */
  public InferenceRequest.Builder request(
      Endpoint endpoint, byte[] body, HttpHeaders headers, Caller caller) {
    return prepared(() -> InferenceRequest.of(endpoint, body), headers, caller);
  }

  /**
   * Prepares a chat request into which a caller's request was translated.
   *
   * @throws ApiException if an option is not valid
   */
  public InferenceRequest.Builder chat(ObjectNode body, HttpHeaders headers, Caller caller) {
    return prepared(() -> InferenceRequest.of(Endpoint.CHAT_COMPLETIONS, body), headers, caller);
  }

  private InferenceRequest.Builder prepared(
      Supplier<InferenceRequest.Builder> body, HttpHeaders headers, Caller caller) {
    try {
      InferenceRequest.Builder request = body.get();
      new RequestOptions(headers, request.openAi().json())
          .applyTo(request, caller.limits(), config.requestTimeout());
      return request.tenant(caller.tenant());
    } catch (IllegalArgumentException e) {
      throw new ApiException(ErrorKind.INVALID_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Sends a request, unless an earlier try of the client did: then its answer is read.
   *
   * @throws ApiException if the gateway has too many requests in progress or is about to stop, or
   *     if the client reuses an idempotency key
   */
  public Exchange begin(InferenceRequest.Builder options, ClientTry attempt)
      throws InterruptedException {
    String id = client.newRequestId();
    InferenceRequest request = options.requestId(id).build();
    Duration patience = request.patience(clock.instant());
    Optional<Exchange> running =
        tries.followed(attempt, id, patience, earlier -> follow(earlier, request, attempt));
    if (running.isPresent()) {
      return running.get();
    }
    try {
      return begin(request, attempt);
    } catch (ApiException e) {
      tries.forget(attempt);
      throw e;
    }
  }

  /**
   * A try was refused before it began anything. The retry of a first one is not to get the answer
   * to an equal request; that of a retry still gets what the first try began.
   */
  public void refused(ClientTry attempt) {
    if (attempt.noted().filter(RetryIndex.Try::mayFollow).isEmpty()) {
      tries.forget(attempt);
    }
  }

  /**
   * Reads the answer to a request that an earlier try of the client sent. Blocks until its first
   * event, or until a keep-alive is due.
   *
   * @param earlier the id of that request
   * @param request what this try would send
   * @return empty if it has failed
   * @throws ApiException if it cannot be read, because the gateway is about to stop, Kafka cannot
   *     be reached, or too many answers are read
   */
  public Optional<Exchange> follow(String earlier, InferenceRequest request, ClientTry attempt)
      throws InterruptedException {
    AttachOptions waiting =
        EVENTS.ofTenant(request.tenant()).waiting(request.patience(clock.instant()));
    ReplyStream stream = attach(earlier, waiting, slots.takeForRetry(request.tenant()));
    boolean isFollowed = false;
    try {
      Exchange exchange = exchange(stream, attempt, Counting.ELSEWHERE);
      Optional<ReplyEvent> first = exchange.awaitFirst();
      if (first.isEmpty()) {
        // Its gateway may have died before it sent it. The pool does not run an id twice.
        sendAgain(request.withId(earlier), earlier);
      }
      isFollowed = !isFailed(first, earlier);
      return isFollowed ? Optional.of(exchange) : Optional.empty();
    } finally {
      if (!isFollowed) {
        stream.close();
      }
    }
  }

  private ReplyStream attach(String requestId, AttachOptions options, TenantShares.Share slot) {
    boolean isAttached = false;
    try {
      ReplyStream stream = attach(requestId, options);
      isAttached = true;
      var _ = stream.answer().whenComplete((_, _) -> slot.close());
      return stream;
    } finally {
      if (!isAttached) {
        slot.close();
      }
    }
  }

  /** Of a failure to read, it is not known whether the request has failed. */
  private static boolean isFailed(Optional<ReplyEvent> first, String requestId) {
    if (!(first.orElse(null) instanceof ReplyEvent.Failed failed)) {
      return false;
    }
    if (failed.isLocal() && failed.kind().isUnreachable()) {
      throw new ApiException(ApiError.of(failed).about(requestId));
    }
    return true;
  }

  /** Returns when Kafka has the request: the response that begins then promises an answer. */
  private void sendAgain(InferenceRequest request, String id) throws InterruptedException {
    log.info("event=request_sent_again request={}", id);
    try {
      var _ = client.post(request).get(SENT_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ClientException e) {
      throw unavailable(e, Optional.of(id));
    } catch (ExecutionException | TimeoutException e) {
      log.warn("event=request_not_sent_again request={} reason=\"{}\"", id, Reasons.of(e));
      throw notSent(id, e);
    }
  }

  private static ApiException notSent(String id, Exception e) {
    return e.getCause() instanceof RequestFailedException failed
            && !failed.failure().kind().isUnreachable()
        ? new ApiException(ApiError.of(failed.failure()).about(id))
        : new ApiException(Failures.unreachable(Optional.of(id), Reasons.of(e)));
  }

  /**
   * Sends a request for a try that has none to follow.
   *
   * @throws ApiException if the gateway has too many requests in progress, or is about to stop
   */
  public Exchange begin(InferenceRequest request, ClientTry attempt) {
    Counting counting = request.isStreamed() ? Counting.STREAMED : Counting.WHOLE;
    return exchange(submit(request), attempt, counting);
  }

  private Exchange exchange(ReplyStream stream, ClientTry attempt, Counting counting) {
    return new Exchange(stream, attempt, tries, config, counting, client::isClosed);
  }

  /** Follows a request that was posted to its end, and passes on what it used. */
  public void observe(String requestId, String tenant, Duration patience, Consumer<Spent> spent) {
    AttachOptions waiting = EVENTS.ofTenant(tenant).waiting(patience);
    try {
      ReplyStream stream = attach(requestId, waiting);
      stream.discardEvents();
      exchange(stream, ClientTry.ONLY, Counting.POSTED).whenEnded(spent);
    } catch (ApiException e) {
      spent.accept(Spent.UNKNOWN);
    }
  }

  private ReplyStream submit(InferenceRequest request) {
    RequestTraces.RequestSpan span = traces.begin(request);
    try {
      ReplyStream stream = client.submit(span.request());
      span.endsWith(stream.answer());
      return stream;
    } catch (ClientException e) {
      span.fail(e);
      throw e.kind() == ClientException.Kind.BUSY ? busy() : unavailable(e, Optional.empty());
    }
  }

  /**
   * Checks that a request could begin now.
   *
   * @throws ApiException if the gateway has too many requests in progress
   */
  public void requirePlace() {
    if (client.requestsInFlight() >= config.maxConcurrent()) {
      throw busy();
    }
  }

  /**
   * Reads the answer to a request of the caller's tenant from its beginning, also if another
   * gateway sent it. The answers of other tenants are not found.
   *
   * @throws ApiException if the gateway is about to stop, or Kafka cannot be reached
   */
  public ReplyStream attach(String requestId, Caller caller) {
    return attach(requestId, EVENTS.ofTenant(caller.tenant()));
  }

  private ReplyStream attach(String requestId, AttachOptions options) {
    try {
      return client.attach(requestId, options);
    } catch (ClientException e) {
      throw unavailable(e, Optional.of(requestId));
    }
  }

  private ApiException busy() {
    return new ApiException(
        ApiError.overloaded(
            "the gateway has %d requests in progress".formatted(config.maxConcurrent())));
  }

  private static ApiException unavailable(ClientException e, Optional<String> requestId) {
    return e.kind() == ClientException.Kind.CLOSED
        ? new ApiException(ErrorKind.UNAVAILABLE, Failures.STOPPED)
        : new ApiException(Failures.unreachable(requestId, String.valueOf(e.getMessage())));
  }
}
