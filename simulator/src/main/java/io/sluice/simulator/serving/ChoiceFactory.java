package io.sluice.simulator.serving;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.text.Detokenizer;
import io.sluice.simulator.text.Generation;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Makes of a request the sequences that the engine is to generate. Thread-safe. */
final class ChoiceFactory {

  private final EngineConfig config;
  private final Tokenizer tokenizer;
  private final String model;
  private final AtomicLong sequenceIds = new AtomicLong();

  ChoiceFactory(EngineConfig config, Tokenizer tokenizer, String model) {
    this.config = config;
    this.tokenizer = tokenizer;
    this.model = model;
  }

  List<ActiveChoice> choices(
      List<TokenIds> prompts, SamplingParams params, OutputListener listener, long arrivalNanos) {
    List<ActiveChoice> choices = new ArrayList<>(prompts.size() * params.n());
    for (TokenIds prompt : prompts) {
      PromptGroup group = new PromptGroup(params.n());
      byte[] bytes = tokenizer.bytes(prompt);
      for (int i = 0; i < params.n(); i++) {
        choices.add(
            new ActiveChoice(
                choices.size(),
                request(prompt, bytes, i, params),
                new Detokenizer(tokenizer, bytes, params.stops(), params.includeStop()),
                listener,
                group,
                arrivalNanos));
      }
    }
    return choices;
  }

  private SequenceRequest request(
      TokenIds prompt, byte[] bytes, int choice, SamplingParams params) {
    String adapter = params.cacheScope().loraName();
    Generation generation =
        Generation.of(
            tokenizer,
            adapter.isEmpty() ? model : adapter,
            bytes,
            choice,
            params.ignoreEos(),
            params.minTokens());
    Set<Integer> ends = new HashSet<>(params.stopTokenIds());
    ends.add(Tokenizer.END_OF_TEXT);
    int room = config.maxModelLen() - prompt.size();
    return new SequenceRequest(
        sequenceIds.incrementAndGet(),
        prompt,
        Math.min(room, params.maxTokens().orElse(room)),
        ends,
        params.minTokens(),
        generation::nextToken,
        params.priority(),
        params.cacheScope());
  }
}
