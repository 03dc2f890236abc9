package io.sluice.bench.torture;

import io.sluice.bench.torture.checker.Allowance;
import io.sluice.bench.torture.checker.Checker;
import io.sluice.bench.torture.checker.Evidence;
import io.sluice.bench.torture.checker.HostileCheck;
import io.sluice.bench.torture.checker.Reference;
import io.sluice.bench.torture.faults.Adversary;
import io.sluice.bench.torture.faults.Arena;
import io.sluice.bench.torture.faults.InjectedFault;
import io.sluice.bench.torture.load.Ending;
import io.sluice.bench.torture.load.HostileCaller;
import io.sluice.bench.torture.load.Load;
import io.sluice.bench.torture.load.Place;
import io.sluice.bench.torture.load.PlannedRequest;
import io.sluice.bench.torture.load.RequestKind;
import io.sluice.bench.torture.log.Journal;
import io.sluice.bench.torture.log.Reattacher;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts together what all readers saw, and has it checked. */
final class Findings {
  private final Arena arena;
  private final Adversary adversary;
  private final Reattacher reattacher;
  private final Journal late;
  private final PoolSetup setup;

  /**
   * Of a run that is over.
   *
   * @param late what a reader sees who comes now
   */
  Findings(Arena arena, Adversary adversary, Reattacher reattacher, Journal late, PoolSetup setup) {
    this.arena = arena;
    this.adversary = adversary;
    this.reattacher = reattacher;
    this.late = late;
    this.setup = setup;
  }

  /**
   * Checks everything.
   *
   * @param held what was not given back
   * @param untold the requests whose callers wait in vain
   */
  Report report(TortureRun.Options options, List<String> held, List<String> untold)
      throws IOException, InterruptedException {
    List<InjectedFault> blows = adversary.done();
    var allowance = new Allowance(blows, setup.engines());
    var report = new Report(options, blows);
    List<Load.Sent> sent = arena.load().sent();
    Map<String, Reference.Answer> answers = answers(sent);
    for (Load.Sent one : sent) {
      Evidence evidence = evidence(one, answers, allowance);
      report.count(evidence, Checker.check(evidence));
    }
    for (HostileCaller.Taken taken : arena.hostile().taken()) {
      report.countHostile(HostileCheck.check(taken, arena.journal()));
    }
    report.hostileRefused(arena.hostile().refused());
    held.forEach(what -> report.violated("not given back: " + what));
    arena.pool().dead().forEach(name -> report.violated(name + " has ended by itself"));
    adversary.mishaps().forEach(report::violated);
    arena.journal().unreadable().forEach(what -> report.violated("no reply: " + what));
    untold.forEach(id -> report.violated("its caller has not heard of the end of " + id));
    report.reattached(reattacher.count());
    report.unsent(arena.load().unsent());
    return report;
  }

  private Map<String, Reference.Answer> answers(List<Load.Sent> sent)
      throws IOException, InterruptedException {
    try (Reference reference = Reference.of(setup, arena.pool())) {
      return reference.answers(
          sent.stream().map(Load.Sent::request).filter(Findings::isAnswered).toList());
    }
  }

  private Evidence evidence(
      Load.Sent sent, Map<String, Reference.Answer> answers, Allowance allowance) {
    PlannedRequest request = sent.request();
    String id = request.id();
    return new Evidence(
        request,
        sent.beganMillis(),
        arena.journal().see(id, log -> log),
        answers.getOrDefault(id, new Reference.Answer(Map.of(), 0)),
        arena.load().told(id),
        reattacher.reading(id),
        arena.load().isUnsent(id),
        late.see(id, log -> log),
        arena.load().repeats(id).stream().map(this::reused).toList(),
        arena.victims().of(id),
        allowance);
  }

  /** Or begins to be. */
  private static boolean isAnswered(PlannedRequest request) {
    return Ending.of(request.kind()).mayComplete()
        || request.kind() == RequestKind.POISONOUS
        || request.kind() == RequestKind.DEADLY_TO_ENGINES;
  }

  private Evidence.Reused reused(Load.Repeated repeated) {
    Place place = repeated.place();
    Optional<String> apart =
        arena
            .journal()
            .see(place.id(), log -> log.at(PlannedRequest.REPLIES).reading().errorCode());
    return new Evidence.Reused(repeated.repeat(), arena.journal().lettersOf(place), apart);
  }
}
