package io.sluice.bench.trace.generated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.bench.trace.Trace;
import io.sluice.bench.trace.TraceRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GeneratedTracesTest {
  /** Figures of these traces are published, so none of their requests may change. */
  @ParameterizedTest
  @CsvSource({
    "chat, 3069704341048",
    "documents, -134206897754",
    "agents, -40779029451",
    "mixed, 887824308238"
  })
  void everybodyGetsTheSameTrace(String name, long sum) {
    List<TraceRequest> requests = GeneratedTraces.named(name).requests();

    assertThat(requests.stream().mapToLong(GeneratedTracesTest::number).sum()).isEqualTo(sum);
  }

  private static long number(TraceRequest request) {
    return request.arrivalNanos() / 1_000_000
        + 31L * request.promptTokens()
        + 7L * request.outputTokens()
        + Arrays.hashCode(request.blocks());
  }

  @ParameterizedTest
  @MethodSource("names")
  void aTraceHasFourRequestsPerSecondInTheOrderOfTheirTimesAndAllBlocks(String name) {
    Trace trace = GeneratedTraces.named(name);

    assertThat(trace.name()).isEqualTo("generated:" + name);
    assertThat(trace.rate()).isCloseTo(4, within(0.2));
    assertThat(trace.requests())
        .isSortedAccordingTo((a, b) -> Long.compare(a.arrivalNanos(), b.arrivalNanos()))
        .allMatch(
            request ->
                request.blocks().length
                    == Math.ceilDiv(request.promptTokens(), Trace.BLOCK_TOKENS));
  }

  static List<String> names() {
    return GeneratedTraces.names();
  }

  @Test
  void aPromptOfAConversationBeginsWithTheEarlierOnes() {
    Map<Long, List<TraceRequest>> conversations = sessions("chat");

    assertThat(conversations.values())
        .allSatisfy(
            turns -> {
              for (int i = 1; i < turns.size(); i++) {
                assertThat(turns.get(i).blocks()).startsWith(turns.get(i - 1).blocks());
                assertThat(turns.get(i).promptTokens())
                    .isGreaterThan(turns.get(i - 1).contextTokens());
              }
            });
    assertThat(conversations.values()).anyMatch(turns -> turns.size() > 5);
  }

  @Test
  void conversationsOfAnApplicationShareItsSystemPromptAndNothingElse() {
    Set<Long> first = new HashSet<>();
    Map<Long, Set<Long>> owners = new HashMap<>();
    for (TraceRequest request : GeneratedTraces.named("chat").requests()) {
      first.add(request.blocks()[0]);
      for (long block : request.blocks()) {
        owners.computeIfAbsent(block, any -> new HashSet<>()).add(request.session());
      }
    }

    assertThat(first).hasSize(8);
    assertThat(owners.values().stream().filter(sessions -> sessions.size() > 1))
        .hasSize(1 + 2 + 3 + 4 + 5 + 6 + 7 + 8);
  }

  @Test
  void fewDocumentsHaveManyOfTheQuestions() {
    List<Integer> questions =
        sessions("documents").values().stream()
            .map(List::size)
            .sorted((a, b) -> Integer.compare(b, a))
            .toList();
    int all = questions.stream().mapToInt(Integer::intValue).sum();

    assertThat(questions.stream().limit(100).mapToInt(Integer::intValue).sum())
        .isBetween(all * 4 / 10, all * 6 / 10);
    assertThat(mean("documents", TraceRequest::promptTokens)).isCloseTo(19_019, within(500.0));
    assertThat(mean("documents", TraceRequest::outputTokens)).isCloseTo(72, within(3.0));
  }

  @Test
  void agentsTakeManyStepsSomeOfThemAtTheSameTime() {
    Map<Long, List<TraceRequest>> tasks = sessions("agents");

    assertThat(tasks.values().stream().mapToInt(List::size).average().orElseThrow())
        .isGreaterThan(12);
    assertThat(tasks.values())
        .anyMatch(
            steps ->
                steps.stream().map(TraceRequest::arrivalNanos).distinct().count() < steps.size());
  }

  @Test
  void fewOfTheMixedRequestsAreVeryLong() {
    List<TraceRequest> requests = GeneratedTraces.named("mixed").requests();

    long longOnes = requests.stream().filter(request -> request.promptTokens() > 15_000).count();
    assertThat((double) longOnes / requests.size()).isBetween(0.01, 0.02);
  }

  @Test
  void anUnknownNameIsAnErrorThatListsTheKnownOnes() {
    assertThatThrownBy(() -> GeneratedTraces.named("poems"))
        .hasMessage(
            "there is no generated trace 'poems'; there are chat, documents, agents, mixed");
  }

  private static Map<Long, List<TraceRequest>> sessions(String name) {
    return GeneratedTraces.named(name).requests().stream()
        .collect(Collectors.groupingBy(TraceRequest::session));
  }

  private static double mean(String name, ToIntFunction<TraceRequest> tokens) {
    return GeneratedTraces.named(name).requests().stream().mapToInt(tokens).average().orElseThrow();
  }
}
