package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ReplyFold.Verdict;
import io.sluice.common.reply.ReplyHeaders;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Turns the records that count into events, and gathers the whole answer from them. Not
 * thread-safe.
 */
final class LiveAnswer {
  private final String requestId;
  private final boolean isStreamed;
  private final AnswerAssembler assembler;
  private OptionalLong firstTokenMillis = OptionalLong.empty();

  LiveAnswer(String requestId, Endpoint endpoint, boolean isStreamed) {
    this.requestId = requestId;
    this.isStreamed = isStreamed;
    this.assembler = new AnswerAssembler(endpoint);
  }

  /** The event of a record with tokens; does not change anything. */
  static ReplyEvent.Tokens tokens(ReplyRecord record, JsonNode json) {
    ReplyHeaders headers = record.headers();
    StringBuilder text = new StringBuilder();
    for (JsonNode choice : json.path("choices")) {
      if (choice.path("index").asInt(0) == 0) {
        text.append(Choice.textOf(choice));
      }
    }
    return new ReplyEvent.Tokens(
        text.toString(),
        headers.index(),
        headers.count(),
        headers.latencyMillis(),
        headers.worker(),
        record.text());
  }

  ReplyEvent.Tokens append(ReplyRecord record) {
    JsonNode json = record.json();
    if (isStreamed) {
      assembler.append(json);
    }
    if (firstTokenMillis.isEmpty()) {
      firstTokenMillis = record.headers().latencyMillis();
    }
    return tokens(record, json);
  }

  void restart() {
    assembler.restart();
  }

  ReplyEvent.Terminal complete(ReplyRecord record) {
    ReplyHeaders headers = record.headers();
    JsonNode whole = record.json();
    if (!whole.isObject()) {
      return ReplyEvent.Failed.local(
          ErrorKind.ENGINE_ERROR, "the last record of the answer is not a JSON object");
    }
    if (isStreamed) {
      assembler.append(whole);
      whole = assembler.whole();
    }
    JsonNode choice = whole.path("choices").path(0);
    JsonNode content = choice.path("message").path("content");
    return new ReplyEvent.Completed(
        new Answer(
            requestId,
            content.isTextual() ? content.asText() : choice.path("text").asText(""),
            choice.path("finish_reason").asText(""),
            Usage.of(whole.path("usage")),
            isStreamed ? Json.text(whole) : record.text(),
            headers.worker(),
            headers.model(),
            headers.fallback(),
            headers.attempt(),
            firstTokenMillis,
            headers.latencyMillis()));
  }

  static ReplyEvent.Failed failed(ReplyRecord record) {
    JsonNode error = record.json().path("error");
    JsonNode retryAfter = error.path("retry_after_ms");
    return new ReplyEvent.Failed(
        ErrorKind.parse(error.path("code").asText("")).orElse(ErrorKind.ENGINE_ERROR),
        error.path("message").asText("the pool gave no reason"),
        retryAfter.canConvertToLong() ? OptionalLong.of(retryAfter.asLong()) : OptionalLong.empty(),
        record.text());
  }

  /** The end of a streamed answer may carry text that the engine had held back. */
  static List<ReplyEvent> withHeldBackText(ReplyRecord record, ReplyEvent.Terminal end) {
    ReplyEvent.Tokens last = tokens(record, record.json());
    boolean isChunk = record.json().path("choices").path(0).has("delta");
    return isChunk && !last.text().isEmpty() ? List.of(last, end) : List.of(end);
  }

  /** The event of a claim. */
  static ReplyEvent takeover(Verdict verdict, ReplyRecord record) {
    Optional<String> worker = record.headers().worker();
    return verdict instanceof Verdict.Restarted restarted
        ? new ReplyEvent.Restarted(restarted.attempt(), restarted.tokensDiscarded(), worker)
        : new ReplyEvent.Resumed(
            record.headers().attempt(),
            verdict instanceof Verdict.Resumed resumed ? resumed.tokensKept() : 0,
            worker);
  }

  /** The end of a stream whose beginning is gone. */
  static ReplyEvent.Failed truncated() {
    return ReplyEvent.Failed.local(
        ErrorKind.REPLY_TRUNCATED, "the beginning of the answer is no longer in Kafka");
  }
}
