package io.sluice.gateway.batch.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.batch.record.Counts;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.producer.batch.Lines.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LineWindowTest {
  private static final int MIB = 1024 * 1024;
  private static final Position SOMEWHERE = new Position(1, 1);

  private final BatchMemory memory = new BatchMemory(JsonMemory.of(MIB), 1024 * MIB);
  private final LineWindow window = new LineWindow(256, memory);
  private final List<CompletableFuture<LineResult>> results = new ArrayList<>();

  @Test
  void fewLinesRunUntilOneHasAResult() {
    // When
    fill();

    // Then
    assertThat(results).hasSize(16);

    // When
    results.getFirst().complete(result(1_000));
    fill();

    // Then
    assertThat(running()).isEqualTo(256);
  }

  @ParameterizedTest
  @CsvSource({"1, 16", "4, 4", "8, 2"})
  void largeResultsLetFewerLinesRun(int mebibytes, int lines) {
    // Given
    fill();
    results.forEach(result -> result.complete(result(mebibytes * MIB)));
    write();

    // When
    fill();

    // Then
    assertThat(running()).isEqualTo(lines);
  }

  @Test
  void allWindowsTogetherHoldOnlySoMuch() {
    // Given
    var shared = new BatchMemory(JsonMemory.of(MIB), 4 * MIB);
    var full = new LineWindow(256, shared);
    full.add(SOMEWHERE, 5 * MIB, new CompletableFuture<>());
    var other = new LineWindow(256, shared);

    // Then each may have a line
    assertThat(other.hasRoom()).isTrue();
    var result = new CompletableFuture<LineResult>();
    other.add(SOMEWHERE, MIB, result);
    assertThat(other.hasRoom()).isFalse();

    // When
    full.close();

    // Then
    assertThat(other.hasRoom()).isTrue();
    result.complete(result(4 * MIB));
    assertThat(other.hasRoom()).isFalse();

    // When
    assertThat(other.poll()).isPresent();

    // Then
    assertThat(shared.hasRoom()).isTrue();
  }

  @Test
  void oneLargeResultIsForgotten() {
    // Given
    fill();
    results.getFirst().complete(result(8 * MIB));
    write();

    // When many small ones follow
    for (int i = 0; i < 1_000; i++) {
      results.stream()
          .filter(result -> !result.isDone())
          .findFirst()
          .orElseThrow()
          .complete(result(100));
      write();
      fill();
    }

    // Then
    assertThat(running()).isEqualTo(256);
  }

  @Test
  void aLineWithoutAValidRequestTellsNothing() {
    // Given
    window.add(SOMEWHERE, 10, CompletableFuture.completedFuture(result(100)));
    assertThat(window.poll()).isPresent();

    // When
    fill();

    // Then
    assertThat(results).hasSize(16);
  }

  private void fill() {
    while (window.hasRoom()) {
      CompletableFuture<LineResult> result = new CompletableFuture<>();
      results.add(result);
      window.add(SOMEWHERE, 100, result);
    }
  }

  private void write() {
    while (window.poll().isPresent()) {
      // It is written.
    }
  }

  private int running() {
    return (int) results.stream().filter(result -> !result.isDone()).count();
  }

  private static LineResult result(int bytes) {
    return new LineResult(new byte[bytes], true, Counts.NONE);
  }
}
