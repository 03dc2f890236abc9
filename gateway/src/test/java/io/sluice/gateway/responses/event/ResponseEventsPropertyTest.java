package io.sluice.gateway.responses.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.gateway.responses.record.CreatedResponse;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The events are a function of the log, for whatever log. */
class ResponseEventsPropertyTest {

  @Property(tries = 300)
  void whereverAReaderContinuesItSeesTheSameBytes(
      @ForAll("logs") List<ReplyEvent> log, @ForAll boolean background, @ForAll("cuts") int cut) {
    // Given
    CreatedResponse created =
        Made.created("{'model':'m','input':'x','background':%b}".formatted(background));
    List<ResponseEvent> whole = Made.events(created, log);
    int after = cut % whole.size();

    // When one gateway dies in the middle and another one continues
    List<ResponseEvent> first = whole.stream().filter(e -> e.sequenceNumber() <= after).toList();
    List<ResponseEvent> rest =
        Made.events(created, log).stream().filter(e -> e.sequenceNumber() > after).toList();

    // Then
    List<ResponseEvent> both = new ArrayList<>(first);
    both.addAll(rest);
    assertThat(both).isEqualTo(whole);
    for (int i = 0; i < whole.size(); i++) {
      assertThat(whole.get(i).sequenceNumber()).isEqualTo(i);
    }
  }

  @Property(tries = 300)
  void aPartOfTheLogGivesTheBeginningOfTheEvents(
      @ForAll("logs") List<ReplyEvent> log, @ForAll("cuts") int cut) {
    CreatedResponse created = Made.created("{'model':'m','input':'x'}");
    List<ReplyEvent> part = log.subList(0, cut % (log.size() + 1));

    assertThat(Made.events(created, log)).startsWith(events(created, part));
  }

  @Property(tries = 300)
  void theDeltasOfAnItemAddUpToWhatItsEndSays(@ForAll("logs") List<ReplyEvent> log) {
    Map<String, StringBuilder> texts = new HashMap<>();
    List<String> open = new ArrayList<>();
    for (ResponseEvent event : Made.events(Made.created("{'model':'m','input':'x'}"), log)) {
      JsonNode data = event.data().json();
      String item = data.path("item_id").asText(data.path("item").path("id").asText());
      String part = item + "/" + data.path("content_index").asInt();
      switch (event.type()) {
        case "response.output_item.added" -> open.add(item);
        case "response.output_item.done" -> assertThat(open.remove(item)).isTrue();
        case "response.output_text.delta",
            "response.reasoning_text.delta",
            "response.refusal.delta",
            "response.function_call_arguments.delta" -> {
          assertThat(open).contains(item);
          texts.computeIfAbsent(part, _ -> new StringBuilder()).append(data.path("delta").asText());
        }
        case "response.output_text.done", "response.reasoning_text.done" ->
            assertThat(data.path("text").asText()).isEqualTo(said(texts, part));
        case "response.refusal.done" ->
            assertThat(data.path("refusal").asText()).isEqualTo(said(texts, part));
        case "response.function_call_arguments.done" ->
            assertThat(data.path("arguments").asText()).isEqualTo(said(texts, part));
        default -> {}
      }
    }
    assertThat(open).isEmpty();
  }

  private static String said(Map<String, StringBuilder> texts, String part) {
    return Optional.ofNullable(texts.get(part)).map(StringBuilder::toString).orElse("");
  }

  private static ResponseEvent[] events(CreatedResponse created, List<ReplyEvent> log) {
    return Made.events(created, log).toArray(ResponseEvent[]::new);
  }

  @Provide
  Arbitrary<Integer> cuts() {
    return Arbitraries.integers().between(0, 10_000);
  }

  @Provide
  Arbitrary<List<ReplyEvent>> logs() {
    Arbitrary<String> text = Arbitraries.strings().alpha().ofMinLength(0).ofMaxLength(4);
    Arbitrary<ReplyEvent> tokens =
        Combinators.combine(
                Arbitraries.of("content", "content", "reasoning", "reasoning_content", "refusal"),
                text)
            .as((field, value) -> Made.delta("{'%s':'%s'}".formatted(field, value)));
    Arbitrary<ReplyEvent> calls =
        Combinators.combine(Arbitraries.integers().between(0, 2), text)
            .as(
                (index, value) ->
                    Made.delta(
                        "{'tool_calls':[{'index':%d,'id':'c','function':{'name':'f','arguments':'%s'}}]}"
                            .formatted(index, value)));
    Arbitrary<ReplyEvent> takeovers =
        Arbitraries.of(Made.restarted(), new ReplyEvent.Resumed(2, 1, Optional.of("w")));
    Arbitrary<ReplyEvent> end =
        Arbitraries.of(
            Made.finished("stop"),
            Made.finished("length"),
            Made.failed(ErrorKind.CANCELLED),
            Made.failed(ErrorKind.OVERLOADED));
    Arbitrary<ReplyEvent> any = Arbitraries.oneOf(tokens, tokens, tokens, calls, takeovers);
    return Combinators.combine(any.list().ofMaxSize(20), end)
        .as(
            (events, last) -> {
              List<ReplyEvent> log = new ArrayList<>(events);
              log.add(last);
              return log;
            });
  }
}
