package io.sluice.router.schedule.task;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.catalog.ReplyAddresses;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.RequestBodies;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Ending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.TrackedRequest;
import java.util.List;

/**
 * Writes the records with which the router ends a request. They go to the requested reply address.
 * If that topic is gone, they go to the address that is derived from the request's id, together
 * with a dead letter that says so. Not thread-safe.
 */
final class EndWriter {
  private final RequestStore store;
  private final Effects effects;
  private final RequestBodies bodies;
  private final ReplyAddresses addresses;

  EndWriter(RequestStore store, Effects effects, RequestBodies bodies, ReplyAddresses addresses) {
    this.store = store;
    this.effects = effects;
    this.bodies = bodies;
    this.addresses = addresses;
  }

  /** Sends some end records. They may be written twice. */
  void write(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    RequestMetadata metadata = tracked.metadata();
    if (records.contains(EndRecord.TERMINAL) && addresses.isGone(metadata.replyTo())) {
      ReplyAddress found = addresses.common(metadata.requestId());
      Ending told = elsewhere(ending, metadata.replyTo(), found);
      var moved = new TrackedRequest(metadata.answeredAt(found), tracked.history(), told);
      store.put(moved);
      send(moved, told, told.unwritten());
    } else {
      send(tracked, ending, records);
    }
  }

  private static Ending elsewhere(Ending ending, ReplyAddress asked, ReplyAddress found) {
    String message =
        "%s; partition %d of reply topic '%s' is gone, so this error is on %s: create the topic and send the request again"
            .formatted(ending.message(), asked.partition(), asked.topic(), found.topic());
    return ending.retold(message);
  }

  /**
   * Returns whether a request that ends with this error leaves a dead letter. That a request is
   * redriven is only known as it arrives, while its record is cached.
   */
  boolean leavesDeadLetter(TrackedRequest tracked, ErrorKind kind) {
    var body = bodies.cached(tracked.metadata().source());
    return kind.leavesDeadLetter(body.filter(RequestBody::isRedriven).isPresent());
  }

  private void send(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    var body = bodies.read(tracked.metadata().source());
    records.forEach(record -> effects.end(tracked, ending, record, body));
  }
}
