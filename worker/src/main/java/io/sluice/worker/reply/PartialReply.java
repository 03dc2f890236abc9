package io.sluice.worker.reply;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenIdText;
import io.sluice.common.reply.TokenNotes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the log holds of one request's answer: the reading rule, applied to its records, with the
 * text and the token ids of the first choice. One value per scan; not thread-safe.
 */
public final class PartialReply {

  /** How the engine said that the answer is whole; what follows in the log only repeats it. */
  public record End(String finishReason, Optional<JsonNode> stopReason) {}

  /** What all objects of one answer have in common. */
  public record Origin(String id, long createdEpochSeconds) {}

  /** The record that ended the request. */
  public record Terminal(ReplyKind kind, JsonNode value) {}

  private final StringBuilder text = new StringBuilder();
  private ReplyFold fold = ReplyFold.fromAnywhere();
  private boolean hasBegun;
  private boolean continuable = true;
  private boolean hasFallbackText;
  private boolean hasText;
  private List<Integer> tokenIds = new ArrayList<>();
  private boolean knowsIds = true;
  private OptionalInt promptTokens = OptionalInt.empty();
  private Optional<End> end = Optional.empty();
  private Optional<Origin> origin = Optional.empty();
  private int discardedTokens;
  private int changes;
  private Optional<Terminal> terminal = Optional.empty();

  /**
   * Says, before the first record, whether the log still has all that may have been written since
   * the request began; the first word counts. Tokens that are missing there were never written, and
   * readers find no end behind them; elsewhere they may have been deleted since.
   */
  public void begin(boolean isWhole) {
    if (!hasBegun && isWhole) {
      fold = ReplyFold.fromStart();
    }
    hasBegun = true;
  }

  /** Whether it is known where its records begin. */
  boolean hasBegun() {
    return hasBegun;
  }

  /** Folds the next record of this request. */
  public void next(ReplyHeaders headers, byte[] value) {
    if (fold.phase() == ReplyFold.Phase.TRUNCATED && headers.attempt() >= fold.attempt()) {
      goOnWithoutBeginning(headers, value);
    }
    ReplyFold.Step step = fold.next(headers);
    fold = step.fold();
    changes += isChange(step.verdict()) ? 1 : 0;
    switch (step.verdict()) {
      case Verdict.Appended ignored -> {
        JsonNode chunk = parse(value);
        append(chunk);
        note(headers, chunk);
        hasFallbackText |= headers.fallback();
        hasText |= !headers.fallback();
      }
      case Verdict.Restarted restarted -> {
        discardedTokens += restarted.tokensDiscarded();
        text.setLength(0);
        tokenIds = new ArrayList<>();
        knowsIds = true;
        promptTokens = OptionalInt.empty();
        end = Optional.empty();
        origin = Optional.empty();
        continuable = true;
        hasFallbackText = false;
        hasText = false;
      }
      case Verdict.Ended ended -> terminal = Optional.of(new Terminal(ended.kind(), parse(value)));
      case Verdict.Resumed ignored -> {}
      case Verdict.Pointer ignored -> {}
      case Verdict.Ignored ignored -> {}
      case Verdict.Truncated ignored -> {}
    }
  }

  /** Claims that keep what is here change nothing of it. */
  private static boolean isChange(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Resumed _, Verdict.Ignored _, Verdict.Pointer _ -> false;
      case Verdict.Appended _, Verdict.Restarted _, Verdict.Ended _, Verdict.Truncated _ -> true;
    };
  }

  /** How often what is held has changed. */
  public int changes() {
    return changes;
  }

  /** Where the fold stands. */
  public ReplyFold fold() {
    return fold;
  }

  /** The text so far. */
  public String text() {
    return text.toString();
  }

  /** The ids of all tokens; empty if those of any are not known. */
  public Optional<List<Integer>> tokenIds() {
    return knowsIds ? Optional.of(List.copyOf(tokenIds)) : Optional.empty();
  }

  /** Tokens of the request's own prompt, where the engine that began the answer told. */
  public OptionalInt promptTokens() {
    return promptTokens;
  }

  /** How the answer ended, if its last tokens are there. */
  public Optional<End> end() {
    return end;
  }

  /** What the first chunk said of the answer; empty if there is none. */
  public Optional<Origin> origin() {
    return origin;
  }

  /** Tokens that were taken back by restarts, and were or will be made again. */
  public int discardedTokens() {
    return discardedTokens;
  }

  /** Whether the text is all there is: no tool calls, no reasoning, one choice. */
  public boolean isPlainText() {
    return continuable;
  }

  /** Whether nothing is missing before what is here. */
  public boolean hasBeginning() {
    return fold.phase() != ReplyFold.Phase.TRUNCATED;
  }

  /**
   * Whether nothing of it is by another model than this one. The names in the records do not tell:
   * they are the engines' own, and engines may serve one model under several.
   *
   * @param fallback the fallback model; otherwise the one that was asked for
   */
  public boolean isMadeBy(boolean fallback) {
    return fallback ? !hasText : !hasFallbackText;
  }

  /** How the request ended, if it has. */
  public Optional<Terminal> terminal() {
    return terminal;
  }

  /**
   * A reader gives up when the stream's beginning is lost. A worker need not: it must only know
   * whether the request has ended, and a restart begins a stream that is whole again.
   */
  private void goOnWithoutBeginning(ReplyHeaders headers, byte[] value) {
    boolean isEnd = headers.kind() == ReplyKind.FINAL || headers.kind() == ReplyKind.ERROR;
    boolean isRestart =
        headers.kind() == ReplyKind.CLAIM
            && headers.mode() == ClaimMode.RESTART
            && headers.attempt() > fold.attempt();
    changes += isEnd || isRestart ? 1 : 0;
    if (isEnd && terminal.isEmpty()) {
      terminal = Optional.of(new Terminal(headers.kind(), parse(value)));
    } else if (isRestart) {
      fold = ReplyFold.fromAnywhere();
    }
  }

  private void note(ReplyHeaders headers, JsonNode chunk) {
    Optional<List<Integer>> ids = headers.tokenIds().flatMap(TokenIdText::read);
    knowsIds &= headers.count() == ids.map(List::size).orElse(0);
    ids.filter(known -> knowsIds).ifPresent(tokenIds::addAll);
    TokenNotes notes = headers.notes();
    if (headers.index() == 0 && notes.promptTokens().isPresent()) {
      promptTokens = notes.promptTokens();
    }
    end =
        notes
            .finishReason()
            .map(
                reason ->
                    new End(
                        reason,
                        notes
                            .stopReason()
                            .map(json -> parse(json.getBytes(StandardCharsets.UTF_8)))));
    if (origin.isEmpty() && chunk.path("id").isTextual()) {
      origin = Optional.of(new Origin(chunk.path("id").asText(), chunk.path("created").asLong()));
    }
  }

  private void append(JsonNode chunk) {
    for (JsonNode choice : chunk.path("choices")) {
      text.append(choice.path("text").asText(""));
      JsonNode delta = choice.path("delta");
      text.append(delta.path("content").asText(""));
      for (var field : delta.properties()) {
        JsonNode value = field.getValue();
        boolean isPlain = field.getKey().equals("role") || field.getKey().equals("content");
        boolean isEmpty = value.isNull() || (value.asText("").isEmpty() && value.isEmpty());
        continuable &= isPlain || isEmpty;
      }
      continuable &= choice.path("index").asInt(0) == 0;
    }
    continuable &= chunk.path("choices").isArray();
  }

  private static JsonNode parse(byte[] value) {
    try {
      return Json.tree(value);
    } catch (IOException e) {
      return Json.mapper().createObjectNode();
    }
  }
}
