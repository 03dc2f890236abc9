package io.sluice.worker.intake;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.Outcome;
import io.sluice.common.protocol.Outcome.ReturnReason;
import io.sluice.worker.generation.AssignedRequest;
import io.sluice.worker.generation.Generation;
import io.sluice.worker.generation.HeldMemory;
import io.sluice.worker.generation.Services;
import io.sluice.worker.generation.StopReason;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts on the records of the worker's topic. Assignments become generations or are handed back.
 * Revocations reach their generation however busy the worker is. Never blocks: outcomes are
 * reported on other threads. For the one thread that polls.
 */
public final class Intake {
  private static final Logger log = LoggerFactory.getLogger(Intake.class);

  private final Services services;
  private final RunningGenerations running;
  private final Admission admission;
  private final Incarnation incarnation;
  private final SuspectReservation reservation = new SuspectReservation();

  /** An intake that starts generations with these services. */
  public Intake(
      Services services, RunningGenerations running, Admission admission, Incarnation incarnation) {
    this.services = services;
    this.running = running;
    this.admission = admission;
    this.incarnation = incarnation;
  }

  /**
   * Acts on the next record.
   *
   * @param atMostOld an upper bound of the record's age
   */
  public void take(ConsumerRecord<String, byte[]> record, Duration atMostOld) {
    String kind = HeaderText.get(record.headers(), HeaderNames.KIND).orElse("");
    switch (kind) {
      case Assignment.KIND_ASSIGN ->
          Assignment.parse(record.headers())
              .ifPresentOrElse(
                  assignment -> assign(assignment, record, atMostOld),
                  () -> ignore(record, "incomplete"));
      case Assignment.KIND_REVOKE -> revoke(record);
      case Amendment.KIND -> amend(record);
      default -> ignore(record, "unknown kind '" + kind + "'");
    }
  }

  private void assign(
      Assignment assignment, ConsumerRecord<String, byte[]> record, Duration atMostOld) {
    if (running.ofLease(assignment.lease().lease()).isPresent()) {
      ignore(record, "repeated");
      return;
    }
    Optional<ReturnReason> refusal = refusal(assignment, atMostOld);
    if (refusal.isPresent()) {
      returnAssignment(assignment, refusal.get());
      return;
    }
    byte[] body = record.value() == null ? new byte[0] : record.value();
    Optional<HeldMemory.Part> memory = services.memory().tryBegin(body);
    if (memory.isEmpty()) {
      returnAssignment(assignment, ReturnReason.NO_SLOT);
      return;
    }
    stopEarlierAttempts(assignment.lease());
    running.start(
        new Generation(
            services,
            new AssignedRequest(
                assignment,
                body,
                correlationId(record.headers()),
                services.traces().begin(assignment),
                services.ticker().nanos()),
            memory.get(),
            this::hasUnprovenOthers));
  }

  /** Called by a suspect until it is alone. */
  private boolean hasUnprovenOthers(Generation suspect) {
    boolean hasUnprovenOthers = running.hasUnprovenOthers(suspect);
    String requestId = suspect.lease().requestId();
    if (hasUnprovenOthers) {
      reservation.suspectWaits(requestId, services.ticker().nanos());
    } else {
      reservation.suspectEnters(requestId);
    }
    return hasUnprovenOthers;
  }

  private Optional<ReturnReason> refusal(Assignment assignment, Duration atMostOld) {
    boolean isForUs = assignment.lease().incarnation().equals(incarnation.current());
    if (!isForUs || atMostOld.compareTo(Assignment.MAX_AGE) > 0) {
      return Optional.of(ReturnReason.STALE);
    }
    if (admission.draining().getAsBoolean()) {
      return Optional.of(ReturnReason.DRAINING);
    }
    if (!admission.admitsWith(running.count())) {
      return Optional.of(ReturnReason.BREAKER_OPEN);
    }
    boolean isReserved = !assignment.suspect() && reservation.isActive(services.ticker().nanos());
    return running.count() >= admission.limit() || isReserved || wouldRunWithSuspect(assignment)
        ? Optional.of(ReturnReason.NO_SLOT)
        : Optional.empty();
  }

  /**
   * Nothing else runs together with a suspect, so that a death can only be caused by the suspect.
   */
  private boolean wouldRunWithSuspect(Assignment assignment) {
    return running.all().stream()
        .filter(Generation::isSuspect)
        .anyMatch(other -> !other.lease().requestId().equals(assignment.lease().requestId()));
  }

  private void returnAssignment(Assignment assignment, ReturnReason reason) {
    var outcome = new Outcome(assignment.lease(), new Outcome.Returned(reason, 0));
    log.info(
        "event=assignment_returned request={} lease={} reason={}",
        assignment.lease().requestId(),
        assignment.lease().lease(),
        reason);
    services.meter().outcome(outcome);
    Thread.ofVirtual()
        .name("return-" + assignment.lease().lease())
        .start(
            () -> {
              var _ = services.log().report(assignment.requestPartition(), outcome);
            });
  }

  /** The router has given up on them, or it would not have assigned another attempt. */
  private void stopEarlierAttempts(LeaseRef lease) {
    running.stop(
        generation ->
            generation.lease().requestId().equals(lease.requestId())
                && generation.lease().attempt() < lease.attempt(),
        StopReason.ABANDONED);
  }

  private void revoke(ConsumerRecord<String, byte[]> record) {
    Assignment.parseLease(record.headers())
        .flatMap(named -> running.ofLease(named.lease()))
        .ifPresentOrElse(
            generation -> generation.stop(StopReason.REVOKED),
            () -> ignore(record, "no running lease"));
  }

  private void amend(ConsumerRecord<String, byte[]> record) {
    Optional<Amendment> amendment = Amendment.parse(record.headers());
    amendment
        .flatMap(named -> running.ofLease(named.lease().lease()))
        .ifPresentOrElse(
            generation -> generation.amend(amendment.orElseThrow()),
            () -> ignore(record, "no running lease"));
  }

  private static Optional<byte[]> correlationId(Headers headers) {
    return Optional.ofNullable(headers.lastHeader(HeaderNames.SPRING_CORRELATION_ID))
        .flatMap(header -> Optional.ofNullable(header.value()));
  }

  private static void ignore(ConsumerRecord<String, byte[]> record, String why) {
    log.info(
        "event=worker_record_ignored offset={} request={} reason=\"{}\"",
        record.offset(),
        record.key(),
        why);
  }
}
