package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.text.SplitMix;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Generates log probabilities that look like those of a confident model. They are the same for the
 * same token.
 *
 * <p>The generated token has a probability of 0.5 to 0.99 and is always the most likely one. Each
 * alternative has half of the remaining probability, so that the sum stays below 1.
 */
final class Logprobs {

  private record Candidate(int id, double logprob) {}

  private static final int FIRST_SPECIAL = 100_256;

  private final Tokenizer tokenizer;
  private final boolean idsAsTokens;

  Logprobs(Tokenizer tokenizer, boolean idsAsTokens) {
    this.tokenizer = tokenizer;
    this.idsAsTokens = idsAsTokens;
  }

  /** Writes the chat form; null if no logprobs were requested. */
  void writeChat(JsonGenerator json, TokenIds ids, OptionalInt wanted) throws IOException {
    if (wanted.isEmpty()) {
      json.writeNullField("logprobs");
      return;
    }
    json.writeObjectFieldStart("logprobs");
    json.writeArrayFieldStart("content");
    for (int i = 0; i < ids.size(); i++) {
      List<Candidate> candidates = candidates(ids.get(i), wanted.getAsInt());
      json.writeStartObject();
      writeChatToken(json, candidates.getFirst());
      json.writeArrayFieldStart("top_logprobs");
      for (Candidate candidate : candidates.subList(0, wanted.getAsInt())) {
        json.writeStartObject();
        writeChatToken(json, candidate);
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void writeChatToken(JsonGenerator json, Candidate candidate) throws IOException {
    json.writeStringField("token", token(candidate.id()));
    json.writeNumberField("logprob", candidate.logprob());
    json.writeArrayFieldStart("bytes");
    for (byte value : tokenizer.bytes(candidate.id())) {
      json.writeNumber(value & 0xFF);
    }
    json.writeEndArray();
  }

  /**
   * Writes the completion form; null if no logprobs were requested.
   *
   * @param offset the text offset of the first token
   * @param startsPrompt whether the first token is the first one of the prompt, which has no
   *     logprob
   */
  void writeCompletion(
      JsonGenerator json, TokenIds ids, OptionalInt wanted, int offset, boolean startsPrompt)
      throws IOException {
    if (wanted.isEmpty()) {
      json.writeNullField("logprobs");
      return;
    }
    json.writeObjectFieldStart("logprobs");
    json.writeArrayFieldStart("text_offset");
    int at = offset;
    for (int i = 0; i < ids.size(); i++) {
      json.writeNumber(at);
      at += token(ids.get(i)).length();
    }
    json.writeEndArray();
    json.writeArrayFieldStart("token_logprobs");
    for (int i = 0; i < ids.size(); i++) {
      if (i == 0 && startsPrompt) {
        json.writeNull();
      } else {
        json.writeNumber(candidates(ids.get(i), 1).getFirst().logprob());
      }
    }
    json.writeEndArray();
    json.writeArrayFieldStart("tokens");
    for (int i = 0; i < ids.size(); i++) {
      json.writeString(token(ids.get(i)));
    }
    json.writeEndArray();
    json.writeArrayFieldStart("top_logprobs");
    for (int i = 0; i < ids.size(); i++) {
      if (i == 0 && startsPrompt) {
        json.writeNull();
      } else {
        writeTop(json, candidates(ids.get(i), wanted.getAsInt()));
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  int length(TokenIds ids) {
    int length = 0;
    for (int i = 0; i < ids.size(); i++) {
      length += token(ids.get(i)).length();
    }
    return length;
  }

  private void writeTop(JsonGenerator json, List<Candidate> candidates) throws IOException {
    Set<String> written = new HashSet<>();
    json.writeStartObject();
    for (Candidate candidate : candidates) {
      if (written.add(token(candidate.id()))) {
        json.writeNumberField(token(candidate.id()), candidate.logprob());
      }
    }
    json.writeEndObject();
  }

  /** Writes {@code prompt_logprobs}; null if none were requested. */
  void writePrompt(JsonGenerator json, TokenIds prompt, OptionalInt wanted) throws IOException {
    if (wanted.isEmpty()) {
      json.writeNullField("prompt_logprobs");
      return;
    }
    json.writeArrayFieldStart("prompt_logprobs");
    for (int i = 0; i < prompt.size(); i++) {
      if (i == 0) {
        json.writeNull();
        continue;
      }
      json.writeStartObject();
      int rank = 1;
      for (Candidate candidate : candidates(prompt.get(i), wanted.getAsInt())) {
        json.writeObjectFieldStart(String.valueOf(candidate.id()));
        json.writeNumberField("logprob", candidate.logprob());
        json.writeNumberField("rank", rank++);
        json.writeStringField("decoded_token", tokenizer.decode(TokenIds.of(candidate.id())));
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Returns the token and its alternatives: at least one, at most {@code count}. */
  private static List<Candidate> candidates(int tokenId, int count) {
    long hash = mix(tokenId);
    double probability = 0.5 + 0.49 * ((hash >>> 11) / (double) (1L << 53));
    List<Candidate> candidates = new ArrayList<>();
    Set<Integer> ids = new HashSet<>();
    candidates.add(new Candidate(tokenId, Math.log(probability)));
    ids.add(tokenId);
    double left = 1 - probability;
    while (candidates.size() < count) {
      hash = mix(hash);
      int id = (int) Math.floorMod(hash, (long) FIRST_SPECIAL);
      if (ids.add(id)) {
        left /= 2;
        candidates.add(new Candidate(id, Math.log(left)));
      }
    }
    return candidates;
  }

  private static long mix(long value) {
    return SplitMix.mix(value + SplitMix.GOLDEN_GAMMA);
  }

  private String token(int id) {
    return idsAsTokens ? "token_id:" + id : tokenizer.decode(TokenIds.of(id));
  }
}
