package io.sluice.gateway.messages.answer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.completion.Frames;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.Frame;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The events of one streamed message, as Anthropic's API sends them. An error is the last event;
 * only a whole message ends with {@code message_stop}. Not thread-safe.
 */
public final class MessageEvents implements Frames {
  private final String requestId;
  private final int estimatedPromptTokens;
  private final StreamedBlocks blocks;
  private Choice finished = Choice.NONE;
  private Utf8Text lastChunk = Utf8Text.of("");
  private boolean isStarted;
  private boolean isRefusal;
  private boolean isEnded;

  /**
   * @param estimatedPromptTokens reported until the engine has counted them
   */
  public MessageEvents(String requestId, int estimatedPromptTokens) {
    this.requestId = requestId;
    this.estimatedPromptTokens = estimatedPromptTokens;
    this.blocks = new StreamedBlocks(requestId);
  }

  @Override
  public boolean isEnded() {
    return isEnded;
  }

  @Override
  public Frame keepAlive() {
    return frame(event("ping"));
  }

  @Override
  public Frame last() {
    return frame(event("message_stop"));
  }

  @Override
  public Frame error(ApiError error) {
    return frame(MessageError.of(error, Optional.of(requestId)));
  }

  @Override
  public List<Frame> of(ReplyEvent event) {
    return switch (event) {
      case ReplyEvent.Tokens tokens -> frames(chunk(tokens.value()));
      case ReplyEvent.Resumed _ -> List.of();
      case ReplyEvent.Restarted _ when !blocks.hasBegun() -> List.of();
      case ReplyEvent.Restarted _ -> failed(ApiError.restarted());
      case ReplyEvent.Completed completed -> frames(end(completed.value(), completed.answer()));
      case ReplyEvent.Failed failed -> failed(ApiError.of(failed));
    };
  }

  /** Creates an event of this type without other fields. */
  static ObjectNode event(String type) {
    return Json.mapper().createObjectNode().put("type", type);
  }

  private List<ObjectNode> chunk(Utf8Text value) {
    lastChunk = value;
    JsonNode chunk = value.knownJson();
    List<ObjectNode> events = new ArrayList<>();
    if (!isStarted) {
      events.add(start(chunk));
      isStarted = true;
    }
    for (Choice choice : Choice.ofChunk(chunk)) {
      if (choice.index() == 0) {
        ChatContent content = ChatContent.of(choice);
        isRefusal |= content.isRefusal();
        finished = choice.isEnd() ? choice : finished;
        blocks.add(content, events);
      }
    }
    return events;
  }

  private ObjectNode start(JsonNode chunk) {
    ObjectNode start = event("message_start");
    Usage estimate = Usage.of(estimatedPromptTokens, 0);
    start.set(
        "message", new MessageHead(requestId, chunk.path("model").asText("")).toJson(estimate));
    return start;
  }

  /** A closing chunk that holds text comes twice: as tokens, and as the end. */
  private List<ObjectNode> end(Utf8Text value, Answer answer) {
    List<ObjectNode> events = value.equals(lastChunk) ? new ArrayList<>() : chunk(value);
    blocks.close(events);
    ObjectNode delta = event("message_delta");
    StopReason.of(finished, blocks.hasCalls(), isRefusal).addTo(delta.putObject("delta"));
    delta.set("usage", MessageHead.usage(answer.usage()));
    events.add(delta);
    isEnded = true;
    return events;
  }

  private List<Frame> failed(ApiError error) {
    isEnded = true;
    return List.of(error(error));
  }

  private static List<Frame> frames(List<ObjectNode> events) {
    return events.stream().map(MessageEvents::frame).toList();
  }

  private static Frame frame(ObjectNode event) {
    return new Frame.Event(event.path("type").asText(), Utf8Text.ofJson(event));
  }
}
