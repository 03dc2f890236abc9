package io.sluice.router.queue;

import io.sluice.common.protocol.Priority;
import io.sluice.router.request.RequestMetadata;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The order of the tenants of each model and priority. It exists while any of their requests waits.
 * Thread-safe.
 */
public final class TenantShares {
  private final ConcurrentMap<Queue, FairShare> shares = new ConcurrentHashMap<>();

  private record Queue(String model, Priority priority) {}

  /** Returns the order of the tenants among which a request waits. */
  FairShare of(RequestMetadata metadata) {
    return shares.computeIfAbsent(
        new Queue(metadata.model(), metadata.priority()), any -> new FairShare());
  }

  void enter(String model, Priority priority, String tenant) {
    shares.compute(
        new Queue(model, priority),
        (queue, known) -> {
          FairShare share = known == null ? new FairShare() : known;
          share.enter(tenant);
          return share;
        });
  }

  void leave(String model, Priority priority, String tenant) {
    shares.computeIfPresent(
        new Queue(model, priority),
        (queue, share) -> {
          share.leave(tenant);
          return share.isEmpty() ? null : share;
        });
  }

  /**
   * A waiting request is dispatched for the first time. Its tenant is charged for the prompt and
   * the expected answer. Returns the tokens that it is charged.
   */
  public long charge(RequestMetadata metadata) {
    return find(metadata.model(), metadata.priority())
        .map(
            share ->
                share.charge(metadata.tenant(), metadata.promptTokens(), metadata.outputTokens()))
        .orElse(0L);
  }

  /**
   * An answer of a model took this many tokens, instead of those that were asked for or assumed.
   */
  public void answerTook(String model, Priority priority, long askedTokens, long tokens) {
    find(model, priority).ifPresent(share -> share.answerTook(askedTokens, tokens));
  }

  /**
   * A charged request is over.
   *
   * @param tokens by how many it took more than was charged; negative if it took less
   */
  public void settle(String model, Priority priority, String tenant, long tokens) {
    find(model, priority).ifPresent(share -> share.settle(tenant, tokens));
  }

  private Optional<FairShare> find(String model, Priority priority) {
    return Optional.ofNullable(shares.get(new Queue(model, priority)));
  }
}
