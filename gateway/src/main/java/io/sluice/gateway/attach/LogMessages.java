package io.sluice.gateway.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.producer.reply.ReplyEvent;
import java.util.List;

/**
 * An answer as a log of JSON messages: one message for each event. Chunks, the whole answer and
 * errors are as the pool wrote them. Immutable.
 */
record LogMessages() implements Rendering {

  @Override
  public List<Item> of(Numbered numbered) {
    Utf8Text message =
        switch (numbered.event()) {
          case ReplyEvent.Tokens tokens -> tokens.value();
          case ReplyEvent.Restarted restarted -> takeover("restarted", restarted.attempt());
          case ReplyEvent.Resumed resumed -> takeover("resumed", resumed.attempt());
          case ReplyEvent.Completed completed -> completed.value();
          case ReplyEvent.Failed failed -> Utf8Text.of(failed.json());
        };
    return List.of(new Item(numbered.position(), "", message));
  }

  private static Utf8Text takeover(String type, int attempt) {
    ObjectNode message = Json.mapper().createObjectNode();
    return Utf8Text.ofJson(message.put("type", type).put("attempt", attempt));
  }
}
