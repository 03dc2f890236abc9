package io.sluice.gateway.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.reply.ReplyEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Whoever continues an answer, and wherever, gets the rest of the undisturbed one. */
class AnswerItemsPropertiesTest {

  @Property
  void whatFollowsAnyItemIsTheRestOfTheAnswer(
      @ForAll("scripts") List<ReplyEvent> log, @ForAll("forms") Form form) throws Exception {
    List<Item> whole = read(log, form, Optional.empty());
    for (int i = 0; i < whole.size(); i++) {
      assertThat(read(log, form, Optional.of(whole.get(i).position())))
          .isEqualTo(whole.subList(i + 1, whole.size()));
    }
  }

  @Property
  void readersThatDieAfterAnyNumberOfItemsTogetherReadTheUndisturbedAnswer(
      @ForAll("scripts") List<ReplyEvent> log,
      @ForAll("forms") Form form,
      @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 0, max = 4) Integer> lives)
      throws Exception {
    // Given
    List<Item> whole = read(log, form, Optional.empty());

    // When each reader dies after some items, and the last one reads to the end
    List<Item> received = new ArrayList<>();
    for (int life : lives) {
      List<Item> rest = read(log, form, last(received));
      received.addAll(rest.subList(0, Math.min(life, rest.size())));
    }
    received.addAll(read(log, form, last(received)));

    // Then
    assertThat(received).isEqualTo(whole);
  }

  @Property
  void aReaderWhoComesWhileTheAnswerIsWrittenSeesNothingElse(
      @ForAll("scripts") List<ReplyEvent> log,
      @ForAll("forms") Form form,
      @ForAll @IntRange(min = 0, max = 14) int written)
      throws Exception {
    // Given
    List<Item> early = read(log.subList(0, Math.min(written, log.size())), form, Optional.empty());

    // When
    List<Item> late = read(log, form, last(early));

    // Then
    List<Item> both = new ArrayList<>(early);
    both.addAll(late);
    assertThat(both).isEqualTo(read(log, form, Optional.empty()));
  }

  @Property
  void positionsIncreaseAndTheirTextsDoToo(
      @ForAll("scripts") List<ReplyEvent> log, @ForAll("forms") Form form) throws Exception {
    List<Position> positions =
        read(log, form, Optional.empty()).stream().map(Item::position).toList();

    assertThat(positions).isSorted().doesNotHaveDuplicates().doesNotContain(Position.START);
    assertThat(positions.stream().map(Position::text).toList()).isSorted();
    for (Position position : positions) {
      assertThat(Position.parse(position.text())).contains(position);
    }
  }

  @Property
  void whatRetentionLeftHasTheSamePositionsAndWhatItTookIsGone(
      @ForAll("scripts") List<ReplyEvent> log, @ForAll("forms") Form form) throws Exception {
    // Given a log that was deleted up to a restart, which anchors its readers
    int restart = lastRestart(log);
    assumeThat(restart).isPositive();
    List<ReplyEvent> left = new ArrayList<>(log.subList(restart, log.size()));
    int attempt = ((ReplyEvent.Restarted) left.getFirst()).attempt();
    left.set(0, new ReplyEvent.Restarted(attempt, 0, Optional.of("w")));
    List<Item> whole = read(log, form, Optional.empty());

    // When
    List<Item> kept = read(left, form, Optional.empty());

    // Then
    assertThat(whole).endsWith(kept.toArray(Item[]::new));
    for (Item gone : whole.subList(0, whole.size() - kept.size())) {
      assertThatThrownBy(() -> read(left, form, Optional.of(gone.position())))
          .isInstanceOfSatisfying(
              UnreadableException.class,
              e -> assertThat(e.kind()).isEqualTo(ErrorKind.REPLY_TRUNCATED));
    }
  }

  @Property
  void aPositionThatNoItemHasIsAnErrorOnceTheAnswerHasEnded(
      @ForAll("scripts") List<ReplyEvent> log,
      @ForAll("forms") Form form,
      @ForAll("positions") Position madeUp)
      throws Exception {
    // Given
    assumeThat(log).isNotEmpty();
    assumeThat(log.getLast()).isInstanceOf(ReplyEvent.Terminal.class);
    List<Item> whole = read(log, form, Optional.empty());
    assumeThat(whole).extracting(Item::position).doesNotContain(madeUp);

    // When, then
    assertThatThrownBy(() -> read(log, form, Optional.of(madeUp)))
        .isInstanceOf(UnreadableException.class);
  }

  @Property
  void whateverTextIsAPositionIsWrittenThatWay(@ForAll String text) {
    assertThat(Position.parse(text).map(Position::text).orElse(text)).isEqualTo(text);
  }

  private static List<Item> read(List<ReplyEvent> log, Form form, Optional<Position> after)
      throws UnreadableException {
    AnswerItems items = new AnswerItems(form.rendering.get(), after);
    List<Item> read = new ArrayList<>();
    for (ReplyEvent event : log) {
      read.addAll(items.of(event));
    }
    return read;
  }

  private static Optional<Position> last(List<Item> items) {
    return items.isEmpty() ? Optional.empty() : Optional.of(items.getLast().position());
  }

  private static int lastRestart(List<ReplyEvent> log) {
    for (int i = log.size() - 1; i >= 0; i--) {
      if (log.get(i) instanceof ReplyEvent.Restarted) {
        return i;
      }
    }
    return -1;
  }

  /** The forms in which answers are read. */
  enum Form {
    EVENTS(() -> new ChunkEvents(false)),
    EVENTS_WITH_USAGE(() -> new ChunkEvents(true)),
    LOG(LogMessages::new);

    final Supplier<Rendering> rendering;

    Form(Supplier<Rendering> rendering) {
      this.rendering = rendering;
    }
  }

  @Provide
  Arbitrary<List<ReplyEvent>> scripts() {
    return Scripts.any();
  }

  @Provide
  Arbitrary<Form> forms() {
    return Arbitraries.of(Form.class);
  }

  @Provide
  Arbitrary<Position> positions() {
    Arbitrary<Integer> small = Arbitraries.integers().between(0, 12);
    return Combinators.combine(small, small, small, small)
        .as(Position::new)
        .filter(position -> !position.equals(Position.START));
  }
}
