package io.sluice.router.schedule;

import io.sluice.common.protocol.Control;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Priority;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.request.EarlyControl;
import io.sluice.router.request.EndedRequest;
import io.sluice.router.request.History;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState.Pending;
import io.sluice.router.request.RequestStore;
import io.sluice.router.request.StoredRequest;
import io.sluice.router.request.TimePoint;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.task.Effects;
import io.sluice.router.schedule.task.Endings;
import io.sluice.router.schedule.task.SchedulerParts;
import io.sluice.router.schedule.task.TaskMemory;
import io.sluice.router.schedule.task.Transitions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Admits records from a request topic. A new request waits or is refused. A repeat is told where
 * the answer is. A redelivery is ignored, and so is a repeat of a request whose stored value cannot
 * be read. Not thread-safe.
 */
final class Admission {

  private static final String ID_IN_USE =
      "the request id is in use by another tenant; choose another one, such as a UUID";

  private final RequestStore store;
  private final Effects effects;
  private final SchedulerParts parts;
  private final TaskMemory memory;
  private final Transitions transitions;
  private final Endings endings;
  private final EarlyControls earlyControls;
  private final ModelAvailabilityCheck availability;

  Admission(
      RequestStore store,
      Effects effects,
      SchedulerParts parts,
      TaskMemory memory,
      Transitions transitions,
      EarlyControls earlyControls,
      ModelAvailabilityCheck availability) {
    this.store = store;
    this.effects = effects;
    this.parts = parts;
    this.memory = memory;
    this.transitions = transitions;
    this.endings = transitions.endings();
    this.earlyControls = earlyControls;
    this.availability = availability;
  }

  /** Returns whether one more request waits. */
  boolean request(ParsedRequest reading, RequestBody body, TimePoint now) {
    RequestMetadata read = reading.metadata();
    parts.backlog().arrived(read.requestId());
    Optional<StoredRequest> stored = store.find(read.requestId());
    if (stored.filter(UnreadableRequest.class::isInstance).isPresent()) {
      // Another attempt could give the caller a second answer.
      parts.listener().repeated(read);
      return false;
    }
    Optional<Original> original = stored.flatMap(Original::of);
    if (original.isPresent()) {
      repeated(read, body, original.get());
      return false;
    }
    List<Control> asked = earlyControls.take(read.requestId(), now);
    RequestMetadata metadata = read.amended(asked, parts.longestDeadline());
    parts.listener().received(metadata);
    parts.bodies().came(metadata.source(), body);
    TrackedRequest tracked = new TrackedRequest(metadata, History.NONE, Pending.received());
    return switch (reading) {
      case ParsedRequest.Refused bad -> {
        endings.refuse(tracked, bad.kind(), bad.message());
        yield false;
      }
      case ParsedRequest.Accepted accepted -> {
        memory.prefixes().put(metadata.requestId(), accepted.prefix());
        yield admit(tracked, body, asked, now);
      }
    };
  }

  /** The request that used an id first: its tenant, the place of its record, and its answer. */
  private record Original(String tenant, RequestMetadata.Source source, ReplyPointer answer) {
    static Optional<Original> of(StoredRequest stored) {
      return switch (stored) {
        case TrackedRequest open ->
            Optional.of(
                new Original(open.metadata().tenant(), open.metadata().source(), open.answer()));
        case EndedRequest ended ->
            Optional.of(new Original(ended.tenant(), ended.source(), ended.answer()));
        case EarlyControl ignored -> Optional.empty();
        case UnreadableRequest ignored -> Optional.empty();
      };
    }
  }

  /**
   * Ids are unique across tenants, and an id belongs to the tenant that used it first. Readers find
   * an answer by its id alone, so they could not tell two requests with one id apart.
   */
  private void repeated(RequestMetadata repeat, RequestBody body, Original original) {
    if (repeat.source().equals(original.source())) {
      parts.listener().repeated(repeat);
    } else if (repeat.tenant().equals(original.tenant())) {
      effects.pointer(repeat.requestId(), repeat.replyTo(), original.answer());
      parts.listener().repeated(repeat);
    } else {
      effects.idInUse(repeat, ID_IN_USE, body);
      parts.listener().refused(repeat, ErrorKind.REQUEST_ID_IN_USE);
    }
  }

  private boolean admit(
      TrackedRequest tracked, RequestBody body, List<Control> asked, TimePoint now) {
    RequestMetadata metadata = tracked.metadata();
    Optional<Duration> tooLong =
        body.isPromoted() ? Optional.empty() : parts.backlog().waitsTooLong(metadata, now);
    if (asked.stream().anyMatch(Control.Cancel.class::isInstance)) {
      endings.refuse(tracked, ErrorKind.CANCELLED, "the request was cancelled");
    } else if (metadata.deadlineEpochMillis() <= now.epochMillis()) {
      endings.refuse(
          tracked,
          ErrorKind.DEADLINE_EXCEEDED,
          "the deadline had passed when the request arrived; set a later one");
    } else if (parts.backlog().isFullFor(metadata)) {
      endings.overloaded(
          tracked, "the backlog of this router is full; try again later", Duration.ZERO);
    } else if (tooLong.isPresent()) {
      endings.overloaded(
          tracked, "the request would wait too long for a worker; try again later", tooLong.get());
    } else {
      transitions.save(tracked);
      memory.waits(metadata, now);
      memory.timers().set(metadata.deadlineEpochMillis(), metadata.requestId());
      availability.waits(metadata);
      // The wait limit does not apply to bulk, promoted or not, nor to a redriven dead letter,
      // which is not sent a second time, nor to an amended request, whose caller has said how long
      // it may wait.
      boolean isBulk = metadata.priority() == Priority.BULK || body.isPromoted();
      if (!isBulk && !body.isRedriven() && asked.isEmpty()) {
        memory.waitTimes().begin(metadata, now);
      }
      return true;
    }
    return false;
  }
}
