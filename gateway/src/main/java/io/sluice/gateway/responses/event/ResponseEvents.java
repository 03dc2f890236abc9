package io.sluice.gateway.responses.event;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.WholeAnswers;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import java.util.List;
import java.util.Optional;

/**
 * Turns the reply log of a response into the events of OpenAI's API, and into the response as it is
 * at present. The events, their numbers and their bytes depend on the response's record and the log
 * alone, so that any gateway continues where another one stopped. Not thread-safe.
 */
public final class ResponseEvents {
  private static final Utf8Text NOTHING = Utf8Text.of("");

  private final EventSequence events = new EventSequence();
  private final ResponseDocument document;
  private final Output output;
  private ResponseStatus status;
  private Optional<ResponseEnd> end = Optional.empty();

  /** What the last tokens came in; the closing chunk may come a second time, as the end. */
  private Utf8Text lastTokens = NOTHING;

  public ResponseEvents(CreatedResponse created) {
    this.document = new ResponseDocument(created);
    this.output = new Output(created.requestId(), events);
    this.status = created.isBackground() ? ResponseStatus.QUEUED : ResponseStatus.IN_PROGRESS;
  }

  /** Returns the events that precede the answer. Called once, before all others. */
  public List<ResponseEvent> begin() {
    report("response.created");
    report(status.event());
    return events.drain();
  }

  /**
   * Returns the events of the next event of the log.
   *
   * @throws IllegalArgumentException if the log does not hold it
   */
  public List<ResponseEvent> next(ReplyEvent event) {
    switch (event) {
      case ReplyEvent.Tokens tokens -> {
        inProgress();
        output.add(tokens.value().knownJson());
        lastTokens = tokens.value();
      }
      case ReplyEvent.Restarted _ -> {
        inProgress();
        output.restart();
        lastTokens = NOTHING;
      }
      case ReplyEvent.Resumed _ -> inProgress();
      case ReplyEvent.Completed completed -> completed(completed);
      case ReplyEvent.Failed failed -> failed(failed);
    }
    return events.drain();
  }

  /**
   * Takes the answer to a request that was not streamed. It has no events.
   *
   * @param completion the {@code chat.completion}
   */
  public void whole(Answer answer, JsonNode completion) {
    inProgress();
    ObjectNode chunk = completion.deepCopy();
    WholeAnswers.toChunk(chunk);
    output.add(chunk);
    end(ResponseEnd.of(answer, completion));
  }

  /**
   * Returns the event of an error that is not in the log. It has the number of the event before, so
   * that a reader that continues after it misses nothing.
   */
  public ResponseEvent interruption(ReplyEvent.Failed failed) {
    int number = Math.max(0, events.lastNumber());
    ObjectNode json = Json.mapper().createObjectNode().put("type", "error");
    json.put("sequence_number", number).put("code", failed.kind().code());
    json.put("message", failed.message()).putNull("param");
    return new ResponseEvent(number, "error", Utf8Text.ofJson(json));
  }

  /** Returns how many bytes of its request are held. */
  public int heldBytes() {
    return document.heldBytes();
  }

  /** Returns the number of the last event so far; -1 before the first. */
  public int lastNumber() {
    return events.lastNumber();
  }

  /** Returns whether the response has ended. */
  public boolean isEnded() {
    return status.isEnd();
  }

  /** Returns the response object as it is at present. */
  public ObjectNode response() {
    return document.toJson(status, output.toJson(), end);
  }

  /** Returns the output items as they are at present. */
  public ArrayNode output() {
    return output.toJson();
  }

  private void inProgress() {
    if (status == ResponseStatus.QUEUED) {
      status = ResponseStatus.IN_PROGRESS;
      report(status.event());
    }
  }

  private void completed(ReplyEvent.Completed completed) {
    inProgress();
    Utf8Text last = completed.value();
    JsonNode closing = last.knownJson();
    if (!lastTokens.equals(last)) {
      output.add(closing);
    }
    end(ResponseEnd.of(completed.answer(), closing));
  }

  private void failed(ReplyEvent.Failed failed) {
    if (failed.isLocal()) {
      throw new IllegalArgumentException("not in the log: " + failed.message());
    }
    end(ResponseEnd.of(failed));
  }

  private void end(ResponseEnd how) {
    output.close(
        how.status() == ResponseStatus.COMPLETED ? OutputItem.COMPLETED : OutputItem.INCOMPLETE);
    status = how.status();
    end = Optional.of(how);
    report(status.event());
  }

  private void report(String type) {
    events.add(type).set("response", response());
  }
}
