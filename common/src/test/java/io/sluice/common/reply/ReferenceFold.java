package io.sluice.common.reply;

import io.sluice.common.reply.ReplyLog.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The reading rule in a second form, without a state machine: a record counts if no higher attempt
 * is before it and its lease was the first of its attempt.
 */
record ReferenceFold(List<String> tokens, boolean ended) {

  static ReferenceFold of(List<Entry> all) {
    List<Entry> log = all.stream().filter(entry -> !entry.isPointer()).toList();
    List<String> tokens = new ArrayList<>();
    Set<String> claimed = new HashSet<>();
    Set<String> broken = new HashSet<>();
    for (int i = 0; i < log.size(); i++) {
      ReplyHeaders record = log.get(i).headers();
      boolean first = claimed.add(record.lease());
      if (!counts(log, i) || broken.contains(record.lease())) {
        continue;
      }
      boolean isOutput = record.kind() == ReplyKind.TOKENS || record.kind() == ReplyKind.FINAL;
      if (isOutput && record.index() != tokens.size()) {
        broken.add(record.lease());
      } else if (record.kind() == ReplyKind.FINAL || record.kind() == ReplyKind.ERROR) {
        return new ReferenceFold(tokens, true);
      } else if (record.kind() == ReplyKind.CLAIM && first && record.mode() == ClaimMode.RESTART) {
        tokens.clear();
      } else {
        tokens.addAll(log.get(i).tokens());
      }
    }
    return new ReferenceFold(tokens, false);
  }

  static boolean counts(List<Entry> log, int at) {
    ReplyHeaders record = log.get(at).headers();
    List<ReplyHeaders> until = log.subList(0, at + 1).stream().map(Entry::headers).toList();
    boolean newest = until.stream().allMatch(other -> other.attempt() <= record.attempt());
    String owner =
        until.stream()
            .filter(other -> other.attempt() == record.attempt())
            .map(ReplyHeaders::lease)
            .findFirst()
            .orElseThrow();
    return newest && owner.equals(record.lease());
  }
}
