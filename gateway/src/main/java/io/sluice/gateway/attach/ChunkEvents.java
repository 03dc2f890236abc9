package io.sluice.gateway.attach;

import io.sluice.common.openai.StreamUsage;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.completion.ChunkFrames;
import io.sluice.producer.reply.ReplyEvent;
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

  /**
   * @param isUsageWanted whether the usage comes in a chunk of its own before the end
   */
  ChunkEvents(boolean isUsageWanted) {
    this.frames = new ChunkFrames(isUsageWanted ? StreamUsage.AT_THE_END : StreamUsage.NOWHERE);
  }

  @Override
  public List<Item> of(Numbered numbered) {
    Position position = numbered.position();
    return switch (numbered.event()) {
      case ReplyEvent.Tokens tokens -> List.of(new Item(position, "", tokens.value()));
      case ReplyEvent.Restarted restarted ->
          List.of(new Item(position, RESTARTED, attempt(restarted)));
      case ReplyEvent.Resumed _ -> List.of();
      case ReplyEvent.Failed failed -> items(position, frames.of(failed));
      case ReplyEvent.Completed completed -> {
        List<Utf8Text> data = new ArrayList<>(frames.of(completed.asStreamed()));
        data.add(ChunkFrames.DONE);
        yield items(position, data);
      }
    };
  }

  private static List<Item> items(Position position, List<Utf8Text> data) {
    List<Item> items = new ArrayList<>();
    for (Utf8Text line : data) {
      items.add(new Item(position.part(items.size()), "", line));
    }
    return items;
  }

  /** How much is void depends on how much of the log is left, so that is not told. */
  private static Utf8Text attempt(ReplyEvent.Restarted restarted) {
    return Utf8Text.ofJson(Json.mapper().createObjectNode().put("attempt", restarted.attempt()));
  }
}
