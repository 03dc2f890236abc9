package io.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.FailureCode;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/protocol.md tells what each code means. */
class ProtocolDocsTest {
  private final String page = read();

  @ParameterizedTest
  @EnumSource
  void everyCodeOfAFailedAttemptIsListedWithItsBlameAndCharge(FailureCode code) {
    Matcher row = row(code.name(), 3);
    String blamed =
        switch (code.blame()) {
          case ENGINE -> "engine";
          case POOL -> "pool";
          case NONE -> "";
        };
    String charged =
        switch (code.charge()) {
          case FAILURE -> "a failure";
          case SCAN -> "a scan";
          case DEATH -> "a death";
          case NOTHING -> "nothing";
        };

    assertThat(row.group(2).strip()).isEqualTo(blamed);
    assertThat(row.group(3).strip()).startsWith(charged);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"QUOTA_EXCEEDED", "UNAVAILABLE"})
  void everyErrorThatThePoolTellsIsListedWithItsStatus(ErrorKind kind) {
    assertThat(page).contains("| `%s` | %d |".formatted(kind.code(), kind.status()));
  }

  @ParameterizedTest
  @EnumSource
  void everyHeaderOfAReplyRecordIsListed(ReplyKind kind) {
    Optional<String> text = Optional.of("x");
    Headers headers = new RecordHeaders();
    ReplyHeadersBuilder.builder(ReplyHeaders.of("r", kind, 1, "a", 0).ofTenant("acme"))
        .fallback(true)
        .tokenIds(text)
        .worker(text)
        .model(text)
        .latencyMillis(OptionalLong.of(1))
        .notes(new TokenNotes(OptionalInt.of(1), text, text))
        .build()
        .writeTo(headers);
    String table =
        page.substring(page.indexOf("## Reply records"), page.indexOf("### The reading"));

    assertThat(headers)
        .extracting(Header::key)
        .filteredOn(name -> !name.equals(HeaderNames.VERSION))
        .allSatisfy(
            name -> assertThat(table).containsPattern("(?m)^\\|[^|]*`" + name + "`[^|]*\\|"));
  }

  /** Returns the cells behind the one that names a code, possibly among others. */
  private Matcher row(String code, int cells) {
    String name = "`" + code.toLowerCase(Locale.ROOT) + "`";
    Matcher row =
        Pattern.compile(
                "^\\|[^|]*" + Pattern.quote(name) + "[^|]*" + "\\|([^|]*)".repeat(cells) + "\\|$",
                Pattern.MULTILINE)
            .matcher(page);
    assertThat(row.find()).as("a row for " + name).isTrue();
    return row;
  }

  private static String read() {
    try {
      return Files.readString(Path.of("..", "docs", "protocol.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
