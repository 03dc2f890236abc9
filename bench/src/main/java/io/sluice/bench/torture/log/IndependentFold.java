package io.sluice.bench.torture.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The reading rule of docs/protocol.md, applied to the replies of one request. It is written from
 * that page alone, because the product's own fold is one of the things that are checked. Not
 * thread-safe.
 */
public final class IndependentFold {
  private int attempt;
  private String lease = "";
  private int tokens;
  private boolean gap;
  private Optional<ReplyRecord> end = Optional.empty();
  private final Map<Integer, StringBuilder> texts = new TreeMap<>();

  private int attempts;
  private int resumes;
  private int restarts;
  private int wastedTokens;
  private Optional<ReplyRecord> lastTokens = Optional.empty();
  private Optional<ReplyRecord> interrupted = Optional.empty();
  private final List<Pause> pauses = new ArrayList<>();

  /**
   * The pause in a stream that another attempt continued.
   *
   * @param before the last record with tokens before the pause
   * @param after the first record with tokens after it
   */
  public record Pause(ReplyRecord before, ReplyRecord after) {
    public long millis() {
      return after.seenMillis() - before.seenMillis();
    }
  }

  /** Takes the next record of this request, in the order of offsets. */
  void next(ReplyRecord line) {
    if (line.kind().equals("pointer")) {
      return;
    }
    // Rule 5: nothing counts after the end.
    // Rule 2: a lower attempt, or the same attempt with another lease, is ignored.
    if (end.isPresent()
        || line.attempt() < attempt
        || (line.attempt() == attempt && !line.lease().equals(lease))) {
      wasted(line);
      return;
    }
    // Rule 1: a higher attempt takes over.
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
        // Rule 4: a final whose index is not the number of tokens held leaves a gap, too.
        gap = line.index() != tokens;
        end = gap ? Optional.empty() : Optional.of(line);
      }
      case "error" -> end = Optional.of(line);
      default -> throw new IllegalStateException("unknown kind of reply: " + line);
    }
  }

  /** Rule 3: a claim keeps the tokens held, or discards them. */
  private void claimed(ReplyRecord line) {
    if (line.mode().equals("restart")) {
      restarts += tokens > 0 ? 1 : 0;
      wastedTokens += tokens;
      tokens = 0;
      texts.clear();
    } else {
      resumes += tokens > 0 ? 1 : 0;
    }
  }

  /** Rule 4: tokens whose index is not the number of tokens held leave a gap. */
  private void tokens(ReplyRecord line) {
    gap = line.index() != tokens;
    if (gap) {
      wasted(line);
      return;
    }
    tokens += line.count();
    append(line);
    interrupted.ifPresent(before -> pauses.add(new Pause(before, line)));
    interrupted = Optional.empty();
    lastTokens = Optional.of(line);
  }

  private void append(ReplyRecord line) {
    line.pieces()
        .forEach(
            piece ->
                texts
                    .computeIfAbsent(piece.choice(), choice -> new StringBuilder())
                    .append(piece.text()));
  }

  private void wasted(ReplyRecord line) {
    wastedTokens += line.kind().equals("tokens") ? line.count() : 0;
  }

  public boolean isOver() {
    return end.isPresent();
  }

  public Optional<ReplyRecord> end() {
    return end;
  }

  /** Returns the code of the error that ended it. */
  public Optional<String> errorCode() {
    return end.filter(line -> line.kind().equals("error")).map(ReplyRecord::errorCode);
  }

  public int tokens() {
    return tokens;
  }

  /**
   * Returns how many attempts wrote a record that counts; an error written by the router is one of
   * them.
   */
  public int attempts() {
    return attempts;
  }

  public int resumes() {
    return resumes;
  }

  public int restarts() {
    return restarts;
  }

  /** Returns the tokens that were generated and do not count. */
  public int wastedTokens() {
    return wastedTokens;
  }

  public List<Pause> pauses() {
    return pauses;
  }

  /** Returns the text of each choice that was gathered from the chunks. */
  public Map<Integer, String> gathered() {
    Map<Integer, String> all = new TreeMap<>();
    texts.forEach((choice, text) -> all.put(choice, text.toString()));
    return all;
  }

  /**
   * Returns the texts of the answer by choice: for a stream the text of its chunks and of its end,
   * otherwise the text of its end.
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
