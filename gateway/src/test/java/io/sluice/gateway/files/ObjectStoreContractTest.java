package io.sluice.gateway.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every {@link ObjectStore} promises. */
abstract class ObjectStoreContractTest {
  private ObjectStore store;

  /** Opens an empty storage. */
  abstract ObjectStore open() throws Exception;

  @BeforeEach
  void openEmpty() throws Exception {
    store = open();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void aValueIsReadAsItWasPut() {
    byte[] value = new byte[4 * 1024 * 1024];
    new Random(1).nextBytes(value);

    store.put("a/b", value);

    assertThat(store.get("a/b")).contains(value);
  }

  @Test
  void aSecondValueReplacesTheFirst() {
    store.put("key", bytes("first"));
    store.put("key", bytes("2nd"));

    assertThat(store.get("key")).contains(bytes("2nd"));
  }

  @Test
  void anUnknownKeyHasNoValue() {
    assertThat(store.get("none")).isEmpty();
    assertThat(store.get("none/of/these")).isEmpty();
  }

  @Test
  void keysAreListedInOrder() {
    for (String key : List.of("b/2", "a/x/1", "b/10", "c", "a/x-1", "a/x/0", "ab")) {
      store.put(key, bytes(key));
    }

    assertThat(store.list("")).containsExactly("a/x-1", "a/x/0", "a/x/1", "ab", "b/10", "b/2", "c");
    assertThat(store.list("a")).containsExactly("a/x-1", "a/x/0", "a/x/1", "ab");
    assertThat(store.list("a/x/")).containsExactly("a/x/0", "a/x/1");
    assertThat(store.list("b/1")).containsExactly("b/10");
    assertThat(store.list("d/")).isEmpty();
    assertThat(store.list("d/e/f")).isEmpty();
  }

  @Test
  void keysAreVisitedWithTheSizesOfTheirValues() {
    store.put("a/1", new byte[3]);
    store.put("a/2", new byte[5]);
    store.put("b", new byte[7]);

    Map<String, Long> sizes = new HashMap<>();
    store.visit("a/", sizes::put);

    assertThat(sizes).isEqualTo(Map.of("a/1", 3L, "a/2", 5L));
  }

  @Test
  void moreKeysAreListedThanOnePageHolds() {
    for (int i = 0; i < 25; i++) {
      store.put("many/%05d".formatted(i), new byte[1]);
    }

    assertThat(store.list("many/")).hasSize(25).isSorted();
  }

  @Test
  void aDeletedValueIsGone() {
    store.put("a/b", bytes("x"));
    store.put("a/c", bytes("y"));

    store.delete("a/b");
    store.delete("a/b");

    assertThat(store.get("a/b")).isEmpty();
    assertThat(store.list("a")).containsExactly("a/c");
  }

  @Test
  void aReaderSeesWholeValuesOnly() throws Exception {
    // Given
    int size = 300_000;
    store.put("key", new byte[size]);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (byte round = 1; !isOver.get(); round++) {
                    byte[] value = new byte[size];
                    Arrays.fill(value, round);
                    store.put("key", value);
                  }
                });

    // Then
    try {
      for (int i = 0; i < 30; i++) {
        byte[] value = store.get("key").orElseThrow();
        byte[] same = new byte[size];
        Arrays.fill(same, value[0]);
        assertThat(value).isEqualTo(same);
      }
    } finally {
      isOver.set(true);
      writer.join();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "/", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.b", "a\\b", "a\nb", "ä", "a b"
      })
  void anInvalidKeyIsRefused(String key) {
    assertThatThrownBy(() -> store.put(key, new byte[0]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.get(key)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(key)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "..", "../", "a/../", "a//"})
  void aTextWithWhichNoKeyBeginsIsRefused(String prefix) {
    assertThatThrownBy(() -> store.list(prefix)).isInstanceOf(IllegalArgumentException.class);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
