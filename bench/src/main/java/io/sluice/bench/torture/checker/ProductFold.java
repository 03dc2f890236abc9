package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import java.util.List;
import java.util.OptionalLong;

/** The result of the product's own fold, which is one of the things that are checked. */
record ProductFold(int tokens, boolean isEnded) {
  static ProductFold of(List<ReplyRecord> lines) {
    ReplyFold fold = ReplyFold.fromStart();
    for (ReplyRecord line : lines) {
      fold = fold.next(headers(line)).fold();
    }
    return new ProductFold(fold.tokens(), fold.phase() == ReplyFold.Phase.ENDED);
  }

  private static ReplyHeaders headers(ReplyRecord line) {
    return ReplyHeadersBuilder.builder()
        .requestId(line.requestId())
        .kind(ReplyKind.parse(line.kind()).orElseThrow())
        .attempt(line.attempt())
        .lease(line.lease())
        .mode(ClaimMode.parse(line.mode()).orElse(ClaimMode.RESUME))
        .index(Math.max(0, line.index()))
        .count(Math.max(0, line.count()))
        .fallback(false)
        .latencyMillis(OptionalLong.empty())
        .notes(TokenNotes.NONE)
        .build();
  }
}
