package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenIdTextTest {

  @Property
  void idsAreReadBackAsTheyWereWritten(
      @ForAll @NotEmpty List<@IntRange(max = Integer.MAX_VALUE) Integer> ids) {
    assertThat(TokenIdText.write(ids).flatMap(TokenIdText::read)).contains(ids);
  }

  @Test
  void noIdsAreNoHeader() {
    assertThat(TokenIdText.write(List.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",", "1,", "-1", "1,,2", "1 2", "x", "4294967295", "99999999999"})
  void aValueThatIsNotAListOfIdsIsNotGuessedAt(String text) {
    assertThat(TokenIdText.read(text)).isEmpty();
  }
}
