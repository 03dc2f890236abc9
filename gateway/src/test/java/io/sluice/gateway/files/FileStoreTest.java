package io.sluice.gateway.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.files.StoredFile.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileStoreTest {
  private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @TempDir private Path folder;
  private ObjectStore objects;
  private FileStore files;

  @BeforeEach
  void open() {
    objects = FolderStore.open(folder);
    files = at(NOW);
  }

  @Test
  void aFinishedFileIsFoundByItsTenantOnly() {
    // Given
    StoredFile file = stored("acme", Optional.empty(), 3, 2);

    // Then
    assertThat(files.find(file.id(), "acme")).contains(file);
    assertThat(files.ids("acme")).containsExactly(file.id());
    assertThat(files.usage("acme")).isEqualTo(new FileStore.Usage(1, file.bytes()));
    assertThat(files.find(file.id(), "other")).isEmpty();
    assertThat(files.ids("other")).isEmpty();
    assertThat(file.bytes()).isEqualTo(5);
  }

  @Test
  void aFileWithoutItsDescriptionDoesNotExist() {
    // When
    String id = files.newId();
    files.putPart(id, "acme", "00000000", new byte[1]);

    // Then
    assertThat(files.find(id, "acme")).isEmpty();
    assertThat(files.ids("acme")).isEmpty();
  }

  @Test
  void aFileIsGoneWhenItExpires() {
    // When
    StoredFile file = stored("acme", Optional.of(NOW.plusSeconds(10)), 1);

    // Then
    assertThat(at(NOW.plusSeconds(9)).find(file.id(), "acme")).isPresent();
    assertThat(at(NOW.plusSeconds(10)).find(file.id(), "acme")).isEmpty();
    assertThat(files.usage("acme")).isEqualTo(new FileStore.Usage(1, 1));
    assertThat(sweepAt(NOW.plusSeconds(10))).isEqualTo(1);
    assertThat(files.usage("acme")).isEqualTo(new FileStore.Usage(0, 0));
  }

  @Test
  void aFileIsReadFromEveryByte() throws Exception {
    // Given
    StoredFile file = stored("acme", Optional.empty(), 3, 1, 4);
    byte[] whole = {0, 1, 2, 0, 0, 1, 2, 3};

    // Then
    for (int from = 0; from <= whole.length; from++) {
      byte[] rest = Arrays.copyOfRange(whole, from, whole.length);
      try (InputStream bulk = files.open(file, from);
          InputStream single = files.open(file, from)) {
        assertThat(bulk.readAllBytes()).isEqualTo(rest);
        for (byte expected : rest) {
          assertThat(single.read()).isEqualTo(expected);
        }
        assertThat(single.read()).isEqualTo(-1);
      }
    }
    assertThatThrownBy(() -> files.open(file, 9)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void anEmptyFileHasNoBytes() throws Exception {
    StoredFile file = stored("acme", Optional.empty());

    try (InputStream content = files.open(file, 0)) {
      assertThat(content.readAllBytes()).isEmpty();
    }
  }

  @Test
  void aReaderOfADeletedFileIsTold() throws Exception {
    // Given
    StoredFile file = stored("acme", Optional.empty(), 1, 1);
    try (InputStream content = files.open(file, 0)) {
      assertThat(content.read()).isZero();

      // When
      files.delete(file.id(), "acme");

      // Then
      assertThatThrownBy(content::read)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("was deleted");
    }
  }

  @Test
  void deletionLeavesNothing() {
    // Given
    StoredFile file = stored("acme", Optional.empty(), 1, 1);
    StoredFile other = stored("acme", Optional.empty(), 1);

    // When
    files.delete(file.id(), "acme");
    files.delete(file.id(), "acme");
    files.delete(other.id(), "another tenant");

    // Then
    assertThat(files.ids("acme")).containsExactly(other.id());
    assertThat(objects.list("files/")).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "file-", "x", "file-a/b", "file-..", "file-a\n", "file-é", "../meta"})
  void anInvalidIdIsNotFound(String id) {
    assertThat(files.find(id, "acme")).isEmpty();
    files.delete(id, "acme");
    assertThatThrownBy(() -> files.putPart(id, "acme", "00000000", new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aWriterCutsAFileIntoParts() throws Exception {
    // Given
    byte[] bytes = new byte[2 * FileStore.PART_BYTES + 5];
    new Random(1).nextBytes(bytes);
    String id = files.newId();
    PartWriter writer = new PartWriter(files, id, "acme");

    // When
    int chunk = 300_001;
    for (int at = 0; at < bytes.length; at += chunk) {
      writer.write(bytes, at, Math.min(chunk, bytes.length - at));
    }
    StoredFile file = files.finish(meta(id, "acme", Optional.empty(), writer.finish()));

    // Then
    assertThat(writer.written()).isEqualTo(bytes.length);
    assertThat(file.parts().stream().map(Part::bytes))
        .containsExactly(FileStore.PART_BYTES, FileStore.PART_BYTES, 5);
    try (InputStream content = files.open(file, 0)) {
      assertThat(content.readAllBytes()).isEqualTo(bytes);
    }
  }

  @Test
  void theSweeperRemovesWhatHasExpiredOrWasAbandoned() {
    // Given
    StoredFile expiring = stored("acme", Optional.of(NOW.plusSeconds(10)), 1);
    StoredFile staying = stored("acme", Optional.empty(), 1);
    String unfinished = files.newId();
    files.putPart(unfinished, "other", "00000000", new byte[1]);

    // Then
    assertThat(sweepAt(NOW.plusSeconds(9))).isZero();
    assertThat(sweepAt(NOW.plusSeconds(10))).isEqualTo(1);
    assertThat(sweepAt(NOW.plus(Duration.ofDays(31)).minusSeconds(10))).isZero();
    assertThat(sweepAt(NOW.plus(Duration.ofDays(31)).plusSeconds(60))).isEqualTo(1);
    assertThat(files.ids("acme")).containsExactly(staying.id()).doesNotContain(expiring.id());
    assertThat(objects.list("files/")).hasSize(2);
  }

  private int sweepAt(Instant now) {
    return new Sweeper(objects, at(now), Clock.fixed(now, ZoneOffset.UTC)).sweep();
  }

  @Test
  void idsSortByTheirTime() throws Exception {
    // When
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(files.newId());
      Thread.sleep(2);
    }

    // Then
    assertThat(ids).isSorted().allMatch(FileId::isValid);
    assertThat(FileId.timeOf(ids.getFirst())).isPresent();
  }

  @Test
  void aFileWhosePartsMayBeGoneIsNotFinished() {
    // Given
    String id = files.newId();
    FileStore later = at(NOW.plus(Duration.ofDays(31)));

    // Then
    assertThatThrownBy(() -> later.finish(meta(id, "acme", Optional.empty(), List.of())))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("too long ago");
  }

  private FileStore at(Instant now) {
    return new FileStore(objects, Clock.fixed(now, ZoneOffset.UTC));
  }

  private StoredFile stored(String tenant, Optional<Instant> expiresAt, Integer... sizes) {
    String id = files.newId();
    List<Part> parts = new ArrayList<>();
    for (int index = 0; index < sizes.length; index++) {
      Part part = Part.of(index, sizes[index]);
      parts.add(part);
      byte[] bytes = new byte[part.bytes()];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) i;
      }
      files.putPart(id, tenant, part.name(), bytes);
    }
    return files.finish(meta(id, tenant, expiresAt, parts));
  }

  private static StoredFile meta(
      String id, String tenant, Optional<Instant> expiresAt, List<Part> parts) {
    return new StoredFile(id, tenant, "name.jsonl", "batch", NOW, expiresAt, parts);
  }
}
