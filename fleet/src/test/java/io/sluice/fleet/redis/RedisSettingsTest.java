package io.sluice.fleet.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisWrongPasswordException;

class RedisSettingsTest {

  @Test
  void aPasswordIsTheFileWithoutItsLineBreak(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "se cret\n");

    assertThat(RedisPassword.parse(file.toString()).text()).contains("se cret");
    assertThat(RedisPassword.parse(file.toString()).toString()).doesNotContain("cret");
  }

  @Test
  void filesThatHoldNothingAreRefused(@TempDir Path folder) throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    Path text = Files.writeString(folder.resolve("text"), "no certificate");
    String missing = folder.resolve("missing").toString();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisPassword.parse(empty.toString()))
        .withMessage("the file is empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisPassword.parse(missing))
        .withMessage("there is no such file");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedCertificates.parse(text.toString()))
        .withMessage("the file holds no certificate in PEM");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TrustedCertificates.parse(missing))
        .withMessage("there is no such file");
  }

  @Test
  void twoPasswordsAreRefused() {
    RedisSettings settings =
        new RedisSettings(
            "redis://:one@redis:6379",
            new RedisPassword(Optional.of("two")),
            TrustedCertificates.OF_JVM);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisConnection.open(settings))
        .withMessageContaining("two passwords")
        .withMessageNotContaining("one@");
  }

  @ParameterizedTest
  @CsvSource({
    "redis://a:1, the default user without a password",
    "redis://:pw@a:1, the default user with the password of the URL",
    "redis://me:pw@a:1/3, the user 'me' with the password of the URL",
    "redis://me@a:1, the user 'me' without a password"
  })
  void aRefusalSaysWhoWasRefusedWithoutThePassword(String uri, String who) {
    var cause = new RedisWrongPasswordException("WRONGPASS invalid username-password pair");

    assertThat(RedisRefusal.of(new RedisConnectionException("x", cause), RedisSettings.of(uri)))
        .hasValueSatisfying(
            refusal ->
                assertThat(refusal)
                    .contains("Redis at redis://a:1", "refused " + who + ": WRONGPASS")
                    .doesNotContain("pw"));
  }

  @Test
  void onlyWhatDoesNotPassByItselfIsARefusal() {
    RedisSettings settings = RedisSettings.of("rediss://a:1");
    var untrusted = new SSLHandshakeException("PKIX path building failed");

    assertThat(RedisRefusal.of(new RedisConnectionException("x", untrusted), settings))
        .hasValueSatisfying(refusal -> assertThat(refusal).contains("--redis-ca"));
    assertThat(RedisRefusal.of(new RedisConnectionException("refused"), settings)).isEmpty();
  }
}
