package io.sluice.bench.fleet.sluice;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.classify.Classification;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * The requests of a trace as the router sees them. Its count of a prompt's tokens is up to a tenth
 * off, as its estimates are.
 *
 * @param timeouts the time from the append of each request to its deadline
 * @param sloTtft how soon callers want the first token; empty if they do not say
 * @param tenants whose each request is
 * @param answers the {@code max_tokens} of each request, or what the router assumes without
 */
record TraceRequests(
    Function<FleetRequest, Duration> timeouts,
    Optional<Duration> sloTtft,
    Function<FleetRequest, String> tenants,
    ToIntFunction<FleetRequest> answers)
    implements RequestView {
  private static final Lanes LANES = Lanes.standard();
  private static final int ASSUMED_OUTPUT_TOKENS = 512;
  private static final double ESTIMATE_ERROR = 0.1;

  /** All of one tenant that says neither how soon it wants a token nor how many. */
  static final TraceRequests STANDARD =
      new TraceRequests(
          request -> priority(request).defaultTimeout(),
          Optional.empty(),
          request -> "default",
          request -> ASSUMED_OUTPUT_TOKENS);

  TraceRequests withTimeouts(Function<FleetRequest, Duration> value) {
    return new TraceRequests(value, sloTtft, tenants, answers);
  }

  TraceRequests withSlo(Duration value) {
    return new TraceRequests(timeouts, Optional.of(value), tenants, answers);
  }

  TraceRequests withTenants(Function<FleetRequest, String> value) {
    return new TraceRequests(timeouts, sloTtft, value, answers);
  }

  /** Returns the same requests with the {@code max_tokens} that each will take. */
  TraceRequests withMaxTokens() {
    return new TraceRequests(timeouts, sloTtft, tenants, FleetRequest::outputTokens);
  }

  private static Priority priority(FleetRequest request) {
    return request.bulk() ? Priority.BULK : Priority.INTERACTIVE;
  }

  @Override
  public RequestMetadata metadata(FleetRequest request, long appendNanos) {
    long prompt = promptTokens(request);
    long appended = RequestView.epochMillis(appendNanos);
    int answer = answers.applyAsInt(request);
    String lane = LANES.holding(prompt + answer).name();
    return RequestMetadataBuilder.builder()
        .requestId(Integer.toString(request.id()))
        .requestPartition(0)
        .source(new RequestMetadata.Source("requests", 0, request.id()))
        .replyTo(new ReplyAddress("replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model(SluiceFront.MODEL)
        .lane(lane)
        .promptTokens(prompt)
        .outputTokens(answer)
        .classification(Classification.NONE)
        .priority(priority(request))
        .tenant(tenants.apply(request))
        .appendTimeMillis(appended)
        .deadlineEpochMillis(appended + timeouts.apply(request).toMillis())
        .firstTokenByMillis(
            sloTtft
                .map(slo -> OptionalLong.of(appended + slo.toMillis()))
                .orElse(OptionalLong.empty()))
        .fresh(true)
        .estimatedTokens(0)
        .build();
  }

  @Override
  public long promptTokens(FleetRequest request) {
    double error = ESTIMATE_ERROR * (Mix.of(request.id(), 0xe5) / (double) Long.MAX_VALUE);
    return Math.max(1, Math.round(request.promptTokens() * (1 + error)));
  }

  /**
   * Returns the hashes of a prompt's beginning, by the blocks of the request. The blocks of a trace
   * are larger than those of a real router.
   */
  static PrefixChain prefix(FleetRequest request) {
    long[] hashes = new long[request.promptTokens() / request.blockTokens()];
    long hash = 0;
    for (int i = 0; i < hashes.length; i++) {
      hash = Mix.of(hash, request.blocks()[i]);
      hashes[i] = hash;
    }
    return new PrefixChain(hashes, request.blockTokens());
  }
}
