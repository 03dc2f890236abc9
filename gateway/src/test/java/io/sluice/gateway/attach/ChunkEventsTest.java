package io.sluice.gateway.attach;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.reply.Utf8Text;
import io.sluice.gateway.attach.Scripts.End;
import io.sluice.gateway.attach.Scripts.Step;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChunkEventsTest {

  @Test
  void aWholeAnswerEndsWithItsUsageIfItIsWantedAndDone() throws Exception {
    // Given
    List<ReplyEvent> log = Scripts.events(List.of(Step.ONE_TOKEN), End.COMPLETED);

    // When
    List<String> with = data(log, true);
    List<String> without = data(log, false);

    // Then
    assertThat(with).hasSize(4).last().isEqualTo("[DONE]");
    assertThat(with.get(2)).contains("\"choices\":[]", "\"completion_tokens\":7");
    assertThat(without).hasSize(3).last().isEqualTo("[DONE]");
    assertThat(without.get(1)).doesNotContain("usage");
  }

  @Test
  void theTextThatAnEngineHeldBackComesOnce() throws Exception {
    List<ReplyEvent> log = Scripts.events(List.of(Step.ONE_TOKEN), End.COMPLETED_WITH_TEXT);

    assertThat(data(log, false)).filteredOn(line -> line.contains("held")).hasSize(1);
  }

  @Test
  void aRestartTellsThatTheChunksBeforeItAreVoid() throws Exception {
    // Given
    List<ReplyEvent> log = Scripts.events(List.of(Step.THREE_TOKENS, Step.RESTART), End.RUNNING);

    // When
    List<Item> items = items(log, false);

    // Then
    assertThat(items.getLast().name()).isEqualTo("restarted");
    assertThat(items.getLast().data()).hasToString("{\"attempt\":2}");
  }

  @Test
  void anErrorIsTheLastEventWithoutDone() throws Exception {
    List<String> data = data(Scripts.events(List.of(Step.ONE_TOKEN), End.FAILED), false);

    assertThat(data).hasSize(2);
    assertThat(data.getLast()).startsWith("{\"error\":{\"message\":\"broken\"");
  }

  @Test
  void anAnswerThatWasNotStreamedEndsWithWhatItsChunksLack() throws Exception {
    // Given
    String whole = Scripts.whole("begun and done");
    List<ReplyEvent> log =
        List.of(
            Scripts.tokens("begun ", 0, 1, Scripts.chunk("begun ", "null")),
            Scripts.tokens("and done", 1, 0, whole),
            Scripts.completed(whole, whole, Scripts.chunk("and done", "\"stop\"")));

    // When
    List<String> data = data(log, false);

    // Then
    assertThat(data).hasSize(3);
    assertThat(data.get(1))
        .contains("chat.completion.chunk", "\"content\":\"and done\"")
        .doesNotContain("\"message\":");
  }

  private static List<String> data(List<ReplyEvent> log, boolean isUsageWanted) throws Exception {
    return items(log, isUsageWanted).stream().map(Item::data).map(Utf8Text::toString).toList();
  }

  private static List<Item> items(List<ReplyEvent> log, boolean isUsageWanted) throws Exception {
    AnswerItems items = new AnswerItems(new ChunkEvents(isUsageWanted), Optional.empty());
    List<Item> all = new ArrayList<>();
    for (ReplyEvent event : log) {
      all.addAll(items.of(event));
    }
    return all;
  }
}
