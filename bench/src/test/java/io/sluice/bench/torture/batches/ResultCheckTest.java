package io.sluice.bench.torture.batches;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bench.torture.load.LoadGenerator;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class ResultCheckTest {
  @Test
  void nothingIsFoundInACompleteBatch() {
    EndedBatch batch = EndedBatch.complete();
    assertThat(batch.found()).isEmpty();
    assertThat(batch.batch().requests())
        .extracting(LoadGenerator.Sent::request)
        .extracting(request -> request.id())
        .containsExactly("r0", "r2");
  }

  @Test
  void aLineWithoutAResultIsFound() {
    EndedBatch batch = EndedBatch.complete();
    batch.output.removeFirst();
    assertThat(batch.found())
        .hasSize(2)
        .anySatisfy(what -> assertThat(what).startsWith("its counts are "))
        .contains("line 1 has no result");
  }

  @Test
  void aLineWithTwoResultsIsFound() {
    EndedBatch twice = EndedBatch.complete();
    twice.output.set(1, twice.output.getFirst());
    assertThat(twice.found()).contains("line 1 has two results", "line 3 has no result");

    EndedBatch inBoth = EndedBatch.withError(EndedBatch.withoutResponse("r0", "c0", "x"));
    assertThat(inBoth.found()).contains("line 1 has two results");
  }

  @Test
  void resultsInAnotherOrderThanTheInputAreFound() {
    EndedBatch batch = EndedBatch.complete();
    Collections.reverse(batch.output);
    assertThat(batch.found())
        .containsExactly("output: the result of line 1 is behind that of line 3");
  }

  @Test
  void anAnswerOfNoLineAndAnAnswerThatIsNoneAreFound() {
    EndedBatch foreign = EndedBatch.complete();
    foreign.output.set(0, EndedBatch.answer("r0", "c9", "first"));
    assertThat(foreign.found())
        .anySatisfy(what -> assertThat(what).startsWith("output: a result of no line"));

    EndedBatch garbled = EndedBatch.complete();
    garbled.output.set(0, EndedBatch.refused("r0", "c0", "engine_error"));
    assertThat(garbled.found())
        .singleElement()
        .asString()
        .startsWith("the output contains a result that is not an answer");
  }

  @Test
  void anAnswerThatIsNotInTheLogIsFound() {
    EndedBatch otherText = EndedBatch.complete();
    otherText.output.set(0, EndedBatch.answer("r0", "c0", "other"));
    assertThat(otherText.found())
        .singleElement()
        .asString()
        .startsWith("the answer of r0 is not that of the log");

    EndedBatch neverRun = EndedBatch.complete();
    neverRun.output.set(0, EndedBatch.answer("r9", "c0", "first"));
    assertThat(neverRun.found()).hasSize(1);
  }

  @Test
  void aBadLineHasItsError() {
    EndedBatch batch = EndedBatch.complete();
    batch.errors.set(0, EndedBatch.broken(2, "invalid_url"));
    assertThat(batch.found())
        .singleElement()
        .asString()
        .startsWith("the error of line 2 should be invalid_json");
  }

  @Test
  void anErrorOfARequestIsThatOfTheLog() {
    EndedBatch right = EndedBatch.withError(EndedBatch.refused("r3", "c2", "engine_error"));
    assertThat(right.failed("r3", "engine_error").found()).isEmpty();

    EndedBatch wrong = EndedBatch.withError(EndedBatch.refused("r2", "c2", "engine_error"));
    assertThat(wrong.found()).singleElement().asString().startsWith("the log ends with no error");
  }

  @Test
  void onlyABatchThatWasCancelledLeavesRequestsUnanswered() {
    String row = EndedBatch.withoutResponse("r2", "c2", "batch_cancelled");
    assertThat(EndedBatch.withError(row).found())
        .singleElement()
        .asString()
        .startsWith("a request was not answered");

    EndedBatch asked = EndedBatch.withError(row);
    asked.status = "cancelled";
    asked.mayBeCancelled = true;
    assertThat(asked.found()).isEmpty();

    EndedBatch unasked = EndedBatch.withError(row);
    unasked.status = "cancelled";
    assertThat(unasked.found()).singleElement().asString().startsWith("it ended as");
  }

  @Test
  void aRequestThatWasCancelledThoughItsBatchWasNotIsFound() {
    assertThat(EndedBatch.complete().cancelled("r0").found())
        .containsExactly("a gateway cancelled the request r0");
  }

  @Test
  void noBatchExpires() {
    EndedBatch batch = EndedBatch.complete();
    batch.status = "expired";
    assertThat(batch.found()).singleElement().asString().startsWith("it ended as");
  }
}
