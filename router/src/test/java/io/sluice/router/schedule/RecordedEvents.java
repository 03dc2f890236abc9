package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Writes down what a scheduler tells its metrics. */
final class RecordedEvents implements SchedulerListener {
  final List<String> log = new ArrayList<>();

  @Override
  public void received(RequestFacts facts) {
    log.add("received " + facts.requestId());
  }

  @Override
  public void repeated(RequestFacts facts) {
    log.add("repeated " + facts.requestId());
  }

  @Override
  public void placed(Placed placed) {
    String requestId = placed.facts().requestId();
    log.add("assigned %s to %s attempt %d".formatted(requestId, placed.worker(), placed.attempt()));
    placed
        .fallbackModel()
        .ifPresent(model -> log.add("fell back %s to %s".formatted(requestId, model)));
  }

  @Override
  public void requeued(RequestFacts facts, String reason) {
    log.add("requeued %s %s".formatted(facts.requestId(), reason));
  }

  @Override
  public void answered(RequestFacts facts) {
    log.add("answered " + facts.requestId());
  }

  @Override
  public void refused(RequestFacts facts, ErrorKind kind) {
    log.add("refused %s %s".formatted(facts.requestId(), kind.code()));
  }

  @Override
  public void corrected(RequestFacts facts, Set<String> options) {
    log.add("corrected %s %s".formatted(facts.requestId(), options));
  }
}
