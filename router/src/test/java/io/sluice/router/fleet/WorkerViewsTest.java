package io.sluice.router.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WorkerViewsTest {
  private final WorkerViews views = new WorkerViews();

  @Test
  void aCopyIsTheSameUntilAViewChanges() {
    WorkerView first = view(1, 1);
    views.put(first);
    OrderedWorkers copy = views.all();

    views.put(first);
    boolean isSameAfterSameView = views.all() == copy;
    views.put(view(1, 2));

    assertThat(isSameAfterSameView).isTrue();
    assertThat(copy).containsValue(first);
    assertThat(views.all().values()).containsExactly(view(1, 2));
  }

  /** Whatever happens in whatever order, a copy is what a map would be, and never changes later. */
  @Test
  void copiesFollowAllChanges() {
    Random random = new Random(1);
    Map<String, WorkerView> expected = new TreeMap<>();
    List<OrderedWorkers> copies = new ArrayList<>();
    List<Map<String, WorkerView>> then = new ArrayList<>();
    for (int step = 0; step < 3_000; step++) {
      WorkerView some = view(random.nextInt(12), step);
      String id = some.snapshot().id();
      switch (random.nextInt(12)) {
        case 0 -> assertThat(views.remove(id)).isEqualTo(expected.remove(id));
        case 1 -> {
          views.replaceAll(view -> new WorkerView(view.snapshot(), some.heardAtNanos()));
          expected.replaceAll((key, view) -> new WorkerView(view.snapshot(), some.heardAtNanos()));
        }
        case 2 -> {
          List<WorkerView> forgotten = new ArrayList<>();
          views.removeIf(view -> view.snapshot().id().compareTo(id) < 0, forgotten::add);
          assertThat(forgotten).allMatch(view -> expected.remove(view.snapshot().id(), view));
        }
        default -> assertThat(views.put(some)).isEqualTo(expected.put(id, some));
      }
      if (random.nextBoolean()) {
        copies.add(views.all());
        then.add(new HashMap<>(expected));
      }
    }

    assertThat(copies).hasSameSizeAs(then);
    for (int i = 0; i < copies.size(); i++) {
      assertThat(copies.get(i)).isEqualTo(then.get(i));
    }
  }

  private static WorkerView view(int worker, long heardAtNanos) {
    return new WorkerView(new TestWorker("w" + worker).snapshot(), heardAtNanos);
  }
}
