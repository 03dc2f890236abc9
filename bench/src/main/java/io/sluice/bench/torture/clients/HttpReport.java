package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.batches.BatchReport;
import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.load.LoadGenerator;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** What the HTTP clients of a run saw. */
public final class HttpReport {
  private final List<ClientSession> sessions;
  private final BatchReport batches;
  private final List<LoadGenerator.Sent> sent;
  private final List<Violation> violations;

  /**
   * Makes a report.
   *
   * @param sent the requests in the pool of all clients and batches
   * @param violations also those of the batches
   */
  HttpReport(
      List<ClientSession> sessions,
      BatchReport batches,
      List<LoadGenerator.Sent> sent,
      List<Violation> violations) {
    this.sessions = List.copyOf(sessions);
    this.batches = batches;
    this.sent = List.copyOf(sent);
    this.violations = List.copyOf(violations);
  }

  /** Returns the same, and requests with wrong texts. */
  public HttpReport withMore(Map<String, String> wrongTexts) {
    List<Violation> all = new ArrayList<>(violations);
    wrongTexts.forEach(
        (id, text) -> all.add(new Violation(id, "HTTP", "its text is " + text, false, List.of())));
    return new HttpReport(sessions, batches, sent, all);
  }

  public List<Violation> violations() {
    return violations;
  }

  /** Returns the requests in the pool of all clients and batches, as far as their ids are known. */
  public List<LoadGenerator.Sent> sent() {
    return sent;
  }

  /** Prints the counts; violations are printed with those of other requests. */
  public void print(PrintWriter out) {
    if (!sessions.isEmpty()) {
      out.printf(
          "HTTP clients %d %s: gateways lost %d times, requests sent again %d, events compared"
              + " between gateways %d%n",
          sessions.size(), kinds(), breaks(), retries(), events());
    }
    batches.print(out);
  }

  /** Writes the counts. */
  public void to(ObjectNode json) {
    json.put("clients", sessions.size()).put("gateways_lost", breaks());
    json.put("sent_again", retries()).put("events", events());
    kinds().forEach(json::put);
    batches.to(json.putObject("batches"));
  }

  private Map<String, Long> kinds() {
    return sessions.stream()
        .collect(
            Collectors.groupingBy(
                session -> session.plan().kind().name().toLowerCase(Locale.ROOT),
                TreeMap::new,
                Collectors.counting()));
  }

  private int breaks() {
    return sum(ClientSession::breaks);
  }

  private int retries() {
    return sum(ClientSession::retries);
  }

  private int events() {
    return sum(session -> session.items().size());
  }

  private int sum(ToIntFunction<ClientSession> figure) {
    return sessions.stream().mapToInt(figure).sum();
  }
}
