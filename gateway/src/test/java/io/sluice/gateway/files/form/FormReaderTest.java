package io.sluice.gateway.files.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

class FormReaderTest {
  private static final String BOUNDARY = "b0undary";

  /** A field as it was read. */
  private record Read(String name, Optional<String> filename, String value) {}

  @Property(tries = 300)
  void everyValueIsReadAsItWasSentHoweverItArrives(
      @ForAll @Size(max = 4) List<List<@IntRange(min = 0, max = 5) Integer>> values,
      @ForAll @IntRange(min = 1, max = 40) int step)
      throws IOException {
    // Given values that look like boundaries
    String[] pieces = {"\r\n--b0undar", "\r\n", "--", "\r", "x", "\n--b0unda"};
    List<String> sent =
        values.stream()
            .map(value -> value.stream().map(i -> pieces[i]).reduce("", String::concat))
            .toList();

    // When
    StringBuilder body = new StringBuilder();
    sent.forEach(value -> body.append(field("name=\"a\"", value)));
    List<Read> read = read(new Trickle(bytes(body + "--b0undary--\r\n"), step));

    // Then
    assertThat(read).extracting(Read::value).containsExactlyElementsOf(sent);
  }

  @Example
  void aLargeValueIsRead() throws IOException {
    String value = "0123456789\r\n".repeat(50_000);

    List<Read> read = read(stream(field("name=\"file\"; filename=\"f\"", value) + "--b0undary--"));

    assertThat(read).containsExactly(new Read("file", Optional.of("f"), value));
  }

  @Example
  void aValueThatIsNotReadIsSkipped() throws IOException {
    FormReader form =
        new FormReader(
            stream(field("name=a", "long") + field("name=b", "2") + "--b0undary--"), BOUNDARY);

    FormPart first = form.next().orElseThrow();
    assertThat(first.body().read()).isEqualTo('l');
    FormPart second = form.next().orElseThrow();

    assertThat(second.name()).isEqualTo("b");
    assertThat(second.body().readAllBytes()).isEqualTo(bytes("2"));
    assertThatThrownBy(() -> first.body().read()).isInstanceOf(IOException.class);
    assertThat(form.next()).isEmpty();
    assertThat(form.next()).isEmpty();
  }

  @Example
  void namesAreReadInEveryForm() throws IOException {
    assertThat(filename("filename=\"../../etc/passwd\"")).contains("../../etc/passwd");
    assertThat(filename("filename=\"räksmörgås 🦐.jsonl\"")).contains("räksmörgås 🦐.jsonl");
    assertThat(filename("filename=\"a\\\"b%22c;d.txt\"")).contains("a\"b\"c;d.txt");
    assertThat(filename("filename=\"C:\\dir\\a.txt\"")).contains("C:\\dir\\a.txt");
    assertThat(filename("filename=\"a%0D%0Ab\"")).contains("a\r\nb");
    assertThat(filename("filename=plain.txt")).contains("plain.txt");
    assertThat(filename("filename=\"x\"; filename*=UTF-8''na%C3%AFve%20+.txt"))
        .contains("naïve +.txt");
    assertThat(filename("filename=\"\"")).contains("");
    assertThat(filename("other=\"x\"")).isEmpty();
  }

  @Example
  void textAroundTheFormIsIgnored() throws IOException {
    assertThat(read(stream("preamble\r\n" + field("name=a", "1") + "--b0undary-- epilogue")))
        .containsExactly(new Read("a", Optional.empty(), "1"));
    assertThat(read(stream("--b0undary--"))).isEmpty();
  }

  @Example
  void aBodyThatIsNotAFormIsRefused() {
    refused("", "ends before the last boundary");
    refused("garbage", "ends before the last boundary");
    refused("x".repeat(100_000), "does not begin with the boundary");
    refused(field("name=a", "1"), "ends before the last boundary");
    refused(field("name=a", "1") + "--b0undary-", "ends before the last boundary");
    refused("--b0undary\r\nContent-Disposition: form-data; na", "ends before");
    refused("--b0undaryX\r\n", "not followed by a line break");
    refused("--b0undary\n\n", "not followed by a line break");
    refused("--b0undary\r\n\r\nvalue\r\n--b0undary--", "has no name");
    refused(field("filename=\"x\"", "1") + "--b0undary--", "has no name");
    refused("--b0undary\r\nno colon\r\n\r\n", "headers of a field");
    refused("--b0undary\r\nContent-Disposition: form-data; name=\"a\nb\"\r\n", "headers");
    refused("--b0undary\r\nX: " + "y".repeat(10_000), "headers of a field");
    refused("--b0undary\r\n" + "X: y\r\n".repeat(10_000), "headers of a field");
    refused(
        "--b0undary\r\nContent-Transfer-Encoding: base64\r\n" + "\r\n", "base64 is not supported");
    refused(field("name=a", "").repeat(65) + "--b0undary--", "more than 64 fields");
  }

  @Example
  void theBoundaryIsThatOfTheContentType() throws Exception {
    assertThat(Boundary.of("multipart/form-data; boundary=abc")).isEqualTo("abc");
    assertThat(Boundary.of("Multipart/Form-Data;charset=utf-8; Boundary=\"a b\"; x=y"))
        .isEqualTo("a b");
    for (String wrong :
        new String[] {
          "application/json",
          "multipart/mixed; boundary=abc",
          "multipart/form-data",
          "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"\"",
          "multipart/form-data; boundary=" + "x".repeat(71)
        }) {
      assertThatThrownBy(() -> Boundary.of(wrong)).isInstanceOf(FormException.class);
    }
    assertThatThrownBy(() -> Boundary.of(null)).isInstanceOf(FormException.class);
  }

  private static Optional<String> filename(String parameter) throws IOException {
    return read(stream(field("name=\"file\"; " + parameter, "x") + "--b0undary--"))
        .getFirst()
        .filename();
  }

  private static void refused(String body, String message) {
    ThrowingCallable reading = () -> read(stream(body));
    assertThatThrownBy(reading).isInstanceOf(FormException.class).hasMessageContaining(message);
  }

  private static String field(String parameters, String value) {
    return "--b0undary\r\ncontent-type: text/plain\r\nContent-Disposition: form-data; "
        + parameters
        + "\r\n\r\n"
        + value
        + "\r\n";
  }

  private static List<Read> read(InputStream body) throws IOException {
    FormReader form = new FormReader(body, BOUNDARY);
    List<Read> read = new ArrayList<>();
    for (Optional<FormPart> part = form.next(); part.isPresent(); part = form.next()) {
      byte[] value = part.get().body().readAllBytes();
      read.add(
          new Read(
              part.get().name(), part.get().filename(), new String(value, StandardCharsets.UTF_8)));
    }
    return read;
  }

  private static InputStream stream(String body) {
    return new ByteArrayInputStream(bytes(body));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns at most so many bytes at a time. */
  private static final class Trickle extends ByteArrayInputStream {
    private final int step;

    Trickle(byte[] bytes, int step) {
      super(bytes);
      this.step = step;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) {
      return super.read(target, offset, Math.min(length, step));
    }
  }
}
