package io.sluice.simulator.endpoint;

import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.http.Exchange;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.openai.request.ApiError;
import io.sluice.simulator.openai.response.ResponseFormat;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Collects all choices and answers with one JSON object. */
final class WholeReply implements Reply {

  /** How the finished answer is sent. */
  private enum Delivery {
    WHOLE,
    HALF,
    GARBLED
  }

  private static final String LOAD_REPORT = "endpoint-load-metrics";
  private static final String LOAD_REPORT_FORMAT = LOAD_REPORT + "-format";

  private final Exchange exchange;
  private final ResponseFormat format;
  private final List<Gathered> choices;
  private final ServerMetrics metrics;
  private final Runnable onEngineDead;
  private int finishedChoices;
  private volatile Delivery delivery = Delivery.WHOLE;

  /** Creates a reply. {@code onEngineDead} runs if it fails because the engine died. */
  WholeReply(
      Exchange exchange,
      ResponseFormat format,
      int choices,
      ServerMetrics metrics,
      Runnable onEngineDead) {
    this.exchange = exchange;
    this.format = format;
    this.metrics = metrics;
    this.onEngineDead = onEngineDead;
    this.choices = IntStream.range(0, choices).mapToObj(Gathered::new).toList();
  }

  @Override
  public synchronized void onOutput(ChoiceOutput output) {
    if (output.finish().map(Finish::reason).equals(Optional.of(FinishReason.ERROR))) {
      exchange.execute(() -> fail(ApiError.engineFailure()));
      onEngineDead.run();
      return;
    }
    choices.get(output.choice()).add(output);
    if (output.finish().isPresent() && ++finishedChoices == choices.size()) {
      List<ChoiceOutput> whole = choices.stream().map(Gathered::whole).toList();
      exchange.execute(() -> answer(whole));
    }
  }

  @Override
  public void fail(ApiError error) {
    if (!exchange.isEnded()) {
      exchange.replyJson(error.status(), error.body());
    }
  }

  @Override
  public void cutWithin(ChoiceOutput output) {
    delivery = Delivery.HALF;
    onOutput(output);
  }

  @Override
  public void garble(ChoiceOutput output) {
    delivery = Delivery.GARBLED;
    onOutput(output);
  }

  @Override
  public void withoutMarker() {}

  private void answer(List<ChoiceOutput> whole) {
    if (exchange.isEnded()) {
      return;
    }
    byte[] json = format.whole(whole);
    switch (delivery) {
      case WHOLE -> {
        String report = loadReport();
        exchange.reply(200, "application/json", json, report.isEmpty() ? "" : LOAD_REPORT, report);
      }
      case HALF -> exchange.replyHalf(json);
      case GARBLED -> exchange.replyJson(200, Arrays.copyOf(json, json.length * 2 / 3));
    }
  }

  private String loadReport() {
    return exchange
        .header(LOAD_REPORT_FORMAT)
        .flatMap(reportFormat -> metrics.load().in(reportFormat))
        .orElse("");
  }

  /** The output of one choice so far. */
  private static final class Gathered {

    private final int choice;
    private final StringBuilder text = new StringBuilder();
    private final List<Integer> tokenIds = new ArrayList<>();
    private int outputTokens;
    private int cachedTokens;
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
      cachedTokens = output.cachedTokens();
      finish = output.finish();
    }

    ChoiceOutput whole() {
      TokenIds ids = TokenIds.of(tokenIds.stream().mapToInt(Integer::intValue).toArray());
      return new ChoiceOutput(choice, text.toString(), ids, outputTokens, cachedTokens, finish);
    }
  }
}
