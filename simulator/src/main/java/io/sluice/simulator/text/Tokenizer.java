package io.sluice.simulator.text;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingResult;
import com.knuddels.jtokkit.api.EncodingType;
import com.knuddels.jtokkit.api.IntArrayList;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Byte-pair encoding with the cl100k_base vocabulary and the ChatML markers as special tokens.
 *
 * <p>Special tokens that are written out in a text are recognized, as in Hugging Face tokenizers,
 * so that {@code decode(encode(text))} is always the text. Immutable and thread-safe. The
 * vocabulary takes tens of megabytes, so that all engines of a process should share one instance.
 */
public final class Tokenizer {

  /** One more than the largest token id. */
  public static final int VOCABULARY_SIZE = 100_277;

  /** The end-of-text token: the model's EOS. */
  public static final int END_OF_TEXT = 100_257;

  private static final int FIRST_SPECIAL = 100_256;

  private record Special(String text, int id) {}

  private static final List<Special> SPECIALS =
      List.of(
          new Special("<|endoftext|>", END_OF_TEXT),
          new Special(ChatTemplate.TURN_START, 100_264),
          new Special(ChatTemplate.TURN_END, 100_265));

  /**
   * The result of encoding with a limit.
   *
   * @param ids the tokens, at most as many as the limit
   * @param truncated whether the text had more tokens than the limit
   */
  public record Encoded(TokenIds ids, boolean truncated) {}

  private final Encoding encoding;

  /** Loads the vocabulary from the class path. */
  public Tokenizer() {
    encoding = Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.CL100K_BASE);
  }

  /** Encodes a whole text. */
  public TokenIds encode(String text) {
    return encode(text, Integer.MAX_VALUE).ids();
  }

  /** Encodes a text until it ends or has more than {@code maxTokens} tokens. */
  public Encoded encode(String given, int maxTokens) {
    String text = wellFormed(given);
    IntArrayList ids = new IntArrayList();
    int from = 0;
    while (from < text.length()) {
      @Nullable Special special = null;
      int at = text.indexOf("<|", from);
      while (at >= 0 && (special = specialAt(text, at)) == null) {
        at = text.indexOf("<|", at + 1);
      }
      int end = special == null ? text.length() : at;
      if (end > from && encodeOrdinary(text.substring(from, end), maxTokens - ids.size(), ids)) {
        return new Encoded(TokenIds.of(ids.toArray()), true);
      }
      from = end;
      if (special != null) {
        if (ids.size() >= maxTokens) {
          return new Encoded(TokenIds.of(ids.toArray()), true);
        }
        ids.add(special.id());
        from += special.text().length();
      }
    }
    return new Encoded(TokenIds.of(ids.toArray()), false);
  }

  /** Returns whether a token id is in the range of the vocabulary. */
  public boolean contains(int id) {
    return id >= 0 && id < VOCABULARY_SIZE;
  }

  /** Returns the UTF-8 bytes of one token; empty for an id without text. */
  public byte[] bytes(int id) {
    if (id < FIRST_SPECIAL) {
      IntArrayList one = new IntArrayList(1);
      one.add(id);
      return encoding.decodeBytes(one);
    }
    for (Special special : SPECIALS) {
      if (special.id() == id) {
        return special.text().getBytes(StandardCharsets.UTF_8);
      }
    }
    return new byte[0];
  }

  /** Returns the UTF-8 bytes of a sequence of tokens, which may end inside a character. */
  public byte[] bytes(TokenIds ids) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(ids.size() * 5);
    for (int i = 0; i < ids.size(); i++) {
      out.writeBytes(bytes(ids.get(i)));
    }
    return out.toByteArray();
  }

  /** Returns the text of a sequence of tokens. Invalid UTF-8 becomes U+FFFD. */
  public String decode(TokenIds ids) {
    return new String(bytes(ids), StandardCharsets.UTF_8);
  }

  /**
   * Encodes arbitrary bytes, even if they start inside a character, as tokens with exactly these
   * bytes.
   */
  TokenIds encodeBytes(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (Arrays.equals(text.getBytes(StandardCharsets.UTF_8), bytes)) {
      return encodeOrdinary(text);
    }
    int[] ids = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      ids[i] = byteToken(bytes[i] & 0xFF);
    }
    return TokenIds.of(ids);
  }

  /** Encodes a text without special tokens. */
  TokenIds encodeOrdinary(String text) {
    return TokenIds.of(encoding.encodeOrdinary(text).toArray());
  }

  /** The first 256 ranks are the single bytes in the order of GPT-2's printable-byte table. */
  private static int byteToken(int value) {
    if (value >= 0x21 && value <= 0x7E) {
      return value - 0x21;
    }
    if (value >= 0xA1 && value <= 0xAC) {
      return value - 0xA1 + 94;
    }
    if (value >= 0xAE) {
      return value - 0xAE + 106;
    }
    if (value <= 0x20) {
      return value + 188;
    }
    return value == 0xAD ? 255 : value - 0x7F + 221;
  }

  /**
   * Replaces lone surrogates, which JSON can contain, by question marks, since they have no UTF-8.
   */
  private static String wellFormed(String text) {
    boolean broken = text.codePoints().anyMatch(point -> point >= 0xD800 && point <= 0xDFFF);
    return broken
        ? new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)
        : text;
  }

  private static @Nullable Special specialAt(String text, int at) {
    for (Special special : SPECIALS) {
      if (text.startsWith(special.text(), at)) {
        return special;
      }
    }
    return null;
  }

  private boolean encodeOrdinary(String text, int room, IntArrayList into) {
    if (room <= 0) {
      return true;
    }
    if (room >= text.length() * 4L) {
      addAll(encoding.encodeOrdinary(text), into);
      return false;
    }
    EncodingResult result = encoding.encodeOrdinary(text, room);
    addAll(result.getTokens(), into);
    return result.isTruncated();
  }

  private static void addAll(IntArrayList from, IntArrayList into) {
    for (int i = 0; i < from.size(); i++) {
      into.add(from.get(i));
    }
  }
}
