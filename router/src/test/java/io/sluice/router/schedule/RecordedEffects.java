package io.sluice.router.schedule;

import io.sluice.common.protocol.Amendment;
import io.sluice.common.protocol.Assignment;
import io.sluice.common.protocol.AttemptHistory;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.reply.ReplyPointer;
import io.sluice.router.request.EndRecord;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestState;
import io.sluice.router.request.TrackedRequest;
import io.sluice.router.request.UnreadableRequest;
import io.sluice.router.schedule.task.Effects;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Writes down what a scheduler did. */
final class RecordedEffects implements Effects {
  record Terminal(
      RequestMetadata metadata, LeaseRef lease, String code, int tokens, RequestBody body) {}

  /** A record with which a request ends. */
  record End(String requestId, EndRecord record, Optional<Terminal> terminal) {}

  record Pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {}

  record InUse(RequestMetadata refused, RequestBody body) {}

  record DeadLetter(
      RequestMetadata metadata,
      RequestBody body,
      ErrorKind kind,
      String message,
      AttemptHistory history) {}

  final List<Assignment> assigned = new ArrayList<>();
  final List<Amendment> amended = new ArrayList<>();
  final List<LeaseRef> revoked = new ArrayList<>();
  final List<Terminal> terminals = new ArrayList<>();
  final List<End> ends = new ArrayList<>();
  final List<Pointer> pointers = new ArrayList<>();
  final List<InUse> inUse = new ArrayList<>();
  final List<UnreadableRequest> unreadable = new ArrayList<>();
  final List<DeadLetter> deadLetters = new ArrayList<>();

  /** All of it in order, in a word each. */
  final List<String> log = new ArrayList<>();

  /** Looks at every assignment as it is made. */
  Consumer<Assignment> onAssign = assignment -> {};

  /** Looks at every end as it is written. */
  Consumer<String> onEnd = requestId -> {};

  @Override
  public void assign(Assignment assignment, RequestBody body) {
    onAssign.accept(assignment);
    assigned.add(assignment);
    log.add("assign");
  }

  @Override
  public void amend(Amendment amendment) {
    amended.add(amendment);
    log.add("amend");
  }

  @Override
  public void revoke(LeaseRef lease) {
    revoked.add(lease);
    log.add("revoke");
  }

  @Override
  public void end(
      TrackedRequest tracked,
      RequestState.Ending ending,
      EndRecord record,
      CompletableFuture<RequestBody> read) {
    RequestBody body = read.join();
    RequestMetadata metadata = tracked.metadata();
    onEnd.accept(metadata.requestId());
    String code = ending.kind().code();
    Optional<Terminal> terminal = Optional.empty();
    switch (record) {
      case DEAD_LETTER -> {
        AttemptHistory history = tracked.history().forDeadLetter();
        deadLetters.add(new DeadLetter(metadata, body, ending.kind(), ending.message(), history));
        log.add("dead-letter:" + code);
      }
      case TERMINAL -> {
        int tokens = tracked.history().tokens();
        terminal = Optional.of(new Terminal(metadata, ending.lease(), code, tokens, body));
        terminals.add(terminal.get());
        log.add("terminal:" + code);
      }
    }
    ends.add(new End(tracked.requestId(), record, terminal));
  }

  @Override
  public void pointer(String requestId, ReplyAddress sender, ReplyPointer answer) {
    pointers.add(new Pointer(requestId, sender, answer));
    log.add("pointer");
  }

  @Override
  public void idInUse(RequestMetadata refused, String message, RequestBody body) {
    inUse.add(new InUse(refused, body));
    log.add("id-in-use");
  }

  @Override
  public void unreadable(List<UnreadableRequest> found) {
    unreadable.addAll(found);
    log.add("unreadable:" + found.size());
  }

  LeaseRef lastLease() {
    return assigned.getLast().lease();
  }

  /** Returns the workers that were sent something, in order. */
  List<String> workers() {
    return assigned.stream().map(assignment -> assignment.lease().worker()).toList();
  }

  /** Returns the requests that were sent, in order. */
  List<String> requests() {
    return assigned.stream().map(assignment -> assignment.lease().requestId()).toList();
  }

  void clear() {
    assigned.clear();
    revoked.clear();
    terminals.clear();
    ends.clear();
    pointers.clear();
    inUse.clear();
    unreadable.clear();
    deadLetters.clear();
    log.clear();
  }
}
