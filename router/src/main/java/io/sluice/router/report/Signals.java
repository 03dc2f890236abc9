package io.sluice.router.report;

import io.sluice.common.protocol.Json;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.fleet.peers.RouterReport;
import io.sluice.fleet.peers.RouterReport.Demand;
import io.sluice.fleet.peers.RouterReports;
import io.sluice.router.fleet.FleetSnapshot;
import io.sluice.router.fleet.WorkerView;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The latest {@link PoolSignals}: the sum over the reports of all routers. It is made once for
 * every reading of the reports, however often it is asked for. A sum that lacks a partition, or
 * that may have one twice, is never given: it would look like less, or more, load. Thread-safe.
 */
public final class Signals {
  /** Reports are read every second. */
  private static final Duration BELIEVED_FOR = Duration.ofSeconds(3);

  private final KnownNames names;
  private final Supplier<FleetSnapshot> fleet;
  private final LongSupplier nanoClock;
  private volatile Optional<Made> latest = Optional.empty();

  private record Made(Answer answer, long nanos) {}

  /** What an autoscaler is told. */
  public sealed interface Answer {
    /** The signals as JSON. The array must not be modified. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Known(byte[] json) implements Answer {}

    /** There is no sum that may be acted on, for this reason. */
    record Unknown(String reason) implements Answer {}
  }

  /**
   * Creates an instance that knows nothing.
   *
   * @param nanoClock monotonic nanoseconds
   */
  public Signals(KnownNames names, Supplier<FleetSnapshot> fleet, LongSupplier nanoClock) {
    this.names = names;
    this.fleet = fleet;
    this.nanoClock = nanoClock;
  }

  /** The reports of all routers were read. */
  void heard(List<RouterReports.Reading> readings) {
    latest = Optional.of(new Made(answer(readings), nanoClock.getAsLong()));
  }

  /** Returns the latest signals. */
  public Answer answer() {
    long now = nanoClock.getAsLong();
    return latest
        .filter(made -> now - made.nanos() <= BELIEVED_FOR.toNanos())
        .map(Made::answer)
        .orElseGet(
            () ->
                new Answer.Unknown(
                    "the reports of the routers cannot be read from Redis; check Redis"));
  }

  private Answer answer(List<RouterReports.Reading> readings) {
    List<RouterReport> reports = readings.stream().map(RouterReports.Reading::report).toList();
    int partitions = reports.stream().mapToInt(RouterReport::partitionsOfPool).max().orElse(0);
    Set<Integer> missing = new TreeSet<>();
    for (int partition = 0; partition < partitions; partition++) {
      missing.add(partition);
    }
    Set<Integer> twice = new TreeSet<>();
    Set<Integer> seen = new HashSet<>();
    for (RouterReport report : reports) {
      for (int partition : report.partitions()) {
        missing.remove(partition);
        if (!seen.add(partition)) {
          twice.add(partition);
        }
      }
    }
    if (partitions == 0 || !missing.isEmpty()) {
      return new Answer.Unknown(
          "%d of %d partitions are in no router's report; %d routers report"
              .formatted(missing.size(), partitions, reports.size()));
    }
    if (!twice.isEmpty()) {
      return new Answer.Unknown(
          "%d partitions are in the reports of two routers, because they move from one to the other"
              .formatted(twice.size()));
    }
    long age = readings.stream().mapToLong(reading -> reading.age().toMillis()).max().orElse(0);
    List<Demand> demand = reports.stream().flatMap(report -> report.demand().stream()).toList();
    return new Answer.Known(Json.bytes(signals(age, reports.size(), partitions, demand)));
  }

  private PoolSignals signals(long age, int routers, int partitions, List<Demand> demand) {
    List<WorkerSnapshot> workers =
        fleet.get().workers().values().stream().map(WorkerView::snapshot).toList();
    var models = new TreeMap<String, PoolSignals.Model>();
    Set<String> told = names.models();
    demand.forEach(part -> told.add(part.model()));
    for (String model : told) {
      models.put(
          model,
          model(
              demand.stream().filter(part -> part.model().equals(model)).toList(),
              workers.stream().filter(worker -> worker.models().contains(model)).toList()));
    }
    return new PoolSignals(
        age,
        routers,
        partitions,
        workers.size(),
        traffic(demand, part -> !part.bulk()),
        traffic(demand, Demand::bulk),
        models);
  }

  private PoolSignals.Model model(List<Demand> demand, List<WorkerSnapshot> workers) {
    var tiers = new TreeMap<String, PoolSignals.Tier>();
    Set<String> told = new TreeSet<>(names.tiers());
    demand.forEach(part -> told.add(part.tier()));
    for (String tier : told) {
      Predicate<Demand> isOf = part -> part.tier().equals(tier);
      tiers.put(
          tier,
          new PoolSignals.Tier(
              (int)
                  workers.stream()
                      .filter(worker -> worker.tier().filter(tier::equals).isPresent())
                      .count(),
              traffic(demand, isOf.and(part -> !part.bulk())),
              traffic(demand, isOf.and(Demand::bulk))));
    }
    return new PoolSignals.Model(
        workers.size(),
        traffic(demand, part -> !part.bulk()),
        traffic(demand, Demand::bulk),
        tiers);
  }

  private static PoolSignals.Traffic traffic(List<Demand> demand, Predicate<Demand> which) {
    return PoolSignals.Traffic.sum(demand.stream().filter(which).toList());
  }
}
