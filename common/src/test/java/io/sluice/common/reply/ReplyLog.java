package io.sluice.common.reply;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The reply log of one request as correct workers write it, driven by a script. Attempts claim and
 * fold before they generate, but no attempt knows when it is superseded, so each continues as a
 * straggler. Rivals of the same attempt continue although their claim came too late. There may also
 * be two first attempts: a router that lost its state assigns the attempt again, with a claim. Any
 * record may be repeated, and another reader may ask for the same answer.
 */
final class ReplyLog {

  enum Act {
    CLAIM_RESUME,
    CLAIM_RESTART,
    RIVAL_CLAIM,
    TOKENS,
    LOST_TOKENS,
    FINAL,
    ERROR,
    REPEATED_CLAIM,
    REPEATED_RECORD,
    POINTER,
    ROUTER_ERROR
  }

  /**
   * One step of the script.
   *
   * @param who selects the lease that acts, among all leases so far
   */
  record ScriptStep(Act act, int who, int count) {}

  /**
   * A record and the tokens in its value; a token is named by its lease and index.
   *
   * @param repeated whether the log already contains the record
   */
  record Entry(ReplyHeaders headers, List<String> tokens, boolean repeated) {
    boolean isPointer() {
      return headers.kind() == ReplyKind.POINTER;
    }
  }

  private static final class Writer {
    final int attempt;
    final String lease;
    final ClaimMode mode;
    int next;
    boolean generates;

    Writer(int attempt, String lease, ClaimMode mode, int next, boolean generates) {
      this.attempt = attempt;
      this.lease = lease;
      this.mode = mode;
      this.next = next;
      this.generates = generates;
    }
  }

  private final List<Entry> entries = new ArrayList<>();
  private final List<Writer> writers = new ArrayList<>();

  private ReplyLog() {}

  /** Returns the log that a script produces. Attempt 1 is fresh and makes no claim. */
  static List<Entry> of(List<ScriptStep> script) {
    ReplyLog log = new ReplyLog();
    log.writers.add(new Writer(1, "lease-0", ClaimMode.RESUME, 0, true));
    script.forEach(log::apply);
    return log.entries;
  }

  private void apply(ScriptStep step) {
    int newest = writers.stream().mapToInt(writer -> writer.attempt).max().orElseThrow();
    Writer writer = writers.get(step.who() % writers.size());
    switch (step.act()) {
      case CLAIM_RESUME -> claim(newest + 1, ClaimMode.RESUME);
      case CLAIM_RESTART -> claim(newest + 1, ClaimMode.RESTART);
      case RIVAL_CLAIM -> {
        claim(writer.attempt, step.count() == 0 ? ClaimMode.RESUME : ClaimMode.RESTART);
        writers.getLast().generates = true;
      }
      case TOKENS -> {
        if (writer.generates) {
          add(writer, ReplyKind.TOKENS, step.count());
          writer.next += step.count();
        }
      }
      case LOST_TOKENS -> writer.next += step.count();
      case FINAL -> end(writer, ReplyKind.FINAL);
      case ERROR -> end(writer, ReplyKind.ERROR);
      case REPEATED_CLAIM -> {
        if (writer.attempt > 1) {
          add(writer, ReplyKind.CLAIM, 0);
        }
      }
      case REPEATED_RECORD -> {
        if (!entries.isEmpty()) {
          Entry again = entries.get(entries.size() - 1 - step.who() % entries.size());
          entries.add(new Entry(again.headers(), again.tokens(), true));
        }
      }
      case POINTER ->
          entries.add(
              new Entry(ReplyHeaders.of("r", ReplyKind.POINTER, 0, "", 0), List.of(), false));
      case ROUTER_ERROR -> {
        Writer router = new Writer(newest + 1, name(), ClaimMode.RESUME, 0, true);
        writers.add(router);
        end(router, ReplyKind.ERROR);
      }
    }
  }

  /** Publishes a claim, then decides from the log before it whether to generate, and from where. */
  private void claim(int attempt, ClaimMode mode) {
    Writer writer = new Writer(attempt, name(), mode, 0, false);
    writers.add(writer);
    add(writer, ReplyKind.CLAIM, 0);
    ReferenceFold known = ReferenceFold.of(entries);
    writer.generates = !known.ended() && ReferenceFold.counts(entries, entries.size() - 1);
    writer.next = known.tokens().size();
  }

  private void end(Writer writer, ReplyKind kind) {
    if (writer.generates) {
      add(writer, kind, 0);
      writer.generates = false;
    }
  }

  private String name() {
    return "lease-" + writers.size();
  }

  private void add(Writer writer, ReplyKind kind, int count) {
    ReplyHeaders headers =
        ReplyHeadersBuilder.builder()
            .requestId("r")
            .kind(kind)
            .attempt(writer.attempt)
            .lease(writer.lease)
            .mode(writer.mode)
            .index(writer.next)
            .count(count)
            .fallback(false)
            .latencyMillis(OptionalLong.empty())
            .notes(TokenNotes.NONE)
            .build();
    List<String> tokens =
        IntStream.range(writer.next, writer.next + count)
            .mapToObj(index -> writer.lease + "/" + index)
            .toList();
    entries.add(new Entry(headers, tokens, false));
  }
}
