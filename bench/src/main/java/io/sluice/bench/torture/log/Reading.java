package io.sluice.bench.torture.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One request's answer by the reading rule of docs/protocol.md, written down from that page alone:
 * the product's own fold is one of the things that are checked. Not thread-safe.
 */
public final class Reading {
  private int attempt;
  private String lease = "";
  private int tokens;
  private boolean gap;
  private Optional<ReplyLine> end = Optional.empty();
  private final Map<Integer, StringBuilder> texts = new TreeMap<>();

  private int attempts;
  private int resumes;
  private int restarts;
  private int wastedTokens;
  private Optional<ReplyLine> lastTokens = Optional.empty();
  private Optional<ReplyLine> interrupted = Optional.empty();
  private final List<Gap> gaps = new ArrayList<>();

  /**
   * The pause of a stream that went on under another attempt.
   *
   * @param before the last record with tokens before it
   * @param after the first one after it
   */
  public record Gap(ReplyLine before, ReplyLine after) {
    public long millis() {
      return after.seenMillis() - before.seenMillis();
    }
  }

  /** Takes the next record of this request, in the order of offsets. */
  void next(ReplyLine line) {
    if (line.kind().equals("pointer")) {
      return;
    }
    // 5: nothing counts after the end.
    // 2: a lower attempt, or the same attempt and another lease, is ignored.
    if (end.isPresent()
        || line.attempt() < attempt
        || (line.attempt() == attempt && !line.lease().equals(lease))) {
      wasted(line);
      return;
    }
    // 1: a higher attempt takes over.
    if (line.attempt() > attempt) {
      attempt = line.attempt();
      lease = line.lease();
      attempts++;
      gap = false;
      if (interrupted.isEmpty()) {
        interrupted = lastTokens;
      }
    }
    if (gap) {
      wasted(line);
      return;
    }
    switch (line.kind()) {
      case "claim" -> claimed(line);
      case "tokens" -> tokens(line);
      case "final" -> {
        // 4: so does a final.
        gap = line.index() != tokens;
        end = gap ? Optional.empty() : Optional.of(line);
      }
      case "error" -> end = Optional.of(line);
      default -> throw new IllegalStateException("unknown kind of reply: " + line);
    }
  }

  /** 3: a claim keeps the tokens so far, or empties them. */
  private void claimed(ReplyLine line) {
    if (line.mode().equals("restart")) {
      restarts += tokens > 0 ? 1 : 0;
      wastedTokens += tokens;
      tokens = 0;
      texts.clear();
    } else {
      resumes += tokens > 0 ? 1 : 0;
    }
  }

  /** 4: tokens whose index is not the number of tokens held leave a gap. */
  private void tokens(ReplyLine line) {
    gap = line.index() != tokens;
    if (gap) {
      wasted(line);
      return;
    }
    tokens += line.count();
    append(line);
    interrupted.ifPresent(before -> gaps.add(new Gap(before, line)));
    interrupted = Optional.empty();
    lastTokens = Optional.of(line);
  }

  private void append(ReplyLine line) {
    line.pieces()
        .forEach(
            piece ->
                texts
                    .computeIfAbsent(piece.choice(), choice -> new StringBuilder())
                    .append(piece.text()));
  }

  private void wasted(ReplyLine line) {
    wastedTokens += line.kind().equals("tokens") ? line.count() : 0;
  }

  public boolean isOver() {
    return end.isPresent();
  }

  public Optional<ReplyLine> end() {
    return end;
  }

  /** The code of the error that ended it. */
  public Optional<String> errorCode() {
    return end.filter(line -> line.kind().equals("error")).map(ReplyLine::errorCode);
  }

  public int tokens() {
    return tokens;
  }

  /** How many of them wrote something that counts, the router's own errors included. */
  public int attempts() {
    return attempts;
  }

  public int resumes() {
    return resumes;
  }

  public int restarts() {
    return restarts;
  }

  /** Tokens that were made and do not count. */
  public int wastedTokens() {
    return wastedTokens;
  }

  public List<Gap> gaps() {
    return gaps;
  }

  /** The text of each choice that was gathered from the chunks. */
  public Map<Integer, String> gathered() {
    Map<Integer, String> all = new TreeMap<>();
    texts.forEach((choice, text) -> all.put(choice, text.toString()));
    return all;
  }

  /**
   * The answer's texts by choice: of a stream what was gathered, and what the end adds; of a whole
   * answer what the end says.
   */
  public Map<Integer, String> texts(boolean isStreamed) {
    Map<Integer, String> all = isStreamed || end.isEmpty() ? gathered() : new TreeMap<>();
    end.ifPresent(
        line ->
            line.pieces()
                .forEach(piece -> all.merge(piece.choice(), piece.text(), String::concat)));
    return all;
  }
}
