package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.UnservedEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Passes all events to several listeners.
 *
 * @param all in the order in which they are told
 */
public record SchedulerListeners(List<SchedulerListener> all) implements SchedulerListener {

  public SchedulerListeners {
    all = List.copyOf(all);
  }

  /** Passes all events to these, in this order. */
  public static SchedulerListeners of(SchedulerListener... listeners) {
    return new SchedulerListeners(List.of(listeners));
  }

  @Override
  public void received(RequestMetadata metadata) {
    all.forEach(listener -> listener.received(metadata));
  }

  @Override
  public void repeated(RequestMetadata metadata) {
    all.forEach(listener -> listener.repeated(metadata));
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    all.forEach(listener -> listener.dispatched(dispatch));
  }

  @Override
  public void unserved(UnservedEvent unserved) {
    all.forEach(listener -> listener.unserved(unserved));
  }

  @Override
  public void corrected(RequestMetadata metadata, Set<String> options) {
    all.forEach(listener -> listener.corrected(metadata, options));
  }

  @Override
  public void requeued(RequestMetadata metadata, String reason) {
    all.forEach(listener -> listener.requeued(metadata, reason));
  }

  @Override
  public void answered(RequestMetadata metadata) {
    all.forEach(listener -> listener.answered(metadata));
  }

  @Override
  public void refused(RequestMetadata metadata, ErrorKind kind) {
    all.forEach(listener -> listener.refused(metadata, kind));
  }

  @Override
  public void ended(TrackedRequest tracked, Optional<ErrorKind> error) {
    all.forEach(listener -> listener.ended(tracked, error));
  }

  @Override
  public void unreadable(int values) {
    all.forEach(listener -> listener.unreadable(values));
  }

  @Override
  public void failed(String at) {
    all.forEach(listener -> listener.failed(at));
  }
}
