package io.sluice.bench.torture.clients;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.checker.Violation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What the HTTP clients of a run saw. */
public final class HttpReport {
  private final Map<String, Long> kinds;
  private final int clients;
  private final int breaks;
  private final int retries;
  private final int events;
  private final List<Violation> violations;

  private final List<ClientSession> sessions;

  HttpReport(List<ClientSession> sessions, List<Violation> violations) {
    this.sessions = List.copyOf(sessions);
    this.kinds =
        sessions.stream()
            .collect(
                Collectors.groupingBy(
                    session -> session.plan().kind().name().toLowerCase(Locale.ROOT),
                    TreeMap::new,
                    Collectors.counting()));
    this.clients = sessions.size();
    this.breaks = sessions.stream().mapToInt(ClientSession::breaks).sum();
    this.retries = sessions.stream().mapToInt(ClientSession::retries).sum();
    this.events = sessions.stream().mapToInt(session -> session.items().size()).sum();
    this.violations = List.copyOf(violations);
  }

  /** The same, and requests with wrong texts. */
  public HttpReport withMore(Map<String, String> wrongTexts) {
    List<Violation> all = new ArrayList<>(violations);
    wrongTexts.forEach(
        (id, text) -> all.add(new Violation(id, "HTTP", "its text is " + text, false, List.of())));
    return new HttpReport(sessions, all);
  }

  public List<Violation> violations() {
    return violations;
  }

  /** Prints the counts; violations are printed with those of other requests. */
  public void print(PrintWriter out) {
    if (clients > 0) {
      out.printf(
          "HTTP clients %d %s: gateways lost in mid-stream %d, requests sent again %d, events"
              + " compared between gateways %d%n",
          clients, kinds, breaks, retries, events);
    }
  }

  /** Writes the counts. */
  public void to(ObjectNode json) {
    json.put("clients", clients).put("gateways_lost", breaks);
    json.put("sent_again", retries).put("events", events);
    kinds.forEach(json::put);
  }
}
