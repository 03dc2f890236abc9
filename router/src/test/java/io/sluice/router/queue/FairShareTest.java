package io.sluice.router.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FairShareTest {
  private static final List<String> TENANTS = List.of("a", "b");

  private final FairShare share = new FairShare();

  /** What happened to each tenant. */
  private final Map<String, List<Event>> events = new HashMap<>();

  private final Map<String, Integer> waiting = new HashMap<>();
  private final List<Charged> outstanding = new ArrayList<>();

  private sealed interface Event {}

  /**
   * A tenant starts to wait.
   *
   * @param virtualTime the virtual time then
   */
  private record Start(long virtualTime) implements Event {}

  private static final class Charged implements Event {
    private final FairShare.Charge charge;
    private final long tokens;
    private boolean isGivenBack;

    Charged(FairShare.Charge charge, long tokens) {
      this.charge = charge;
      this.tokens = tokens;
    }
  }

  @Test
  void whoComesAgainLaterIsGivenBackNothingThatItHasNotLost() {
    // Given
    share.enter("a");
    FairShare.Charge charge = share.charge("a", 1_000);
    share.leave("a");
    serve("b", 3_000);
    serve("b", 3_000);
    share.enter("a");

    // When
    charge.giveBack();

    // Then
    assertThat(share.tag("a")).isEqualTo(3_000);
  }

  @Test
  void whoIsAheadWhenItComesAgainIsGivenBackWhatItIsAhead() {
    // Given
    share.enter("a");
    FairShare.Charge charge = share.charge("a", 4_000);
    share.leave("a");
    serve("b", 3_000);
    serve("b", 3_000);
    share.enter("a");

    // When
    charge.giveBack();

    // Then
    assertThat(share.tag("a")).isEqualTo(3_000);
  }

  /** As if what is given back had never been charged, in whatever order it all happens. */
  @Property(tries = 1_000)
  void whatIsGivenBackLeavesNoTrace(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 999) Integer> steps) {
    FairShareTest world = new FairShareTest();
    for (int step : steps) {
      world.step(step);
      world.waiting.forEach(
          (tenant, requests) -> {
            if (requests > 0) {
              assertThat(world.share.tag(tenant)).isEqualTo(world.expectedTag(tenant));
            }
          });
    }
  }

  private void serve(String tenant, long tokens) {
    share.enter(tenant);
    var _ = share.charge(tenant, tokens);
    share.leave(tenant);
  }

  private void step(int step) {
    String tenant = TENANTS.get(step % 2);
    boolean waits = waiting.getOrDefault(tenant, 0) > 0;
    switch (step / 2 % 4) {
      case 0 -> {
        if (!waits) {
          events(tenant).add(new Start(share.tag(tenant)));
        }
        share.enter(tenant);
        waiting.merge(tenant, 1, Integer::sum);
      }
      case 1 -> {
        if (waits) {
          share.leave(tenant);
          waiting.merge(tenant, -1, Integer::sum);
        }
      }
      case 2 -> {
        if (waits) {
          var charged = new Charged(share.charge(tenant, step), step);
          events(tenant).add(charged);
          outstanding.add(charged);
        }
      }
      default -> {
        if (!outstanding.isEmpty()) {
          Charged unserved = outstanding.remove(step % outstanding.size());
          unserved.charge.giveBack();
          unserved.isGivenBack = true;
        }
      }
    }
  }

  private List<Event> events(String tenant) {
    return events.computeIfAbsent(tenant, any -> new ArrayList<>());
  }

  private long expectedTag(String tenant) {
    long tag = 0;
    for (Event event : events(tenant)) {
      switch (event) {
        case Start start -> tag = Math.max(tag, start.virtualTime());
        case Charged charged -> tag += charged.isGivenBack ? 0 : charged.tokens;
      }
    }
    return tag;
  }
}
