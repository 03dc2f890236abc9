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
  void aListThatHasItAgainMakesTheCountBeginAgain() {
    // When
    KnownTopics seenAgain = known.after(Map.of()).after(Map.of()).after(Map.of("a", ID));

    // Then
    assertThat(seenAgain.after(Map.of()).after(Map.of()).partitions("a")).hasValue(4);
  }

  @Test
  void aTopicThatWasDeletedAndMadeAgainIsAskedForAgain() {
    // When
    KnownTopics made = known.after(Map.of("a", OTHER_ID));

    // Then
    assertThat(made.partitions("a")).isEmpty();
    assertThat(made.toDescribe(Map.of("a", OTHER_ID), 1)).containsExactly("a");
  }

  @Test
  void onlyWhatIsNotKnownIsAskedFor() {
    assertThat(known.toDescribe(Map.of("a", ID, "b", OTHER_ID), 1)).containsExactly("b");
  }

  @Test
  void partitionsOfServicesReplyTopicsAreCountedAgainOnceInAWhile() {
    // Given
    String service = "sluice.replies.billing";
    Map<String, Uuid> listed = Map.of("sluice.replies", ID, service, OTHER_ID);
    KnownTopics all =
        KnownTopics.NONE.with(
            Map.of("sluice.replies", new Topic(ID, 4, 0), service, new Topic(OTHER_ID, 1, 0)));

    // Then
    assertThat(all.toDescribe(listed, KnownTopics.LISTS_PER_CHECK - 1)).isEmpty();
    assertThat(all.toDescribe(listed, KnownTopics.LISTS_PER_CHECK)).containsExactly(service);

    // When
    KnownTopics more = all.with(Map.of(service, new Topic(OTHER_ID, 3, 0)));

    // Then
    assertThat(more.partitions(service)).hasValue(3);
  }
}
