package io.sluice.router.schedule;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.schedule.task.DispatchEvent;
import io.sluice.router.schedule.task.SchedulerListener;
import io.sluice.router.schedule.task.UnservedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Writes down what a scheduler tells its metrics. */
final class RecordedEvents implements SchedulerListener {
  final List<String> log = new ArrayList<>();
  final List<UnservedEvent> unserved = new ArrayList<>();
  final List<DispatchEvent> dispatched = new ArrayList<>();

  @Override
  public void unserved(UnservedEvent event) {
    unserved.add(event);
  }

  @Override
  public void received(RequestMetadata metadata) {
    log.add("received " + metadata.requestId());
  }

  @Override
  public void repeated(RequestMetadata metadata) {
    log.add("repeated " + metadata.requestId());
  }

  @Override
  public void dispatched(DispatchEvent dispatch) {
    dispatched.add(dispatch);
    String requestId = dispatch.metadata().requestId();
    log.add(
        "assigned %s to %s attempt %d".formatted(requestId, dispatch.worker(), dispatch.attempt()));
    dispatch
        .fallbackModel()
        .ifPresent(model -> log.add("fell back %s to %s".formatted(requestId, model)));
  }

  @Override
  public void requeued(RequestMetadata metadata, String reason) {
    log.add("requeued %s %s".formatted(metadata.requestId(), reason));
  }

  @Override
  public void answered(RequestMetadata metadata) {
    log.add("answered " + metadata.requestId());
  }

  @Override
  public void refused(RequestMetadata metadata, ErrorKind kind) {
    log.add("refused %s %s".formatted(metadata.requestId(), kind.code()));
  }

  @Override
  public void corrected(RequestMetadata metadata, Set<String> options) {
    log.add("corrected %s %s".formatted(metadata.requestId(), options));
  }
}
