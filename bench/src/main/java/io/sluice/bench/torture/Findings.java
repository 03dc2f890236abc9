package io.sluice.bench.torture;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Puts together what all readers saw, and has it checked. */
final class Findings {
  private final Journal journal;
  private final Adversary adversary;
  private final Load load;
  private final Reattacher reattacher;

  Findings(Journal journal, Adversary adversary, Load load, Reattacher reattacher) {
    this.journal = journal;
    this.adversary = adversary;
    this.load = load;
    this.reattacher = reattacher;
  }

  Report report(
      TortureRun.Options options,
      List<PlannedRequest> plan,
      Journal late,
      List<String> held,
      List<String> untold)
      throws IOException, InterruptedException {
    List<Adversary.Done> blows = adversary.done();
    var report = new Report(options, blows);
    try (var reference = new Reference()) {
      for (PlannedRequest request : plan) {
        Checker.Evidence evidence = evidence(request, late, reference, blows);
        report.count(evidence, Checker.check(evidence));
      }
    }
    held.forEach(what -> report.violated("not given back: " + what));
    adversary.mishaps().forEach(report::violated);
    journal.unreadable().forEach(what -> report.violated("no reply: " + what));
    untold.forEach(id -> report.violated("its caller has not heard of the end of " + id));
    report.reattached(reattacher.count());
    report.unsent(load.unsent());
    return report;
  }

  private Checker.Evidence evidence(
      PlannedRequest request, Journal late, Reference reference, List<Adversary.Done> blows)
      throws IOException, InterruptedException {
    return new Checker.Evidence(
        request,
        journal.see(request.id(), log -> log),
        request.kind().isRefused() ? new Reference.Answer(Map.of(), 0) : reference.answer(request),
        load.told(request.id()),
        reattacher.reading(request.id()),
        load.isUnsent(request.id()),
        new ArrayList<>(late.see(request.id(), RequestLog::replies)),
        blows);
  }
}
