package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.Journal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks all batches of a run while all gateways still run, including those whose clients do not
 * know them. Used by one thread.
 */
public final class BatchChecks {
  private static final Duration READ_WITHIN = Duration.ofSeconds(60);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final BatchLoad load;
  private final Gateways gateways;
  private final Journal journal;
  private final List<FinishedBatch> batches = new ArrayList<>();
  private final List<Violation> violations = new ArrayList<>();

  private BatchChecks(BatchLoad load, Journal journal) {
    this.load = load;
    this.gateways = load.gateways();
    this.journal = journal;
  }

  /** Waits for batches that no client waited for, and checks all. */
  public static BatchReport check(BatchLoad load, Journal journal) throws InterruptedException {
    var checks = new BatchChecks(load, journal);
    if (!load.sessions().isEmpty()) {
      checks.check();
    }
    return new BatchReport(load.sessions(), checks.batches, checks.violations);
  }

  private void check() throws InterruptedException {
    Map<String, JsonNode> known = ended();
    Map<String, BatchSession> sessions = new HashMap<>();
    for (BatchSession session : load.sessions()) {
      session.problems().forEach(what -> found(session.plan().name(), what));
      String id = session.last().map(batch -> batch.path("id").asText()).orElse("");
      sessions.put(id, session);
      if (id.isEmpty()) {
        found(session.plan().name(), "no gateway created the batch");
      } else if (!known.containsKey(id)) {
        found(id, "the gateways do not list it");
      } else if (session.results().isEmpty()) {
        found(id, "the client did not get its results in time: " + session.last().get());
      }
    }
    for (Map.Entry<String, JsonNode> batch : known.entrySet()) {
      check(batch.getKey(), batch.getValue(), Optional.ofNullable(sessions.get(batch.getKey())));
    }
    for (BatchSession session : load.sessions()) {
      runOnce(session.plan());
    }
  }

  /**
   * Returns all batches when they have ended, or the time is over; compares the gateways' lists.
   */
  private Map<String, JsonNode> ended() throws InterruptedException {
    PatientCaller first = only(0, load.limit());
    Map<String, JsonNode> known = Map.of();
    Optional<Map<String, JsonNode>> latest = BatchList.read(first);
    while (latest.isPresent()) {
      known = latest.get();
      if (known.values().stream().allMatch(BatchClient::isEnded)) {
        break;
      }
      Thread.sleep(LOOK_AGAIN);
      latest = BatchList.read(first);
    }
    for (int gateway = 1; gateway < gateways.count(); gateway++) {
      Map<String, JsonNode> other = BatchList.read(only(gateway, READ_WITHIN)).orElseGet(Map::of);
      if (!List.copyOf(known.entrySet()).equals(List.copyOf(other.entrySet()))) {
        found(
            "-",
            "gateway %d lists %s, but gateway 1 %s"
                .formatted(gateway + 1, other.values(), known.values()));
      }
    }
    return known;
  }

  private void check(String id, JsonNode json, Optional<BatchSession> session)
      throws InterruptedException {
    String name = json.at("/metadata/" + BatchClient.NAME).asText();
    Optional<PlannedBatch> plan =
        load.sessions().stream()
            .map(BatchSession::plan)
            .filter(planned -> planned.name().equals(name))
            .findFirst();
    if (plan.isEmpty() || !BatchClient.isEnded(json)) {
      found(id, plan.isEmpty() ? "no client created it: " + json : "it has not ended: " + json);
      return;
    }
    Optional<ResultFiles> files = files(id, json, session.flatMap(BatchSession::results));
    if (files.isPresent()) {
      FinishedBatch batch =
          FinishedBatch.of(
              plan.get(),
              json,
              session.filter(BatchSession::isCancelled).isPresent(),
              session
                  .map(BatchSession::beganMillis)
                  .orElseGet(() -> json.path("created_at").asLong() * 1_000),
              files.get());
      batches.add(batch);
      ResultCheck.check(batch, journal).forEach(what -> found(id, what));
    }
  }

  /** Reads the results at every gateway; returns those of the first one. */
  private Optional<ResultFiles> files(String id, JsonNode json, Optional<ResultFiles> byClient)
      throws InterruptedException {
    Optional<ResultFiles> first = Optional.empty();
    for (int gateway = 0; gateway < gateways.count(); gateway++) {
      PatientCaller caller = only(gateway, READ_WITHIN);
      Optional<ResultFiles> here = ResultFiles.of(json, caller);
      String where = "gateway " + (gateway + 1);
      caller.problems().forEach(what -> found(id, where + ": " + what));
      if (here.isEmpty()) {
        found(id, where + " does not send its results");
      } else if (first.isPresent() && !here.equals(first)) {
        found(id, where + " sends other results than gateway 1");
      }
      first = first.or(() -> here);
    }
    if (byClient.isPresent() && first.isPresent() && !byClient.equals(first)) {
      found(id, "its client read other results than gateway 1 sends");
    }
    return first;
  }

  /** No line runs under an id that its results do not name, unless the pool was full. */
  private void runOnce(PlannedBatch plan) {
    List<String> named =
        batches.stream()
            .filter(batch -> batch.plan().name().equals(plan.name()))
            .flatMap(batch -> batch.requests().stream())
            .map(sent -> sent.request().id())
            .toList();
    for (PlannedLine line : plan.lines()) {
      journal.bulkAbout(line.customId()).stream()
          .filter(id -> !named.contains(id) && !isRefused(id))
          .forEach(id -> found(plan.name(), "%s also ran as %s".formatted(line.customId(), id)));
    }
  }

  private boolean isRefused(String id) {
    return journal.see(
        id,
        log ->
            log.at(PlannedRequest.REPLIES)
                .reading()
                .errorCode()
                .filter("overloaded"::equals)
                .isPresent());
  }

  private PatientCaller only(int gateway, Duration limit) {
    return new PatientCaller(gateways.only(gateway), 0, limit);
  }

  private void found(String id, String what) {
    violations.add(new Violation(id, "HTTP_BATCH", what, false, List.of()));
  }
}
