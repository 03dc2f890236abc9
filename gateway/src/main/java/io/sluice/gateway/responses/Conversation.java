package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.responses.chat.ChatBody;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import jakarta.inject.Singleton;

/** What was said before a response. Thread-safe. */
@Singleton
final class Conversation {
  private static final String PREVIOUS = "previous_response_id";

  private final StoredResponses stored;
  private final ResponseReader reader;

  Conversation(StoredResponses stored, ResponseReader reader) {
    this.stored = stored;
    this.reader = reader;
  }

  /**
   * Returns the chat messages before a request, without instructions.
   *
   * @param request the body of the request
   * @throws ApiException if the previous response does not exist or has not ended
   */
  ArrayNode before(JsonNode request, Caller caller) throws InterruptedException {
    JsonNode previous = request.path(PREVIOUS);
    if (!previous.isTextual()) {
      return Json.mapper().createArrayNode();
    }
    CreatedResponse created = stored.find(previous.textValue(), caller);
    ResponseEvents events = reader.read(created);
    if (!events.isEnded()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST, "the response " + created.id() + " has not ended", PREVIOUS);
    }
    return ChatBody.conversation(created.request(), created.earlier(), events.output());
  }
}
