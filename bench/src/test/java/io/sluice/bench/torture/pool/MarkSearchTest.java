package io.sluice.bench.torture.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MarkSearchTest {
  private final MarkSearch search = new MarkSearch();

  @Test
  void aMarkIsFoundOnceWhereverTheNetworkCutsIt() {
    String prompt = "a".repeat(300) + PoisonMark.of("poison-1-0001") + "b".repeat(300);
    for (int cut = 1; cut < prompt.length(); cut++) {
      List<String> found = new ArrayList<>();
      found.addAll(next(prompt.substring(0, cut)));
      found.addAll(next(prompt.substring(cut)));
      assertThat(found).containsExactly("poison-1-0001");
    }
  }

  @Test
  void otherBytesAreNoMark() {
    assertThat(next("poison for workers: none;")).isEmpty();
    assertThat(next(PoisonMark.PREFIX + "unfinished")).isEmpty();
  }

  private List<String> next(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return search.next(bytes, bytes.length).stream().toList();
  }
}
