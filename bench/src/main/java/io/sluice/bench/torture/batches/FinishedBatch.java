package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A batch that has ended, and its results.
 *
 * @param json as all gateways show it
 * @param mayBeCancelled whether its client asked for that
 * @param beganMillis when its client began to create it, by the clock of this process
 */
record FinishedBatch(
    PlannedBatch plan,
    JsonNode json,
    boolean mayBeCancelled,
    long beganMillis,
    List<ResultRow> output,
    List<ResultRow> errors) {

  static FinishedBatch of(
      PlannedBatch plan,
      JsonNode json,
      boolean mayBeCancelled,
      long beganMillis,
      ResultFiles files) {
    return new FinishedBatch(
        plan,
        json,
        mayBeCancelled,
        beganMillis,
        ResultRow.of(files.output()),
        ResultRow.of(files.errors()));
  }

  String id() {
    return json.path("id").asText();
  }

  String status() {
    return json.path("status").asText();
  }

  /** Returns the results of lines that are requests; those of all others name the line. */
  private Stream<ResultRow> ofRequests() {
    return Stream.concat(output.stream(), errors.stream()).filter(row -> row.brokenLine() == 0);
  }

  /** Returns the requests of its lines, some of which may never have been sent. */
  List<LoadGenerator.Sent> requests() {
    Map<String, PlannedLine> lines = new HashMap<>();
    plan.lines().stream()
        .filter(line -> line.body().isPresent())
        .forEach(line -> lines.put(line.customId(), line));
    return ofRequests()
        .flatMap(
            row ->
                Optional.ofNullable(lines.get(row.customId())).stream()
                    .map(line -> request(row.requestId(), line)))
        .toList();
  }

  private LoadGenerator.Sent request(String id, PlannedLine line) {
    return new LoadGenerator.Sent(
        PlannedRequest.of(
            id, RequestKind.BATCH_LINE, line.body().orElseThrow(), "default", BatchClient.WINDOW),
        beganMillis);
  }
}
