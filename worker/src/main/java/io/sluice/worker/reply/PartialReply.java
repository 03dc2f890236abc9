package io.sluice.worker.reply;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.AnswerEnvelope.Origin;
import io.sluice.common.openai.Choice;
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
 * One request's answer as far as the log holds it: the result of the reading rule, with the text
 * and the token ids of the first choice. One value per scan; not thread-safe.
 */
public final class PartialReply {

  /** How the engine ended the answer. What follows in the log only repeats it. */
  public record End(String finishReason, Optional<JsonNode> stopReason) {}

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
   * Must be called before the first record, with whether the log still has everything that may have
   * been written since the request began; only the first call counts. In a whole log, missing
   * tokens were never written, and readers find no end after them. In another log they may have
   * been deleted.
   */
  public void begin(boolean isWhole) {
    if (!hasBegun && isWhole) {
      fold = ReplyFold.fromStart();
    }
    hasBegun = true;
  }

  /** Returns whether {@link #begin} was called. */
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

  /** A claim that keeps the tokens does not change the state. */
  private static boolean isChange(Verdict verdict) {
    return switch (verdict) {
      case Verdict.Resumed _, Verdict.Ignored _, Verdict.Pointer _ -> false;
      case Verdict.Appended _, Verdict.Restarted _, Verdict.Ended _, Verdict.Truncated _ -> true;
    };
  }

  /** Returns how often the state has changed. */
  public int changes() {
    return changes;
  }

  /** Returns the state of the fold. */
  public ReplyFold fold() {
    return fold;
  }

  /** Returns the text so far. */
  public String text() {
    return text.toString();
  }

  /** Returns the ids of all tokens; empty if the id of any token is unknown. */
  public Optional<List<Integer>> tokenIds() {
    return knowsIds ? Optional.of(List.copyOf(tokenIds)) : Optional.empty();
  }

  /** Tokens of the request's own prompt, if the engine that began the answer reported them. */
  public OptionalInt promptTokens() {
    return promptTokens;
  }

  /** Returns how the answer ended; empty if its last tokens are not in the log. */
  public Optional<End> end() {
    return end;
  }

  /** Returns the id and creation time of the first chunk; empty if there is none. */
  public Optional<Origin> origin() {
    return origin;
  }

  /** Tokens that restarts voided. They were generated again, or will be. */
  public int discardedTokens() {
    return discardedTokens;
  }

  /** Returns whether the answer is only text: no tool calls, no reasoning, one choice. */
  public boolean isPlainText() {
    return continuable;
  }

  /** Returns whether the beginning of the answer is there. */
  public boolean hasBeginning() {
    return fold.phase() != ReplyFold.Phase.TRUNCATED;
  }

  /**
   * Returns whether no part of it was generated by another model than this one. Model names in the
   * records do not tell, because engines may serve one model under several names.
   *
   * @param fallback true for the fallback model, false for the one that was asked for
   */
  public boolean isMadeBy(boolean fallback) {
    return fallback ? !hasText : !hasFallbackText;
  }

  /** Returns the record that ended the request, if there is one. */
  public Optional<Terminal> terminal() {
    return terminal;
  }

  /**
   * Readers give up when the beginning of the stream is lost. A worker only has to know whether the
   * request has ended; a restart begins a complete stream.
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
    origin = origin.or(() -> Origin.parse(chunk));
  }

  private void append(JsonNode chunk) {
    for (Choice choice : Choice.ofChunk(chunk)) {
      text.append(choice.text());
      continuable &= choice.index() == 0 && choice.isPlainText();
    }
    continuable &= chunk.path(AnswerEnvelope.CHOICES).isArray();
  }

  private static JsonNode parse(byte[] value) {
    try {
      return Json.tree(value);
    } catch (IOException e) {
      return Json.mapper().createObjectNode();
    }
  }
}
