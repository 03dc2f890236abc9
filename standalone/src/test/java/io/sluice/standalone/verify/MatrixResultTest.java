package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.standalone.verify.MatrixResult.Verdict;
import org.junit.jupiter.api.Test;

class MatrixResultTest {

  @Test
  void whatAnEngineDoesNotDoIsNotALossButWhatItDiesOfIs() {
    assertThat(MatrixResult.unanswered(ErrorKind.INVALID_REQUEST)).isEqualTo(Verdict.REFUSED);
    assertThat(MatrixResult.unanswered(ErrorKind.ENGINE_ERROR)).isEqualTo(Verdict.REFUSED);
    assertThat(MatrixResult.unanswered(ErrorKind.DEADLINE_EXCEEDED)).isEqualTo(Verdict.UNANSWERED);
    assertThat(MatrixResult.unanswered(ErrorKind.WORKER_LOST)).isEqualTo(Verdict.UNANSWERED);
  }
}
