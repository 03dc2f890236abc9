package io.sluice.producer.stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.follow.ReplyRecord;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Converts the records that the fold accepts into events, and assembles the whole answer from them.
 * Not thread-safe.
 */
public final class LiveAnswer {
  private static final String BROKEN_END = "the last record of the answer is not a JSON object";

  private final String requestId;
  private final Optional<Boolean> isStreamed;
  private final boolean isAssembled;
  private ReadText read = new ReadText();
  private @Nullable AnswerAssembler assembler;
  private OptionalLong firstTokenMillis = OptionalLong.empty();

  /**
   * @param isAssembled whether the whole answer of a stream is needed
   */
  public LiveAnswer(String requestId, Endpoint endpoint, boolean isStreamed, boolean isAssembled) {
    this.requestId = requestId;
    this.isStreamed = Optional.of(isStreamed);
    this.isAssembled = isAssembled;
    this.assembler = new AnswerAssembler(endpoint);
  }

  /**
   * Creates the answer of a request that was sent elsewhere; its records show what it requested.
   *
   * @param isAssembled whether the whole answer of a stream is needed
   */
  public LiveAnswer(String requestId, boolean isAssembled) {
    this.requestId = requestId;
    this.isStreamed = Optional.empty();
    this.isAssembled = isAssembled;
  }

  /** Returns the event of a record with tokens, without decoding them. */
  static ReplyEvent.Tokens tokens(ReplyRecord record) {
    return tokens(record, Optional.empty());
  }

  private static ReplyEvent.Tokens tokens(ReplyRecord record, String text) {
    return tokens(record, Optional.of(text));
  }

  private static ReplyEvent.Tokens tokens(ReplyRecord record, Optional<String> text) {
    ReplyHeaders headers = record.headers();
    return new ReplyEvent.Tokens(
        text,
        headers.index(),
        headers.count(),
        headers.latencyMillis(),
        headers.worker(),
        record.value());
  }

  /**
   * Returns the events of the next record by the fold's verdict on it; the last one is terminal if
   * the record ends the answer. A pointer has no events.
   */
  public List<ReplyEvent> next(Verdict verdict, ReplyRecord record) {
    return switch (verdict) {
      case Verdict.Appended _ -> List.of(append(record));
      case Verdict.Ended ended when ended.kind() == ReplyKind.FINAL -> complete(record);
      case Verdict.Ended _ -> List.of(failed(record));
      case Verdict.Truncated _ -> List.of(truncated());
      case Verdict.Restarted _ -> {
        restart();
        yield List.of(takeover(verdict, record));
      }
      case Verdict.Resumed _ -> List.of(takeover(verdict, record));
      case Verdict.Pointer _, Verdict.Ignored _ -> List.of();
    };
  }

  private ReplyEvent.Tokens append(ReplyRecord record) {
    if (firstTokenMillis.isEmpty()) {
      firstTokenMillis = record.headers().latencyMillis();
    }
    boolean isDecoded = isStreamed.map(streamed -> streamed && isAssembled).orElse(true);
    if (!isDecoded) {
      return tokens(record);
    }
    JsonNode json = record.json();
    String text = Choice.firstTextOfChunk(json);
    assembler(json).append(json);
    if (isStreamed.isEmpty()) {
      // The end may be a whole answer: then what was read is not passed on again.
      read.append(text);
    }
    return tokens(record, text);
  }

  private void restart() {
    read = new ReadText();
    if (assembler != null) {
      assembler.restart();
    }
  }

  private AnswerAssembler assembler(JsonNode first) {
    AnswerAssembler known = assembler;
    if (known == null) {
      Endpoint endpoint = AnswerEnvelope.endpointOf(first);
      known = isAssembled ? new AnswerAssembler(endpoint) : AnswerAssembler.measuring(endpoint);
      assembler = known;
    }
    return known;
  }

  /** Returns the stream's end, after text that no earlier record contained. */
  private List<ReplyEvent> complete(ReplyRecord record) {
    JsonNode last = record.json();
    if (!last.isObject()) {
      return List.of(
          new ReplyEvent.Failed(
              ErrorKind.ENGINE_ERROR,
              BROKEN_END,
              OptionalLong.empty(),
              new String(ErrorKind.ENGINE_ERROR.toJson(BROKEN_END), StandardCharsets.UTF_8)));
    }
    AnswerAssembler before = assembler(last);
    // Readers may hold a stream for long after its end.
    assembler = null;
    if (isStreamed.map(streamed -> !streamed).orElseGet(() -> isWhole(last))) {
      Optional<Utf8Text> rest =
          isStreamed.isEmpty() ? Optional.of(Utf8Text.ofJson(before.rest(last))) : Optional.empty();
      ReplyEvent end = completed(record, last, record.text(), rest);
      if (isStreamed.isPresent()) {
        return List.of(end);
      }
      String unread = read.restOf(Choice.firstOfWhole(last).text());
      return unread.isEmpty() ? List.of(end) : List.of(tokens(record, unread), end);
    }
    before.append(last);
    JsonNode whole = isAssembled ? before.whole() : last;
    String json = isAssembled ? Json.text(whole) : record.text();
    ReplyEvent end = completed(record, whole, json, Optional.empty());
    String heldBack = Choice.firstTextOfChunk(last);
    return heldBack.isEmpty() ? List.of(end) : List.of(tokens(record, heldBack), end);
  }

  /**
   * Returns whether the last record contains the whole answer, and not only its last chunk. For
   * completions, chunks and whole answers have the same format; a whole answer begins with the text
   * that was read before.
   */
  private boolean isWhole(JsonNode last) {
    Choice whole = Choice.firstOfWhole(last);
    return whole.hasMessage()
        || (!Choice.firstOfChunk(last).hasMessage()
            && !read.isEmpty()
            && read.isBeginningOf(whole.text()));
  }

  private ReplyEvent.Completed completed(
      ReplyRecord record, JsonNode whole, String json, Optional<Utf8Text> rest) {
    ReplyHeaders headers = record.headers();
    Choice choice = Choice.firstOfWhole(whole);
    return new ReplyEvent.Completed(
        AnswerBuilder.builder()
            .requestId(requestId)
            .text(choice.text())
            .finishReason(choice.finishReason().orElse(""))
            .usage(Usage.in(whole).orElse(Usage.NONE))
            .json(json)
            .fallback(headers.fallback())
            .attempts(headers.attempt())
            .firstTokenMillis(firstTokenMillis)
            .latencyMillis(headers.latencyMillis())
            .worker(headers.worker())
            .model(headers.model())
            .build(),
        record.value(),
        rest);
  }

  static ReplyEvent.Failed failed(ReplyRecord record) {
    JsonNode error = record.json().path("error");
    JsonNode retryAfter = error.path("retry_after_ms");
    return new ReplyEvent.Failed(
        ErrorKind.parse(error.path("code").asText("")).orElse(ErrorKind.ENGINE_ERROR),
        error.path("message").asText("the pool reported no reason"),
        retryAfter.canConvertToLong() ? OptionalLong.of(retryAfter.asLong()) : OptionalLong.empty(),
        record.text());
  }

  /** Returns the event of a claim. */
  static ReplyEvent takeover(Verdict verdict, ReplyRecord record) {
    Optional<String> worker = record.headers().worker();
    return verdict instanceof Verdict.Restarted restarted
        ? new ReplyEvent.Restarted(restarted.attempt(), restarted.tokensDiscarded(), worker)
        : new ReplyEvent.Resumed(
            record.headers().attempt(),
            verdict instanceof Verdict.Resumed resumed ? resumed.tokensKept() : 0,
            worker);
  }

  /** Returns the end of a stream whose beginning is no longer stored. */
  static ReplyEvent.Failed truncated() {
    return ReplyEvent.Failed.local(
        ErrorKind.REPLY_TRUNCATED, "the beginning of the answer is no longer in Kafka");
  }

  /** Completes the future of the whole answer. */
  static void settle(ReplyEvent.Terminal end, CompletableFuture<Answer> answer) {
    switch (end) {
      case ReplyEvent.Completed completed -> answer.complete(completed.answer());
      case ReplyEvent.Failed failed ->
          answer.completeExceptionally(new RequestFailedException(failed));
    }
  }
}
