package io.sluice.gateway.attach;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.completion.ChunkFrames;
import io.sluice.producer.client.ReplyEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * An answer as the server-sent events of a chat stream. The answer to a request that was not
 * streamed has the same form. Not thread-safe.
 */
final class ChunkEvents implements Rendering {
  /** Tells that the chunks before it are void, if there are any. */
  static final String RESTARTED = "restarted";

  private final ChunkFrames frames;
  private final ClosingChunk closing = new ClosingChunk();

  /**
   * @param isUsageWanted whether the usage comes in a chunk of its own before the end
   */
  ChunkEvents(boolean isUsageWanted) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.putObject("stream_options").put("include_usage", isUsageWanted);
    this.frames = new ChunkFrames(body);
  }

  @Override
  public List<Item> of(Numbered numbered) {
    Position position = numbered.position();
    return switch (numbered.event()) {
      case ReplyEvent.Tokens tokens -> {
        closing.follows(tokens);
        yield List.of(new Item(position, "", tokens.json()));
      }
      case ReplyEvent.Restarted restarted -> {
        closing.restart();
        yield List.of(new Item(position, RESTARTED, attempt(restarted)));
      }
      case ReplyEvent.Resumed _ -> List.of();
      case ReplyEvent.Failed failed -> items(position, frames.of(failed));
      case ReplyEvent.Completed completed -> {
        List<String> data = new ArrayList<>(frames.of(closing.of(completed)));
        data.add(ChunkFrames.DONE);
        yield items(position, data);
      }
    };
  }

  private static List<Item> items(Position position, List<String> data) {
    List<Item> items = new ArrayList<>();
    for (String line : data) {
      items.add(new Item(position.part(items.size()), "", line));
    }
    return items;
  }

  /** How much is void depends on how much of the log is left, so that is not told. */
  private static String attempt(ReplyEvent.Restarted restarted) {
    return Json.text(Json.mapper().createObjectNode().put("attempt", restarted.attempt()));
  }
}
