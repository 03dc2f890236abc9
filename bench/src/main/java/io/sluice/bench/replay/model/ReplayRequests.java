package io.sluice.bench.replay.model;

import io.sluice.bench.fleet.run.FleetRequest;
import io.sluice.bench.fleet.run.Mix;
import io.sluice.bench.fleet.sluice.RequestView;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.log.Recording;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Recorded requests for a run in virtual time. The router's hashes of a prompt are the ids of its
 * blocks, so prompts that the router takes to share a prefix share it in the run. A block is as
 * long as most blocks of the router are; what the hashes do not cover is not shared.
 */
public final class ReplayRequests implements RequestView {
  /** The usual length of the router's blocks, in tokens. */
  private static final int BLOCK_TOKENS = 64;

  /** A session is recognized by its first tokens, this many. */
  private static final int SESSION_TOKENS = 1_024;

  private final List<RecordedRequest> recorded;
  private final List<FleetRequest> requests = new ArrayList<>();
  private final boolean[] measured;

  /**
   * Prepares a recording.
   *
   * @throws IllegalArgumentException if there are no requests
   */
  public ReplayRequests(Recording recording) {
    recorded = recording.requests();
    if (recorded.isEmpty()) {
      throw new IllegalArgumentException("A replay needs at least one request.");
    }
    measured = new boolean[recorded.size()];
    int blockTokens = blockTokens();
    long start = recorded.getFirst().arrivalMillis();
    for (int id = 0; id < recorded.size(); id++) {
      measured[id] = recording.isMeasured(recorded.get(id));
      requests.add(request(id, start, blockTokens));
    }
  }

  private int blockTokens() {
    double[] lengths =
        recorded.stream()
            .flatMapToDouble(request -> request.blockTokens().stream())
            .sorted()
            .toArray();
    return lengths.length == 0
        ? BLOCK_TOKENS
        : (int) Math.max(1, Math.round(lengths[lengths.length / 2]));
  }

  private FleetRequest request(int id, long startMillis, int blockTokens) {
    RecordedRequest of = recorded.get(id);
    PrefixChain chain = of.prefix();
    long[] blocks = new long[Math.ceilDiv(of.promptTokens(), blockTokens)];
    long own = Mix.of(-1, id);
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = i < chain.blocks() ? chain.hash(i) : Mix.of(own, i);
    }
    int begin = Math.min(SESSION_TOKENS / blockTokens, blocks.length - 1);
    return new FleetRequest(
        id,
        Duration.ofMillis(of.arrivalMillis() - startMillis).toNanos(),
        of.promptTokens(),
        of.outputTokens(),
        blocks,
        blockTokens,
        blocks[begin],
        measured[id],
        of.parked());
  }

  /** For the run, by id. */
  List<FleetRequest> requests() {
    return requests;
  }

  /** As they were recorded, by id. */
  public List<RecordedRequest> recorded() {
    return recorded;
  }

  /** Returns whether a request belongs to the time that is compared. */
  public boolean isMeasured(int id) {
    return measured[id];
  }

  /** Returns the time from the first arrival to the last one. */
  Duration length() {
    return Duration.ofNanos(requests.getLast().arrivalNanos());
  }

  @Override
  public RequestMetadata metadata(FleetRequest request, long appendNanos) {
    RequestMetadata of = recorded.get(request.id()).metadata();
    // What was parked counts from its arrival in the bulk topic.
    long arrived = RequestView.epochMillis(request.arrivalNanos());
    long later = arrived - of.appendTimeMillis();
    OptionalLong by = of.firstTokenByMillis();
    return RequestMetadataBuilder.builder(of)
        .requestId(Integer.toString(request.id()))
        .requestPartition(0)
        .source(new RequestMetadata.Source("requests", 0, request.id()))
        .appendTimeMillis(RequestView.epochMillis(appendNanos))
        .deadlineEpochMillis(of.deadlineEpochMillis() + later)
        .firstTokenByMillis(
            by.isPresent() ? OptionalLong.of(by.getAsLong() + later) : OptionalLong.empty())
        .estimatedTokens(0)
        .build();
  }

  @Override
  public long promptTokens(FleetRequest request) {
    return recorded.get(request.id()).metadata().promptTokens();
  }
}
