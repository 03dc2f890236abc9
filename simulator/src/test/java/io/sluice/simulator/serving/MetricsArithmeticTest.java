package io.sluice.simulator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.simulator.engine.Engine;
import io.sluice.simulator.engine.EngineConfig;
import io.sluice.simulator.engine.Scheduling;
import io.sluice.simulator.engine.StepResult;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.Timing;
import io.sluice.simulator.metrics.ServerMetrics;
import io.sluice.simulator.release.Release;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.BeforeTry;

/** The sums of a real server's metrics page, under random load in virtual time. */
class MetricsArithmeticTest {

  private static final Tokenizer TOKENIZER = new Tokenizer();
  private static final int CONTEXT = 400;
  private static final List<String> PER_REQUEST =
      List.of(
          "request_prompt_tokens",
          "request_generation_tokens",
          "request_params_max_tokens",
          "request_time_per_output_token_seconds",
          "e2e_request_latency_seconds",
          "request_queue_time_seconds",
          "request_inference_time_seconds",
          "request_prefill_time_seconds",
          "request_decode_time_seconds",
          "request_num_preemptions",
          "request_prefill_kv_computed_tokens");

  private ServerMetrics metrics;
  private ServedEngine served;
  private ChoiceFactory factory;
  private long nowNanos;
  private int firstTokens;
  private int choicesFinished;

  @BeforeTry
  void freshEngine() {
    EngineConfig config = config(60);
    this.metrics = new ServerMetrics("m", config, Release.NEWEST, () -> 1.7e9);
    this.served = new ServedEngine(new Engine(config), false, metrics);
    this.nowNanos = 0;
    this.firstTokens = 0;
    this.choicesFinished = 0;
    this.factory = new ChoiceFactory(config, TOKENIZER, "m");
  }

  @Property(tries = 25)
  void countsAndSumsAgreeAtAllTimesUnderAnyLoad(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int requests) {
    SplittableRandom random = new SplittableRandom(seed);
    List<ActiveChoice> sent = new ArrayList<>();
    for (int step = 0; step < 2000 && (sent.isEmpty() || !served.isEmpty()); step++) {
      if (sent.size() < requests && random.nextInt(3) == 0) {
        sent.addAll(send(random));
      }
      if (random.nextInt(60) == 0 && !sent.isEmpty()) {
        served.leave(sent.get(random.nextInt(sent.size())));
      }
      step();
      if (step % 25 == 0) {
        assertThatCountsAgree();
      }
    }
    assertThatCountsAgree();
    assertThat(served.pendingWork().unfinished()).isZero();
    assertThat(served.pendingWork().prefillTokens()).isZero();
  }

  @Property(tries = 25)
  void timesAndTokensOfCompletedRequestsAddUp(@ForAll long seed) {
    // Given
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 6; i++) {
      send(random);
    }

    // When
    while (!served.isEmpty()) {
      step();
    }

    // Then
    Page page = new Page(metrics.text());
    double decode = page.value("vllm:request_decode_time_seconds_sum");
    double prefill = page.value("vllm:request_prefill_time_seconds_sum");
    double inference = page.value("vllm:request_inference_time_seconds_sum");
    assertThat(page.value("vllm:inter_token_latency_seconds_sum")).isCloseTo(decode, within(1e-6));
    assertThat(inference).isCloseTo(prefill + decode, within(1e-6));
    assertThat(page.value("vllm:e2e_request_latency_seconds_sum"))
        .isCloseTo(inference + page.value("vllm:request_queue_time_seconds_sum"), within(1e-6));
    assertThat(page.value("vllm:request_prompt_tokens_sum"))
        .isEqualTo(page.value("vllm:prompt_tokens_total"));
    assertThat(page.value("vllm:request_generation_tokens_sum"))
        .isEqualTo(page.value("vllm:generation_tokens_total"));
    assertThat(page.value("vllm:request_prefill_kv_computed_tokens_sum"))
        .isEqualTo(page.labelled("vllm:prompt_tokens_by_source_total", "source=\"local_compute\""));
    assertThat(page.value("vllm:prefix_cache_queries_total"))
        .isEqualTo(page.value("vllm:prompt_tokens_total"));
    assertThat(page.value("vllm:prefix_cache_hits_total"))
        .isEqualTo(page.value("vllm:prompt_tokens_cached_total"));
    assertThat(page.value("vllm:request_num_preemptions_sum"))
        .isEqualTo(page.value("vllm:num_preemptions_total"));
    assertThat(page.value("vllm:kv_cache_usage_perc")).isZero();
    assertThat(page.value("vllm:request_params_n_count")).isEqualTo(6);
    assertThat(page.value("vllm:request_params_n_sum")).isEqualTo(choicesFinished);
  }

  private void assertThatCountsAgree() {
    Page page = new Page(metrics.text());
    double generated = page.value("vllm:generation_tokens_total");
    double prompts = page.value("vllm:prompt_tokens_total");
    double cached = page.value("vllm:prompt_tokens_cached_total");
    assertThat(page.value("vllm:time_to_first_token_seconds_count")).isEqualTo(firstTokens);
    assertThat(page.value("vllm:inter_token_latency_seconds_count"))
        .isEqualTo(generated - firstTokens);
    assertThat(page.value("vllm:iteration_tokens_total_sum"))
        .isEqualTo(prompts - cached + generated);
    assertThat(page.labelled("vllm:prompt_tokens_by_source_total", "source=\"local_compute\""))
        .isEqualTo(prompts - cached);
    assertThat(page.labelled("vllm:prompt_tokens_by_source_total", "source=\"local_cache_hit\""))
        .isEqualTo(cached);
    double finished =
        page.labelled("vllm:request_success_total", "finished_reason=\"stop\"")
            + page.labelled("vllm:request_success_total", "finished_reason=\"length\"");
    assertThat(finished).isEqualTo(choicesFinished);
    for (String name : PER_REQUEST) {
      assertThat(page.value("vllm:" + name + "_count")).as(name).isEqualTo(finished);
      assertThat(page.labelled("vllm:" + name + "_bucket", "le=\"+Inf\""))
          .as(name)
          .isEqualTo(finished);
      assertThat(page.value("vllm:" + name + "_sum")).as(name).isNotNegative();
    }
    double waiting = page.value("vllm:num_requests_waiting");
    assertThat(page.labelled("vllm:num_requests_waiting_by_reason", "reason=\"capacity\""))
        .isEqualTo(waiting);
    assertThat(page.value("vllm:num_requests_running") + waiting)
        .isEqualTo(served.pendingWork().unfinished());
  }

  private List<ActiveChoice> send(SplittableRandom random) {
    int[] prompt = new int[random.nextInt(1, 300)];
    int common = random.nextInt(prompt.length + 1);
    for (int i = 0; i < prompt.length; i++) {
      prompt[i] = i < common ? 1000 + i : random.nextInt(50_000);
    }
    SamplingParams params =
        new SamplingParams(
            random.nextInt(1, 4),
            OptionalInt.of(random.nextInt(1, 80)),
            0,
            random.nextBoolean(),
            Set.of(),
            random.nextBoolean() ? List.of("the ", ". ") : List.of(),
            false);
    List<ActiveChoice> choices =
        factory.choices(List.of(TokenIds.of(prompt)), params, this::take, nowNanos);
    for (ActiveChoice choice : choices) {
      served.pendingWork().arrived(choice.request().prompt().size());
      served.enter(choice, nowNanos);
    }
    return choices;
  }

  private void take(ChoiceOutput output) {
    firstTokens += output.outputTokens() == 1 ? 1 : 0;
    choicesFinished += output.finish().isPresent() ? 1 : 0;
  }

  private void step() {
    StepResult result = served.engine().step(nowNanos);
    nowNanos += result.durationNanos();
    if (result.durationNanos() > 0) {
      served.deliver(result, nowNanos);
    } else {
      served.measure();
    }
  }

  private static EngineConfig config(int kvBlocks) {
    return new EngineConfig(
        Timing.of(GpuProfile.RTX4090).withNoise(5, 0.03, 1),
        Scheduling.of(6, 128),
        CONTEXT,
        kvBlocks,
        16,
        true);
  }

  /** A page as a scraper reads it. */
  private static final class Page {

    private final Map<String, Double> values = new HashMap<>();

    Page(String text) {
      text.lines()
          .filter(line -> line.startsWith("vllm:"))
          .forEach(
              line -> {
                int space = line.lastIndexOf(' ');
                String series =
                    line.substring(0, space).replaceAll("engine=\"0\",?|model_name=\"m\",?", "");
                values.put(
                    series.replaceAll(",?}", ""), Double.parseDouble(line.substring(space + 1)));
              });
    }

    double value(String name) {
      return labelled(name, "");
    }

    double labelled(String name, String label) {
      Double value = values.get(name + "{" + label);
      if (value == null) {
        throw new AssertionError("no series " + name + " with " + label);
      }
      return value;
    }
  }
}
