package io.sluice.router.explain;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.DispatchEvent;
import io.sluice.router.schedule.SchedulerListener;
import java.util.Set;

/** Passes all events to one listener, and dispatches also to the publisher of decisions. */
public record ExplainingListener(SchedulerListener listener, DecisionPublisher decisions)
    implements SchedulerListener {

  @Override
  public void received(RequestMetadata metadata) {
    listener.received(metadata);
  }

  @Override
  public void repeated(RequestMetadata metadata) {
    listener.repeated(metadata);
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    listener.dispatched(dispatch);
    decisions.publish(dispatch);
  }

  @Override
  public void corrected(RequestMetadata metadata, Set<String> options) {
    listener.corrected(metadata, options);
  }

  @Override
  public void requeued(RequestMetadata metadata, String reason) {
    listener.requeued(metadata, reason);
  }

  @Override
  public void answered(RequestMetadata metadata) {
    listener.answered(metadata);
  }

  @Override
  public void refused(RequestMetadata metadata, ErrorKind kind) {
    listener.refused(metadata, kind);
  }

  @Override
  public void unreadable(int values) {
    listener.unreadable(values);
  }

  @Override
  public void failed(String at) {
    listener.failed(at);
  }
}
