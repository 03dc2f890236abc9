package io.sluice.worker.trace;

import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.TraceContext;
import io.sluice.common.trace.AttributeNames;
import io.sluice.common.trace.LiveSpan;
import io.sluice.common.trace.Span;
import io.sluice.common.trace.Tracer;
import java.net.URI;
import java.util.Optional;

/**
 * Begins the spans of a worker's attempts. A worker begins no trace: the router or an earlier stage
 * has decided. Thread-safe.
 *
 * @param engine where the engine is called
 */
public record AttemptTraces(Tracer tracer, URI engine) {
  private static final String ATTEMPT = "generate";

  /** The worker has received an assignment. */
  public AttemptTrace begin(Assignment assignment) {
    Optional<TraceContext> parent = assignment.trace();
    if (!tracer.isOn() || parent.isEmpty()) {
      return AttemptTrace.NONE;
    }
    Optional<LiveSpan> span =
        tracer.begin(tracer.context(parent), parent, ATTEMPT, Span.Kind.CONSUMER);
    span.ifPresent(
        live ->
            live.attributes()
                .put(AttributeNames.REQUEST_ID, assignment.lease().requestId())
                .put(AttributeNames.ATTEMPT, assignment.lease().attempt())
                .put(AttributeNames.LEASE, assignment.lease().lease())
                .put(AttributeNames.WORKER, assignment.lease().worker()));
    return span.map(live -> new AttemptTrace(Optional.of(live), engine)).orElse(AttemptTrace.NONE);
  }
}
