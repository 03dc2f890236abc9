package io.sluice.bench.torture.clients;

import io.sluice.bench.torture.batches.BatchChecks;
import io.sluice.bench.torture.batches.BatchReport;
import io.sluice.bench.torture.checker.ReferenceAnswers;
import io.sluice.bench.torture.checker.Violation;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.bench.torture.log.RequestLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Checks what the HTTP clients of a run saw, while all gateways still run. */
public final class HttpChecks {
  private final Journal journal;

  public HttpChecks(Journal journal) {
    this.journal = journal;
  }

  /** Reads all answers again at every gateway, and checks all clients and batches. */
  public HttpReport check(HttpLoad load) throws InterruptedException {
    List<ClientSession> sessions = load.sessions();
    Map<String, List<String>> differences = new Sequences(load.gateways()).differences(sessions);
    List<Violation> violations = new ArrayList<>();
    if (load.missing() > 0) {
      String what = load.missing() + " HTTP clients have failed; the log of the run says why";
      violations.add(new Violation("http clients", "HTTP", what, false, List.of()));
    }
    for (ClientSession session : sessions) {
      session.problems().forEach(what -> violations.add(violation(session, what)));
      session
          .requestId()
          .ifPresentOrElse(
              id -> {
                check(session, id, violations);
                differences
                    .getOrDefault(id, List.of())
                    .forEach(what -> violations.add(violation(session, what)));
              },
              () -> violations.add(violation(session, "no gateway took the request")));
    }
    BatchReport batches = BatchChecks.check(load.batches(), journal);
    violations.addAll(batches.violations());
    List<LoadGenerator.Sent> sent = new ArrayList<>(load.sent());
    sent.addAll(batches.requests(journal));
    return new HttpReport(sessions, batches, sent, violations);
  }

  /** Returns the requests whose text in the log is not the reference, and that text. */
  public static Map<String, String> wrongTexts(
      Journal journal, Map<String, ReferenceAnswers.Answer> references) {
    Map<String, String> wrong = new TreeMap<>();
    references.forEach(
        (id, reference) -> {
          Map<Integer, String> texts = journal.see(id, log -> usual(log).reading().texts(true));
          if (!texts.equals(reference.texts())) {
            wrong.put(id, texts.toString());
          }
        });
    return wrong;
  }

  private void check(ClientSession session, String id, List<Violation> violations) {
    boolean isEnded = journal.see(id, log -> usual(log).reading().isOver());
    if (!session.isOver()) {
      // An answer without an end is a violation of its request, which is checked elsewhere.
      if (isEnded) {
        violations.add(violation(session, "the client saw no end of the answer"));
      }
      return;
    }
    boolean isFailed = journal.see(id, log -> usual(log).reading().errorCode().isPresent());
    String text = journal.see(id, log -> usual(log).reading().texts(true).getOrDefault(0, ""));
    if (isFailed != session.error().isPresent()) {
      violations.add(violation(session, "the client was told the end " + session.error()));
    } else if (!isFailed && !text.equals(session.text())) {
      violations.add(violation(session, "the client's text is " + session.text()));
    }
    // No client of a gateway that runs leaves a chat, and no client can leave a background
    // response. A chat whose answer began again after a part of it was sent ends with an error,
    // and its gateway cancels it, because the answer has no reader.
    boolean isRestartedChat =
        session.plan().kind() == ClientKind.CHAT
            && journal.see(id, log -> usual(log).reading().restarts() > 0);
    if (!isRestartedChat && journal.see(id, log -> log.cancelMillis().isPresent())) {
      violations.add(violation(session, "a gateway cancelled the request"));
    }
  }

  private Violation violation(ClientSession session, String what) {
    String id = session.requestId().orElse("http client " + session.plan().number());
    List<String> records =
        session.requestId().stream()
            .flatMap(known -> journal.see(known, log -> List.copyOf(log.allReplies())).stream())
            .map(ReplyRecord::toString)
            .toList();
    return new Violation(id, "HTTP_" + session.plan().kind(), what, false, records);
  }

  private static RequestLog.OnTopic usual(RequestLog log) {
    return log.at(PlannedRequest.REPLIES);
  }
}
