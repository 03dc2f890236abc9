package io.sluice.simulator.serving;

import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.SequenceRequest;
import io.sluice.simulator.engine.TokenSource;
import io.sluice.simulator.text.AllowedTokens;
import io.sluice.simulator.text.Detokenizer;
import io.sluice.simulator.text.FixedText;
import io.sluice.simulator.text.Generation;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Creates the sequences that the engine generates for a request. Thread-safe. */
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
                new Detokenizer(tokenizer, prompt, params.stops(), params.includeStop()),
                listener,
                group,
                arrivalNanos));
      }
    }
    return choices;
  }

  private SequenceRequest request(
      TokenIds prompt, byte[] bytes, int choice, SamplingParams params) {
    Set<Integer> ends = new HashSet<>(params.stopTokenIds());
    ends.add(Tokenizer.END_OF_TEXT);
    int room = config.maxModelLen() - prompt.size();
    return new SequenceRequest(
        sequenceIds.incrementAndGet(),
        prompt,
        Math.min(room, params.maxTokens().orElse(room)),
        ends,
        params.minTokens(),
        source(bytes, choice, params),
        params.priority(),
        params.cacheScope(),
        params.repetition());
  }

  private TokenSource source(byte[] prompt, int choice, SamplingParams params) {
    if (params.fixedText().isPresent()) {
      String text = params.fixedText().get();
      return new FixedText(tokenizer, text, prompt, params.ignoreEos(), params.minTokens())
          ::nextToken;
    }
    String adapter = params.cacheScope().loraName();
    String writer = adapter.isEmpty() ? model : adapter;
    if (!params.tokenRules().allowed().isEmpty()) {
      return new AllowedTokens(
              tokenizer,
              params.tokenRules(),
              writer,
              prompt,
              choice,
              params.ignoreEos(),
              params.minTokens())
          ::nextToken;
    }
    return Generation.of(
            tokenizer,
            writer,
            prompt,
            params.tokenRules(),
            choice,
            params.ignoreEos(),
            params.minTokens())
        ::nextToken;
  }
}
