package io.sluice.producer.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final Turns turns = new Turns();
  private final Queue<FollowerGroup> waiting = new ArrayDeque<>();

  @Test
  void aTenantWithManyReadersDelaysNoOther() {
    // Given
    for (int i = 0; i < 1_000; i++) {
      waiting.add(group("greedy"));
    }
    waiting.add(group("acme"));
    waiting.add(group("other"));

    // Then
    assertThat(served(6)).containsExactly("greedy", "acme", "other", "greedy", "acme", "other");
  }

  @Test
  void theGroupsOfATenantAreServedInTheirOrder() {
    // Given
    FollowerGroup first = group("acme");
    FollowerGroup second = group("acme");
    waiting.addAll(List.of(first, second));

    // Then
    assertThat(next()).isSameAs(first);
    assertThat(next()).isSameAs(second);
    assertThat(next()).isSameAs(first);
  }

  @Test
  void aSharedReadingIsTheTurnOfAllItServes() {
    // Given
    FollowerGroup shared = group("acme");
    shared.merge(group("other"));
    waiting.addAll(List.of(shared, group("other"), group("third")));

    // Then
    assertThat(served(2)).containsExactly("acme", "third");
  }

  @Test
  void aGroupOfAnUnknownTenantHasTurnsOfItsOwn() {
    // Given
    FollowerGroup first = group("");
    FollowerGroup second = group("");
    waiting.addAll(List.of(first, second, group("acme")));

    // Then
    assertThat(served(3)).containsExactly("", "", "acme");
    assertThat(next()).isSameAs(first);
  }

  /** Serves groups that want more after each turn, and returns their first tenants. */
  private List<String> served(int count) {
    List<String> tenants = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tenants.add(next().tenants().findFirst().orElseThrow());
    }
    return tenants;
  }

  private FollowerGroup next() {
    FollowerGroup group = turns.first(waiting).orElseThrow();
    waiting.remove(group);
    turns.served(group);
    waiting.add(group);
    return group;
  }

  private static FollowerGroup group(String tenant) {
    return new FollowerGroup(
        TestFollower.wanting(new TopicPartition("sluice.replies", 0), 1).of(tenant));
  }
}
