package io.sluice.router.bulk;

import io.sluice.router.queue.RequestKind;
import java.util.PriorityQueue;

/** The parked requests of one tenant and kind. Not thread-safe. */
record BulkLine(String tenant, RequestKind kind, PriorityQueue<ParkedRequest> requests) {
  BulkLine(String tenant, RequestKind kind) {
    this(tenant, kind, new PriorityQueue<>(ParkedRequest.ORDER));
  }
}
