package io.sluice.simulator.http;

import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import io.sluice.simulator.serving.OutputListener;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Gathers all choices and answers with one JSON object. */
final class WholeReply implements OutputListener {

  private final Exchange exchange;
  private final ResponseFormat format;
  private final List<Gathered> choices;
  private int finishedChoices;

  WholeReply(Exchange exchange, ResponseFormat format, int choices) {
    this.exchange = exchange;
    this.format = format;
    this.choices = IntStream.range(0, choices).mapToObj(Gathered::new).toList();
  }

  @Override
  public void onOutput(ChoiceOutput output) {
    choices.get(output.choice()).add(output);
    if (output.finish().isPresent() && ++finishedChoices == choices.size()) {
      List<ChoiceOutput> whole = choices.stream().map(Gathered::whole).toList();
      exchange.execute(() -> answer(whole));
    }
  }

  void fail(ApiError error) {
    if (!exchange.isEnded()) {
      exchange.replyJson(error.status(), error.body());
    }
  }

  private void answer(List<ChoiceOutput> whole) {
    if (!exchange.isEnded()) {
      exchange.replyJson(200, format.whole(whole));
    }
  }

  /** One choice so far; filled on the driver's thread. */
  private static final class Gathered {

    private final int choice;
    private final StringBuilder text = new StringBuilder();
    private final List<Integer> tokenIds = new ArrayList<>();
    private int outputTokens;
    private Optional<Finish> finish = Optional.empty();

    Gathered(int choice) {
      this.choice = choice;
    }

    void add(ChoiceOutput output) {
      text.append(output.text());
      for (int i = 0; i < output.tokenIds().size(); i++) {
        tokenIds.add(output.tokenIds().get(i));
      }
      outputTokens = output.outputTokens();
      finish = output.finish();
    }

    ChoiceOutput whole() {
      TokenIds ids = TokenIds.of(tokenIds.stream().mapToInt(Integer::intValue).toArray());
      return new ChoiceOutput(choice, text.toString(), ids, outputTokens, finish);
    }
  }
}
