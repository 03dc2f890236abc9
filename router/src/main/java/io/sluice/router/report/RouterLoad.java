package io.sluice.router.report;

import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReportDemandBuilder;
import io.sluice.router.demand.DemandKey;
import io.sluice.router.demand.DemandMeter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/** What the open requests of this router ask of workers. Thread-safe. */
public final class RouterLoad {
  private final KnownNames names;
  private final List<DemandMeter> waiting;
  private final DemandMeter running;
  private final AnsweredTokens answered;
  private final LongSupplier epochMillis;

  private static final class Row {
    private long waitingRequests;
    private long waitingTokens;
    private long runningRequests;
    private long runningTokens;
    private double tokensPerSecond;
    private double neededTokensPerSecond;
    private long slackMillis = Long.MAX_VALUE;

    void waits(DemandMeter.Sum sum) {
      waitingRequests += sum.requests();
      waitingTokens += sum.tokens();
      neededTokensPerSecond += sum.neededTokensPerSecond();
      slackMillis = Math.min(slackMillis, sum.slackMillis());
    }

    void runs(DemandMeter.Sum sum) {
      runningRequests += sum.requests();
      runningTokens += sum.tokens();
      neededTokensPerSecond += sum.neededTokensPerSecond();
    }

    RouterReport.Demand demand(DemandKey key) {
      return RouterReportDemandBuilder.builder()
          .model(key.model())
          .tier(key.tier())
          .bulk(key.bulk())
          .waitingRequests(waitingRequests)
          .waitingTokens(waitingTokens)
          .runningRequests(runningRequests)
          .runningTokens(runningTokens)
          .tokensPerSecond(tokensPerSecond)
          .neededTokensPerSecond(neededTokensPerSecond)
          .slackMillis(waitingRequests == 0 ? OptionalLong.empty() : OptionalLong.of(slackMillis))
          .build();
    }
  }

  /**
   * Creates the load of a router.
   *
   * @param waiting the waiting requests: those in the backlog, and those that are parked
   * @param epochMillis the pool's time
   */
  public RouterLoad(
      KnownNames names,
      List<DemandMeter> waiting,
      DemandMeter running,
      AnsweredTokens answered,
      LongSupplier epochMillis) {
    this.names = names;
    this.waiting = List.copyOf(waiting);
    this.running = running;
    this.answered = answered;
    this.epochMillis = epochMillis;
  }

  /**
   * Returns the demand by model, tier and kind; all zero for those of known models that have none.
   */
  List<RouterReport.Demand> demand() {
    long now = epochMillis.getAsLong();
    Map<DemandKey, Row> rows = new LinkedHashMap<>();
    names.keys().forEach(key -> rows.put(key, new Row()));
    waiting.forEach(meter -> meter.sums(now).forEach((key, sum) -> row(rows, key).waits(sum)));
    running.sums(now).forEach((key, sum) -> row(rows, key).runs(sum));
    answered.perSecond().forEach((key, speed) -> row(rows, key).tokensPerSecond += speed);
    List<RouterReport.Demand> demand = new ArrayList<>(rows.size());
    rows.forEach((key, row) -> demand.add(row.demand(key)));
    return demand;
  }

  private Row row(Map<DemandKey, Row> rows, DemandKey key) {
    return rows.computeIfAbsent(names.told(key), any -> new Row());
  }
}
