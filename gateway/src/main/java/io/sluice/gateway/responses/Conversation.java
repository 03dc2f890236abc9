package io.sluice.gateway.responses;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.http.ApiException;
import io.sluice.gateway.http.JsonBody;
import io.sluice.gateway.responses.chat.ChatBody;
import io.sluice.gateway.responses.event.ResponseEvents;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.gateway.responses.record.StoredResponse;
import jakarta.inject.Singleton;
import java.util.Optional;

/** What was said before a response. Thread-safe. */
@Singleton
final class Conversation {
  private static final String PREVIOUS = "previous_response_id";
  private static final byte[] NOTHING = {};

  private final StoredResponses stored;
  private final ResponseReader reader;

  Conversation(StoredResponses stored, ResponseReader reader) {
    this.stored = stored;
    this.reader = reader;
  }

  /** A response that another one continues, with its answer. */
  private record Previous(StoredResponse stored, ResponseEvents events) {}

  /** What was said before a request. Not thread-safe. */
  static final class Earlier {
    private final Optional<Previous> previous;

    private Earlier(Optional<Previous> previous) {
      this.previous = previous;
    }

    /** Returns what {@link #messages} parses, as JSON. */
    byte[] json() {
      return previous.map(Previous::stored).map(StoredResponse::json).orElse(NOTHING);
    }

    /** Returns the chat messages, without instructions. */
    ArrayNode messages() {
      if (previous.isEmpty()) {
        return Json.mapper().createArrayNode();
      }
      CreatedResponse created = previous.get().stored().whole();
      return ChatBody.conversation(
          created.request(), created.earlier(), previous.get().events().output());
    }
  }

  /**
   * Finds and reads what was said before a request.
   *
   * @param body that of the request
   * @throws ApiException if the previous response does not exist or has not ended
   */
  Earlier before(byte[] body, Caller caller) throws InterruptedException {
    Optional<String> id = JsonBody.text(body, PREVIOUS);
    return new Earlier(id.isPresent() ? Optional.of(read(id.get(), caller)) : Optional.empty());
  }

  private Previous read(String id, Caller caller) throws InterruptedException {
    StoredResponse found = stored.find(id, caller);
    ResponseEvents events = reader.read(found);
    if (!events.isEnded()) {
      throw new ApiException(
          ErrorKind.INVALID_REQUEST, "the response " + id + " has not ended", PREVIOUS);
    }
    return new Previous(found, events);
  }
}
