package io.sluice.gateway.quota;

import io.sluice.fleet.quota.Quotas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Notes the calls. A test decides when and how a reservation is answered. */
final class FakeQuotas implements Quotas {
  /** A call of {@link #settle}. */
  record Settled(long tokens, String lease) {}

  final List<Long> reserved = new ArrayList<>();
  final List<Settled> settled = new ArrayList<>();
  final List<Lease> renewed = new ArrayList<>();
  String lease = "";
  CompletableFuture<Void> settlement = CompletableFuture.completedFuture(null);
  CompletableFuture<Reservation> answer =
      CompletableFuture.completedFuture(new Reservation(Lacking.NOTHING, 0, 0, 0));

  @Override
  public CompletionStage<Reservation> reserve(
      Limits limits, long tokens, String newLease, Duration life) {
    reserved.add(tokens);
    lease = newLease;
    return answer;
  }

  @Override
  public CompletionStage<Void> settle(Limits limits, long tokens, String settledLease) {
    settled.add(new Settled(tokens, settledLease));
    return settlement;
  }

  @Override
  public CompletionStage<Void> renew(Collection<Lease> leases, Duration life) {
    renewed.addAll(leases);
    return CompletableFuture.completedFuture(null);
  }
}
