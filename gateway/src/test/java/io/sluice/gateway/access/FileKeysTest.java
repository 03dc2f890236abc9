package io.sluice.gateway.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.common.protocol.Priority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileKeysTest {
  private static final long SECOND = 1_000_000_000;
  private static final Duration MAX_AGE = Duration.ofHours(1);

  @TempDir private Path folder;
  private Path file;
  private FileKeys keys;
  private final String secret = ApiKey.newSecret(new SecureRandom());
  private final AtomicLong now = new AtomicLong();

  @BeforeEach
  void open() {
    file = folder.resolve("keys");
    keys = new FileKeys(file);
  }

  @Test
  void aKeyIsReadAsItWasWrittenAndItsSecretIsNotThere() throws IOException {
    // When
    keys.add(key(secret));

    // Then
    assertThat(keys.all()).containsExactly(key(secret));
    assertThat(Files.readString(file)).doesNotContain(secret);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw-rw-r--", "rw-------"})
  void whoCouldReadTheFileCanAfterAChange(String permissions) throws IOException {
    // Given
    keys.add(key(secret));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

    // When
    assertThat(keys.remove(key(secret).id())).isTrue();

    // Then
    assertThat(keys.all()).isEmpty();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo(permissions);
  }

  @Test
  void theFileKeepsItsOwnerAndItsGroup() throws IOException {
    // Given a file of a gateway's user, which root changes
    assumeThat(Files.getAttribute(folder, "unix:uid")).isEqualTo(0);
    keys.add(key(secret));
    Files.setAttribute(file, "unix:gid", 54_322);
    Files.setAttribute(file, "unix:uid", 54_321);

    // When
    assertThat(keys.remove(key(secret).id())).isTrue();

    // Then
    assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(54_321);
    assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(54_322);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void aLinkStaysALink() throws IOException {
    // Given
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere")).resolve("real");
    new FileKeys(elsewhere).add(key(secret));
    Files.createSymbolicLink(file, elsewhere);

    // When
    assertThat(keys.remove(key(secret).id())).isTrue();

    // Then
    assertThat(file).isSymbolicLink();
    assertThat(Files.readString(elsewhere)).isEmpty();
    assertThat(folder.resolve("keys.next")).doesNotExist();
  }

  @Test
  void onlyTheWholeSecretOpens() throws IOException {
    // Given
    keys.add(key(secret));
    KeyRing ring = ring();

    // Then
    assertThat(ring.find(secret)).contains(key(secret));
    assertThat(ring.find(secret.substring(0, secret.length() - 1) + "_")).isEmpty();
    assertThat(ring.find(ApiKey.newSecret(new SecureRandom()))).isEmpty();
    assertThat(ring.find(ApiKey.hash(secret))).isEmpty();
    assertThat(ring.find("")).isEmpty();
  }

  @Test
  void aMissingFileDiffersFromAFileWithoutKeys() throws IOException {
    // Given
    assertThatThrownBy(keys::all)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not exist; ./sluice keys create --keys file:");
    keys.add(key(secret));
    KeyRing ring = ring();

    // When
    Files.delete(file);
    now.addAndGet(SECOND);

    // Then
    assertThat(ring.find(secret)).isPresent();
  }

  @Test
  void aRevokedKeyOpensNothingAfterASecond() throws IOException {
    // Given
    keys.add(key(secret));
    KeyRing ring = ring();

    // When
    assertThat(keys.remove(key(secret).id())).isTrue();
    assertThat(keys.remove(key(secret).id())).isFalse();

    // Then
    assertThat(ring.find(secret)).isPresent();
    now.addAndGet(SECOND);
    assertThat(ring.find(secret)).isEmpty();
  }

  @Test
  void aFileThatCannotBeReadLeavesTheKeysInUse() throws IOException {
    // Given
    keys.add(key(secret));
    KeyRing ring = ring();

    // When
    Files.writeString(file, "sk-garbage\n");
    now.addAndGet(SECOND);

    // Then
    assertThat(ring.find(secret)).isPresent();
    assertThatThrownBy(this::ring)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line 1 of " + file)
        .hasMessageNotContaining("garbage");
  }

  @Test
  void keysThatCannotBeReadForTooLongAreOutdatedUntilTheyCan() throws IOException {
    // Given
    keys.add(key(secret));
    KeyRing ring = ring();
    String readable = Files.readString(file);
    Files.writeString(file, "sk-garbage\n");

    // Then
    now.addAndGet(MAX_AGE.toNanos() - SECOND);
    assertThat(ring.find(secret)).isPresent();
    assertThat(ring.isOutdated()).isFalse();
    now.addAndGet(SECOND);
    assertThat(ring.find(secret)).isPresent();
    assertThat(ring.isOutdated()).isTrue();

    // When
    Files.writeString(file, readable);
    now.addAndGet(SECOND);

    // Then
    assertThat(ring.find(secret)).isPresent();
    assertThat(ring.isOutdated()).isFalse();
  }

  @Test
  void unusedKeysAreReadBeforeTheyCountAsOutdated() throws IOException {
    // Given
    keys.add(key(secret));
    KeyRing ring = ring();

    // When
    now.addAndGet(2 * MAX_AGE.toNanos());

    // Then
    assertThat(ring.find(secret)).isPresent();
    assertThat(ring.isOutdated()).isFalse();
  }

  @Test
  void keysOfAnOlderVersionHaveNoLimitsThatItDidNotKnow() {
    // When
    ApiKey key = ApiKey.parse("{\"id\":\"a\",\"hash\":\"b\",\"tenant\":\"t\",\"limits\":{}}");

    // Then
    assertThat(key.limits().models()).isEmpty();
    assertThat(key.limits().maxPriority()).isEmpty();
  }

  private KeyRing ring() throws IOException {
    return new KeyRing(keys, MAX_AGE, now::get);
  }

  private static ApiKey key(String secret) {
    return new ApiKey(
        ApiKey.idIn(secret).orElseThrow(),
        ApiKey.hash(secret),
        "acme",
        Optional.of("a test"),
        "2026-11-25T00:00:00Z",
        new KeyLimits(
            OptionalLong.of(5),
            OptionalLong.empty(),
            OptionalInt.of(2),
            List.of("m"),
            List.of(),
            Optional.of(Priority.INTERACTIVE)));
  }
}
