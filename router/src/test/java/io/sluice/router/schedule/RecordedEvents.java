package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.policy.Decision;
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
  public void assigned(RequestFacts facts, String worker, int attempt, long waitedMillis) {
    log.add("assigned %s to %s attempt %d".formatted(facts.requestId(), worker, attempt));
  }

  @Override
  public void decided(RequestFacts facts, Decision decision) {}

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
  public void fellBack(RequestFacts facts, String fallbackModel) {
    log.add("fell back %s to %s".formatted(facts.requestId(), fallbackModel));
  }

  @Override
  public void corrected(RequestFacts facts, Set<String> options) {
    log.add("corrected %s %s".formatted(facts.requestId(), options));
  }
}
