package io.sluice.router.explain;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestFacts;
import io.sluice.router.schedule.Placed;
import io.sluice.router.schedule.SchedulerListener;
import java.util.Set;

/** Tells one listener everything, and the publisher of decisions what was placed. */
public record ExplainingListener(SchedulerListener listener, DecisionPublisher decisions)
    implements SchedulerListener {

  @Override
  public void received(RequestFacts facts) {
    listener.received(facts);
  }

  @Override
  public void repeated(RequestFacts facts) {
    listener.repeated(facts);
  }

  @Override
  public void placed(Placed placed) {
    listener.placed(placed);
    decisions.publish(placed);
  }

  @Override
  public void corrected(RequestFacts facts, Set<String> options) {
    listener.corrected(facts, options);
  }

  @Override
  public void requeued(RequestFacts facts, String reason) {
    listener.requeued(facts, reason);
  }

  @Override
  public void answered(RequestFacts facts) {
    listener.answered(facts);
  }

  @Override
  public void refused(RequestFacts facts, ErrorKind kind) {
    listener.refused(facts, kind);
  }

  @Override
  public void failed(String at) {
    listener.failed(at);
  }
}
