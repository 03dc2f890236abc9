package io.sluice.common.openai;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.protocol.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonSizesTest {
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
    assertThat(JsonSizes.marks(json == null ? new byte[0] : json.getBytes(UTF_8))).isEqualTo(marks);
  }

  @Test
  void inOtherEncodingsEachByteCounts() {
    byte[] text = "[\"\\\"\",1,2]".getBytes(UTF_16LE);

    assertThat(JsonSizes.marks(text)).isEqualTo(text.length);
  }

  @Test
  void whatATreeTakesAsTextIsEstimated() throws IOException {
    String text =
        """
        {"content":[{"token":"Hi","logprob":-0.1234567890123,"bytes":[72,105],\
        "top_logprobs":[{"token":"Hi","logprob":-0.1234567890123,"bytes":[72,105]}]}]}""";
    JsonNode tree = Json.tree(text.getBytes(UTF_8));

    assertThat(JsonSizes.ofText(tree)).isBetween(text.length() * 2L / 3, text.length() * 3L / 2);
    assertThat(JsonSizes.characters(tree)).isEqualTo(4);
  }
}
