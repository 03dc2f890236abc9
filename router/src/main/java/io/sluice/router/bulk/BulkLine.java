package io.sluice.router.bulk;

import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.PriorityQueue;

/**
 * The parked requests of one tenant that the same workers can take, so that one that is too long
 * holds up none that is not. Not thread-safe.
 */
record BulkLine(String tenant, BulkSize size, PriorityQueue<ParkedRequest> requests) {
  BulkLine(String tenant, BulkSize size) {
    this(tenant, size, new PriorityQueue<>(ParkedRequest.ORDER));
  }

  RequestKind kind() {
    return size.kind();
  }
}
