package io.sluice.bench.torture.batches;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.log.Journal;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * What happened to the batches of a run.
 *
 * @param sessions what their clients saw
 * @param batches those that ended, also those that no client knows
 */
public record BatchReport(
    List<BatchSession> sessions, List<FinishedBatch> batches, List<Violation> violations) {
  public BatchReport {
    sessions = List.copyOf(sessions);
    batches = List.copyOf(batches);
    violations = List.copyOf(violations);
  }

  /**
   * Returns the requests of all lines, except those that no gateway sent before the batch was
   * cancelled.
   */
  public List<LoadGenerator.Sent> requests(Journal journal) {
    return batches.stream()
        .flatMap(
            batch ->
                batch.requests().stream()
                    .filter(
                        sent ->
                            !batch.status().equals("cancelled")
                                || journal.isAppended(sent.request().id())))
        .toList();
  }

  /** Prints the counts; violations are printed with those of other requests. */
  public void print(PrintWriter out) {
    if (!sessions.isEmpty()) {
      out.printf(
          "batches %d, cancelled %d, created without their clients' knowledge %d: lines %d, answers"
              + " %d, errors %d; connections to gateways lost %d, uploads and creations sent again %d%n",
          batches.size(),
          cancelled(),
          unknown(),
          lines(),
          answers(),
          errors(),
          sum(BatchSession::breaks),
          sum(BatchSession::sentAgain));
    }
  }

  /** Writes the counts. */
  public void to(ObjectNode json) {
    json.put("batches", batches.size()).put("cancelled", cancelled()).put("unknown", unknown());
    json.put("lines", lines()).put("answers", answers()).put("errors", errors());
    json.put("gateways_lost", sum(BatchSession::breaks));
    json.put("sent_again", sum(BatchSession::sentAgain));
  }

  private long cancelled() {
    return batches.stream().filter(batch -> batch.status().equals("cancelled")).count();
  }

  private long unknown() {
    Set<String> known =
        sessions.stream()
            .flatMap(session -> session.last().stream())
            .map(batch -> batch.path("id").asText())
            .collect(Collectors.toSet());
    return batches.stream().filter(batch -> !known.contains(batch.id())).count();
  }

  private int lines() {
    return batches.stream().mapToInt(batch -> batch.plan().lines().size()).sum();
  }

  private int answers() {
    return batches.stream().mapToInt(batch -> batch.output().size()).sum();
  }

  private int errors() {
    return batches.stream().mapToInt(batch -> batch.errors().size()).sum();
  }

  private int sum(ToIntFunction<BatchSession> figure) {
    return sessions.stream().mapToInt(figure).sum();
  }
}
