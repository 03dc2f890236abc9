package io.sluice.bench.replay;

import static java.util.function.Predicate.not;

import io.sluice.bench.replay.log.PoolRecording;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.bench.replay.log.Recording;
import io.sluice.bench.replay.model.ModelFleet;
import io.sluice.fleet.WorkerSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says in words what was read and what is compared. Not thread-safe. */
final class About {
  private static final int MOST_NAMES = 5;

  private final Instant now;
  private final List<String> lines = new ArrayList<>();

  /** Begins with the time that is replayed. */
  About(PoolRecording.Span span, Instant now) {
    this.now = now;
    lines.add(
        "Requests from %s to %s."
            .formatted(
                Instant.ofEpochMilli(span.fromMillis()), Instant.ofEpochMilli(span.toMillis())));
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static long count(List<RecordedRequest> requests, Predicate<RecordedRequest> which) {
    return requests.stream().filter(which).count();
  }

  private void sayIfAny(long count, String what) {
    if (count > 0) {
      lines.add(number(count) + " " + what);
    }
  }

  /** Counts what was read, and says what a missing record means. */
  void recording(PoolRecording.Reading reading) {
    Recording recording = reading.recording();
    List<RecordedRequest> measured = recording.measured();
    List<RecordedRequest> others =
        measured.stream().filter(not(request -> request.happened().isComparable())).toList();
    List<RecordedRequest> open =
        others.stream().filter(request -> request.happened().endedMillis().isEmpty()).toList();
    long running = count(open, request -> request.metadata().deadlineEpochMillis() > millis());
    lines.add(
        "%s requests, of which %s have a recorded answer or error."
            .formatted(number(measured.size()), number(measured.size() - others.size())));
    sayIfAny(
        others.size() - open.size(),
        "were cancelled by their callers: replayed as far as they got, but not compared.");
    sayIfAny(
        running,
        "still wait or run: replayed with the output that they asked for, but not compared.");
    sayIfAny(
        open.size() - running,
        "have no record of their end any longer: replayed with the output that they asked for, but"
            + " not compared.");
    sayIfAny(
        recording.requests().size() - measured.size(),
        "requests before these fill the caches, and are not compared.");
    sayIfAny(recording.invalid(), "requests that the routers refuse in any case are left out.");
    sayIfAny(recording.repeats(), "repeats are left out.");
    if (reading.isCut()) {
      lines.add("The lanes have lost older requests of this time, so there were more at first.");
    }
    long decided = count(measured, request -> request.happened().waitedMillis().isPresent());
    if (decided < measured.size() - open.size()) {
      lines.add(
          "%s have a decision of the router, which is kept for an hour: the wait for a worker is that of these."
              .formatted(number(decided)));
    }
  }

  private long millis() {
    return now.toEpochMilli();
  }

  /** Names workers that answered requests and are gone, so that the model has not got them. */
  void gone(Recording recording, List<WorkerSnapshot> workers) {
    Set<String> present = workers.stream().map(WorkerSnapshot::id).collect(Collectors.toSet());
    List<String> gone =
        recording.measured().stream()
            .flatMap(request -> request.happened().worker().stream())
            .filter(not(present::contains))
            .toList();
    sayIfAny(
        gone.size(),
        "requests went to workers that the pool and the model no longer have: "
            + names(gone.stream()));
  }

  private static String names(Stream<String> all) {
    return all.distinct().sorted().limit(MOST_NAMES).collect(Collectors.joining(", "));
  }

  /** Names requests for which the fleet has no worker. */
  void unserved(List<RecordedRequest> requests) {
    if (!requests.isEmpty()) {
      sayIfAny(
          requests.size(),
          "requests are left out, because no worker of the pool serves their model now: "
              + names(requests.stream().map(request -> request.metadata().model())));
    }
  }

  /** Describes a fleet. */
  void fleet(String name, ModelFleet fleet) {
    var kinds = new TreeMap<String, Integer>();
    for (int at = 0; at < fleet.engines(); at++) {
      String kind = fleet.kinds().get(at % fleet.kinds().size()).timing().profile().wireName();
      kinds.merge(kind, 1, Integer::sum);
    }
    lines.add(
        "%s: engines as %s."
            .formatted(
                name,
                kinds.entrySet().stream()
                    .map(kind -> kind.getValue() + " x " + kind.getKey())
                    .collect(Collectors.joining(", "))));
  }

  /** Names workers of the pool of whose engines nothing is known. */
  void assumed(ModelFleet fleet) {
    if (!fleet.assumed().isEmpty()) {
      lines.add(
          "No measurements of %s yet; their engines are modelled as rtx4090."
              .formatted(String.join(", ", fleet.assumed())));
    }
  }

  /** Returns all that was said. */
  List<String> lines() {
    return List.copyOf(lines);
  }
}
