package io.sluice.router.bulk;

import io.sluice.router.queue.RequestKind;
import java.util.PriorityQueue;

/** One tenant's parked requests of one kind. Not thread-safe. */
record BulkLine(String tenant, RequestKind kind, PriorityQueue<ParkedRequest> requests) {
  BulkLine(String tenant, RequestKind kind) {
    this(tenant, kind, new PriorityQueue<>(ParkedRequest.ORDER));
  }
}
