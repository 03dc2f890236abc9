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

/**
 * The requests of a trace as the router sees them. They name no {@code max_tokens}, and the
 * router's count of a prompt's tokens is up to a tenth off, as its estimates are.
 *
 * @param sloTtft how soon callers want the first token; empty if they do not say
 * @param tenants whose each request is
 * @param timeout the time from the append of an interactive request to its deadline
 */
record TraceRequests(
    Duration timeout, Optional<Duration> sloTtft, Function<FleetRequest, String> tenants)
    implements RequestView {
  /** All of one tenant. */
  TraceRequests(Duration timeout, Optional<Duration> sloTtft) {
    this(timeout, sloTtft, request -> "default");
  }

  private static final Lanes LANES = Lanes.standard();
  private static final int ASSUMED_OUTPUT_TOKENS = 512;
  private static final double ESTIMATE_ERROR = 0.1;

  @Override
  public RequestMetadata metadata(FleetRequest request, long appendNanos) {
    long prompt = promptTokens(request);
    long appended = RequestView.epochMillis(appendNanos);
    Priority priority = request.bulk() ? Priority.BULK : Priority.INTERACTIVE;
    String lane = LANES.holding(prompt + ASSUMED_OUTPUT_TOKENS).name();
    return RequestMetadataBuilder.builder()
        .requestId(Integer.toString(request.id()))
        .requestPartition(0)
        .source(new RequestMetadata.Source("requests", 0, request.id()))
        .replyTo(new ReplyAddress("replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model(SluiceFront.MODEL)
        .lane(lane)
        .promptTokens(prompt)
        .outputTokens(ASSUMED_OUTPUT_TOKENS)
        .classification(Classification.NONE)
        .priority(priority)
        .tenant(tenants.apply(request))
        .appendTimeMillis(appended)
        .deadlineEpochMillis(
            appended + (request.bulk() ? priority.defaultTimeout() : timeout).toMillis())
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
   * The hashes of a prompt's beginning, by the blocks of the request. The blocks of a trace are
   * larger than those of a real router.
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
