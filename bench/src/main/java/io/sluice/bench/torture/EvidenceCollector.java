package io.sluice.bench.torture;

import io.sluice.bench.torture.checker.DelayAllowance;
import io.sluice.bench.torture.checker.Evidence;
import io.sluice.bench.torture.checker.HostileCheck;
import io.sluice.bench.torture.checker.ReferenceAnswers;
import io.sluice.bench.torture.checker.RequestCheck;
import io.sluice.bench.torture.faults.FaultContext;
import io.sluice.bench.torture.faults.FaultInjector;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.ExpectedEnd;
import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.LoadGenerator;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RecordPosition;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.Reattacher;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Collects what all readers saw of each request, and runs the checks on it. */
final class EvidenceCollector {
  private final FaultContext context;
  private final FaultInjector injector;
  private final Reattacher reattacher;
  private final Journal late;
  private final PoolSetup setup;

  /**
   * For a run that is over.
   *
   * @param late what a reader sees that starts after the run
   */
  EvidenceCollector(
      FaultContext context,
      FaultInjector injector,
      Reattacher reattacher,
      Journal late,
      PoolSetup setup) {
    this.context = context;
    this.injector = injector;
    this.reattacher = reattacher;
    this.late = late;
    this.setup = setup;
  }

  /**
   * Checks everything but the HTTP clients.
   *
   * @param overHttp the requests that HTTP clients sent
   * @param held resources that were not released
   * @param unanswered ids of requests whose callers saw no end
   */
  TortureReport report(
      TortureRun.Options options,
      List<LoadGenerator.Sent> overHttp,
      List<String> held,
      List<String> unanswered)
      throws IOException, InterruptedException {
    List<InjectedFault> faults = injector.done();
    var allowance = new DelayAllowance(faults, setup.engines());
    var report = new TortureReport(options, faults);
    List<LoadGenerator.Sent> sent = new ArrayList<>(context.load().sent());
    sent.addAll(overHttp);
    Map<String, ReferenceAnswers.Answer> answers = answers(sent);
    for (LoadGenerator.Sent one : sent) {
      Evidence evidence = evidence(one, answers, allowance);
      report.count(evidence, RequestCheck.check(evidence));
    }
    for (HostileCaller.Accepted accepted : context.hostile().accepted()) {
      report.countHostile(HostileCheck.check(accepted, context.journal()));
    }
    report.hostileRefused(context.hostile().refused());
    held.forEach(what -> report.violated("not released: " + what));
    context
        .pool()
        .dead()
        .forEach(name -> report.violated(name + " exited although no fault stopped it"));
    injector.problems().forEach(report::violated);
    context
        .journal()
        .unreadable()
        .forEach(
            what -> report.violated("record on a reply topic that is not a valid reply: " + what));
    unanswered.forEach(id -> report.violated("the caller saw no end of " + id));
    report.reattached(reattacher.count());
    report.unsent(context.load().unsent());
    return report;
  }

  private Map<String, ReferenceAnswers.Answer> answers(List<LoadGenerator.Sent> sent)
      throws IOException, InterruptedException {
    try (ReferenceAnswers reference = ReferenceAnswers.of(setup, context.pool())) {
      return reference.answers(
          sent.stream()
              .map(LoadGenerator.Sent::request)
              .filter(EvidenceCollector::isAnswered)
              .toList());
    }
  }

  private Evidence evidence(
      LoadGenerator.Sent sent,
      Map<String, ReferenceAnswers.Answer> answers,
      DelayAllowance allowance) {
    String id = sent.request().id();
    return new Evidence(
        sent,
        new Evidence.Readings(
            context.journal().see(id, log -> log),
            late.see(id, log -> log),
            reattacher.reading(id)),
        new Evidence.CallerView(context.load().told(id), context.load().isUnsent(id)),
        answers.getOrDefault(id, new ReferenceAnswers.Answer(Map.of(), 0)),
        context.load().repeats(id).stream().map(this::reused).toList(),
        context.kills().of(id),
        allowance);
  }

  /** Returns whether the request gets an answer, or at least the beginning of one. */
  private static boolean isAnswered(PlannedRequest request) {
    return ExpectedEnd.of(request.kind()).mayComplete()
        || request.kind() == RequestKind.KILLS_WORKERS
        || request.kind() == RequestKind.KILLS_ENGINES;
  }

  private Evidence.Reused reused(LoadGenerator.Repeated repeated) {
    RecordPosition place = repeated.place();
    Optional<String> atPosition =
        context
            .journal()
            .see(place.id(), log -> log.at(PlannedRequest.REPLIES).reading().errorCode());
    return new Evidence.Reused(
        repeated.repeat(), context.journal().deadLettersOf(place), atPosition);
  }
}
