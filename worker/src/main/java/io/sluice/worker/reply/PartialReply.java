package io.sluice.worker.reply;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyFold;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import java.io.IOException;
import java.util.Optional;

/**
 * What the log holds of one request's answer: the reading rule, applied to its records, with the
 * text of the first choice. One value per scan; not thread-safe.
 */
public final class PartialReply {

  /** The record that ended the request. */
  public record Terminal(ReplyKind kind, JsonNode value) {}

  private final StringBuilder text = new StringBuilder();
  private ReplyFold fold = ReplyFold.fromAnywhere();
  private boolean continuable = true;
  private boolean hasFallbackText;
  private boolean hasText;
  private Optional<Terminal> terminal = Optional.empty();

  /** Folds the next record of this request. */
  public void next(ReplyHeaders headers, byte[] value) {
    if (fold.phase() == ReplyFold.Phase.TRUNCATED && headers.attempt() >= fold.attempt()) {
      goOnWithoutBeginning(headers, value);
    }
    ReplyFold.Step step = fold.next(headers);
    fold = step.fold();
    switch (step.verdict()) {
      case Verdict.Appended ignored -> {
        append(parse(value));
        hasFallbackText |= headers.fallback();
        hasText |= !headers.fallback();
      }
      case Verdict.Restarted ignored -> {
        text.setLength(0);
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

  /** Where the fold stands. */
  public ReplyFold fold() {
    return fold;
  }

  /** The text so far. */
  public String text() {
    return text.toString();
  }

  /**
   * Whether the text is all there is to continue from: no tool calls, no reasoning, one choice, and
   * the beginning is known.
   */
  public boolean isContinuable() {
    return continuable && fold.phase() != ReplyFold.Phase.TRUNCATED;
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
    if (isEnd && terminal.isEmpty()) {
      terminal = Optional.of(new Terminal(headers.kind(), parse(value)));
    } else if (isRestart) {
      fold = ReplyFold.fromAnywhere();
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
