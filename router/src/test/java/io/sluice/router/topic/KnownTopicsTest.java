package io.sluice.router.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.topic.KnownTopics.Topic;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class KnownTopicsTest {
  private static final Uuid ID = new Uuid(1, 1);
  private static final Uuid OTHER_ID = new Uuid(2, 2);
  private final KnownTopics known = KnownTopics.NONE.with(Map.of("a", new Topic(ID, 4, 0)));

  @Test
  void aTopicIsKnownUntilItWasMissingFromThreeListsInARow() {
    // When
    KnownTopics twice = known.after(Map.of()).after(Map.of());

    // Then
    assertThat(twice.partitions("a")).hasValue(4);
    assertThat(twice.after(Map.of()).partitions("a")).isEmpty();
  }

  @Test
  void aListThatHasItAgainMakesTheCountBeginAnew() {
    // When
    KnownTopics seenAgain = known.after(Map.of()).after(Map.of()).after(Map.of("a", ID));

    // Then
    assertThat(seenAgain.after(Map.of()).after(Map.of()).partitions("a")).hasValue(4);
  }

  @Test
  void aTopicThatWasDeletedAndMadeAgainIsAskedForAnew() {
    // When
    KnownTopics made = known.after(Map.of("a", OTHER_ID));

    // Then
    assertThat(made.partitions("a")).isEmpty();
    assertThat(made.unknownOf(Map.of("a", OTHER_ID))).containsExactly("a");
  }

  @Test
  void onlyWhatIsNotKnownIsAskedFor() {
    assertThat(known.unknownOf(Map.of("a", ID, "b", OTHER_ID))).containsExactly("b");
  }
}
