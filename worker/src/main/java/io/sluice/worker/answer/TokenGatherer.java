package io.sluice.worker.answer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.MergedChoice;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.worker.clock.Ticker;
import io.sluice.worker.engine.Chunk;
import io.sluice.worker.engine.EngineEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gathers tokens into records, so that there is at most one record in an interval. Tokens leave at
 * once if the last record left an interval ago: a slow stream is not delayed. Many bytes leave
 * earlier. Not thread-safe.
 */
public final class TokenGatherer {

  /** Tokens for one record. */
  public record Batch(
      int count, List<Integer> tokenIds, ArrayNode choices, ObjectNode extraFields) {}

  private static final Duration IDLE = Duration.ofDays(1);

  private final Gathering gathering;
  private final Ticker ticker;
  private final Map<Integer, MergedChoice> choices = new TreeMap<>();
  private final List<Integer> tokenIds = new ArrayList<>();
  private ObjectNode extraFields = Json.mapper().createObjectNode();
  private int engineTokens;
  private int takenTokens;
  private long bytes;
  private boolean hasContent;

  /** When the last record left; before the first one, when its tokens came. */
  private long gatheringSinceNanos;

  private boolean hasTaken;

  /** An empty gatherer. */
  public TokenGatherer(Gathering gathering, Ticker ticker) {
    this.gathering = gathering;
    this.ticker = ticker;
  }

  /** Adds a frame. */
  public void add(EngineEvent.Tokens tokens) {
    boolean hadContent = hasContent;
    switch (tokens.chunk()) {
      case Chunk.Text(String field, String text) -> {
        choices.computeIfAbsent(0, MergedChoice::compact).addText(field, text);
        hasContent |= !text.isEmpty();
      }
      case Chunk.Tree(ObjectNode json) -> {
        for (Choice choice : Choice.ofChunk(json)) {
          choices.computeIfAbsent(choice.index(), MergedChoice::compact).add(choice.json());
          hasContent |= choice.hasOutput();
        }
        extraFields.setAll(AnswerEnvelope.extraFields(json));
      }
    }
    bytes += tokens.bytes();
    engineTokens = tokens.completionTokens();
    tokenIds.addAll(tokens.tokenIds());
    hasContent |= engineTokens > takenTokens;
    if (hasContent && !hadContent && !hasTaken) {
      gatheringSinceNanos = ticker.nanos();
    }
  }

  /** Returns whether tokens wait for their record. */
  public boolean hasTokens() {
    return hasContent;
  }

  /** Returns how long the gathered tokens may still wait; zero if they are due. */
  public Duration untilDue() {
    if (!hasContent) {
      return IDLE;
    }
    Duration atMost = hasTaken ? gathering.interval() : gathering.first();
    Duration left = atMost.minus(ticker.since(gatheringSinceNanos));
    return bytes >= gathering.bytes() || left.isNegative() ? Duration.ZERO : left;
  }

  /** Takes the gathered tokens out. */
  public Batch take(Endpoint endpoint) {
    ArrayNode array = Json.mapper().createArrayNode();
    choices.values().forEach(choice -> array.add(choice.toChunk(endpoint)));
    Batch batch = new Batch(engineTokens - takenTokens, List.copyOf(tokenIds), array, extraFields);
    extraFields = Json.mapper().createObjectNode();
    takenTokens = engineTokens;
    choices.clear();
    tokenIds.clear();
    bytes = 0;
    hasContent = false;
    gatheringSinceNanos = ticker.nanos();
    hasTaken = true;
    return batch;
  }
}
