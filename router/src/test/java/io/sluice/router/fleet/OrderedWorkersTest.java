package io.sluice.router.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.router.TestWorker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrderedWorkersTest {
  private static final OrderedWorkers THREE =
      OrderedWorkers.of(Map.of("w3", view("w3", 1), "w1", view("w1", 1), "w2", view("w2", 1)));

  @Test
  void itIsAMapInTheOrderOfIds() {
    assertThat(THREE).isEqualTo(new HashMap<>(THREE)).hasSize(3);
    assertThat(THREE.keySet()).containsExactly("w1", "w2", "w3");
    assertThat(THREE.values()).containsExactly(view("w1", 1), view("w2", 1), view("w3", 1));
    assertThat(THREE.get("w2")).isEqualTo(view("w2", 1));
    assertThat(THREE.get("w")).isNull();
    assertThat(THREE.containsKey("w3")).isTrue();
    assertThat(THREE.containsKey("w4")).isFalse();
  }

  @Test
  void aNewerViewReplacesTheOldOneInACopy() {
    OrderedWorkers newer = THREE.with(view("w2", 5));

    assertThat(newer.values()).containsExactly(view("w1", 1), view("w2", 5), view("w3", 1));
    assertThat(THREE.get("w2")).isEqualTo(view("w2", 1));
  }

  @Test
  void aNewWorkerHasItsPlaceInTheOrder() {
    OrderedWorkers more = THREE.with(view("w10", 1));

    assertThat(List.copyOf(more.keySet())).containsExactly("w1", "w10", "w2", "w3");
    assertThat(THREE).hasSize(3);
  }

  private static WorkerView view(String id, long heardAtNanos) {
    return new WorkerView(new TestWorker(id).snapshot(), heardAtNanos);
  }
}
