package io.sluice.router.schedule;

import io.sluice.common.protocol.LeaseRef;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Step;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The reply records of all requests, as workers and a router write them. */
final class LoggedReplies {
  private final Map<String, List<ReplyHeaders>> records = new HashMap<>();

  /** Returns the record's offset. */
  int add(LeaseRef lease, ReplyKind kind, ClaimMode mode, int index, int count) {
    List<ReplyHeaders> its = of(lease.requestId());
    its.add(
        ReplyHeadersBuilder.builder()
            .requestId(lease.requestId())
            .kind(kind)
            .attempt(lease.attempt())
            .lease(lease.lease())
            .mode(mode)
            .index(index)
            .count(count)
            .fallback(false)
            .latencyMillis(OptionalLong.empty())
            .notes(TokenNotes.NONE)
            .worker(Optional.of(lease.worker()))
            .build());
    return its.size() - 1;
  }

  /** Returns what a reader makes of it. */
  ReplyFold fold(String requestId) {
    ReplyFold fold = ReplyFold.fromStart();
    for (ReplyHeaders record : of(requestId)) {
      fold = fold.next(record).fold();
    }
    return fold;
  }

  /** Returns how it ended, by the reading rule. */
  ReplyKind endOf(String requestId) {
    ReplyFold fold = ReplyFold.fromStart();
    for (ReplyHeaders record : of(requestId)) {
      Step step = fold.next(record);
      if (step.verdict() instanceof Verdict.Ended ended) {
        return ended.kind();
      }
      fold = step.fold();
    }
    throw new AssertionError(requestId + " has not ended");
  }

  /** For the message of a failed test. */
  List<String> lines(String requestId) {
    return of(requestId).stream()
        .map(
            record ->
                "%s %d/%s %d+%d"
                    .formatted(
                        record.kind(),
                        record.attempt(),
                        record.lease(),
                        record.index(),
                        record.count()))
        .toList();
  }

  private List<ReplyHeaders> of(String requestId) {
    return records.computeIfAbsent(requestId, id -> new ArrayList<>());
  }
}
