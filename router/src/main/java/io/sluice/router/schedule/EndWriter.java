package io.sluice.router.schedule;

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
 * Writes the records with which the router ends a request: where the answer was asked for, or, if
 * that reply topic is gone, where it can be found by the request's id, with a dead letter that says
 * so. Not thread-safe.
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

  /** Sends some records of a request that ends; they may come twice. */
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
   * Whether a request that ends so is kept for operators. Who cancelled has lost nothing, nor who
   * may come again because the pool was full; an operator who redrives does not come again.
   */
  boolean leavesDeadLetter(TrackedRequest tracked, ErrorKind kind) {
    return switch (kind) {
      case CANCELLED -> false;
      case OVERLOADED -> isRedriven(tracked.metadata());
      default -> true;
    };
  }

  /** Asked as the request comes, when its record is at hand. */
  private boolean isRedriven(RequestMetadata metadata) {
    return bodies.cached(metadata.source()).filter(RequestBody::isRedriven).isPresent();
  }

  private void send(TrackedRequest tracked, Ending ending, List<EndRecord> records) {
    var body = bodies.read(tracked.metadata().source());
    records.forEach(record -> effects.end(tracked, ending, record, body));
  }
}
