package io.sluice.common.protocol;

import static io.sluice.common.protocol.HeaderNames.ATTEMPT;
import static io.sluice.common.protocol.HeaderNames.INCARNATION;
import static io.sluice.common.protocol.HeaderNames.LEASE;
import static io.sluice.common.protocol.HeaderNames.REQUEST_ID;
import static io.sluice.common.protocol.HeaderNames.WORKER;

import java.util.NoSuchElementException;
import org.apache.kafka.common.header.Headers;

/** The headers that name the lease of a worker-topic record. */
final class LeaseHeaders {
  private LeaseHeaders() {}

  static void write(Headers headers, LeaseRef lease) {
    HeaderText.set(headers, REQUEST_ID, lease.requestId());
    HeaderText.set(headers, ATTEMPT, Integer.toString(lease.attempt()));
    HeaderText.set(headers, LEASE, lease.lease());
    HeaderText.set(headers, WORKER, lease.worker());
    HeaderText.set(headers, INCARNATION, lease.incarnation());
  }

  /**
   * Reads the lease.
   *
   * @throws NoSuchElementException if the record names none
   */
  static LeaseRef read(Headers headers) {
    return new LeaseRef(
        HeaderText.get(headers, REQUEST_ID).orElseThrow(),
        HeaderText.getInt(headers, ATTEMPT).orElseThrow(),
        HeaderText.get(headers, LEASE).orElseThrow(),
        HeaderText.get(headers, WORKER).orElseThrow(),
        HeaderText.get(headers, INCARNATION).orElseThrow());
  }
}
