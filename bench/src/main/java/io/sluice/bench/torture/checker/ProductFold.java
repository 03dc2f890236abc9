package io.sluice.bench.torture.checker;

import io.sluice.bench.torture.log.ReplyRecord;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import java.util.List;
import java.util.Optional;
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
    return new ReplyHeaders(
        line.requestId(),
        ReplyKind.parse(line.kind()).orElseThrow(),
        line.attempt(),
        line.lease(),
        ClaimMode.parse(line.mode()).orElse(ClaimMode.RESUME),
        Math.max(0, line.index()),
        Math.max(0, line.count()),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        false,
        OptionalLong.empty());
  }
}
