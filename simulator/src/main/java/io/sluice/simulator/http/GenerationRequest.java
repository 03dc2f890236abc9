package io.sluice.simulator.http;

import io.sluice.simulator.serving.SamplingParams;
import io.sluice.simulator.text.TokenIds;
import java.util.List;

/**
 * A chat or completion request, read and checked.
 *
 * @param id the response id, with its prefix
 * @param prompts the prompts as tokens; exactly one for chat
 * @param sampling how to generate
 * @param role the role of the answer (chat)
 * @param echoes the text to repeat in front of the choices of each prompt; empty for none
 * @param stream whether to answer with events
 * @param includeUsage whether a usage frame closes the stream
 * @param continuousUsage whether every frame has usage
 * @param returnTokenIds whether token ids are part of the answer
 */
record GenerationRequest(
    String id,
    List<TokenIds> prompts,
    SamplingParams sampling,
    String role,
    List<String> echoes,
    boolean stream,
    boolean includeUsage,
    boolean continuousUsage,
    boolean returnTokenIds) {

  int choices() {
    return prompts.size() * sampling.n();
  }

  TokenIds promptOf(int choice) {
    return prompts.get(choice / sampling.n());
  }

  String echoOf(int choice) {
    return echoes.isEmpty() ? "" : echoes.get(choice / sampling.n());
  }

  int promptTokens() {
    return prompts.stream().mapToInt(TokenIds::size).sum();
  }
}
