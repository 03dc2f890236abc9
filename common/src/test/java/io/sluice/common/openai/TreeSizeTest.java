package io.sluice.common.openai;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TreeSizeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|0",
        "[1,2]|2",
        "{\"a\":[{}]}|4",
        "[\"a,b:[{\"]|1",
        "[\"\\\",\",1]|2",
        "[[[[|4",
        "|0",
        "\"\\|0"
      })
  void whatStandsBeforeValuesAndNamesIsCounted(String json, int marks) {
    assertThat(TreeSize.marks(json == null ? new byte[0] : json.getBytes(UTF_8))).isEqualTo(marks);
  }

  @Test
  void inOtherEncodingsEachByteCounts() {
    byte[] text = "[\"\\\"\",1,2]".getBytes(UTF_16LE);

    assertThat(TreeSize.marks(text)).isEqualTo(text.length);
  }
}
