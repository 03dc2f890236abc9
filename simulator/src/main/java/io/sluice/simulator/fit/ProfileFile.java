package io.sluice.simulator.fit;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.simulator.engine.timing.GpuProfile;
import io.sluice.simulator.engine.timing.GpuProfileBuilder;
import io.sluice.simulator.engine.timing.StepCost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Profiles as JSON files. docs/simulator.md describes their fields and units. */
public final class ProfileFile {

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private ProfileFile() {}

  /**
   * Returns a built-in profile or the profile in a file.
   *
   * @param nameOrFile a name or file such as {@code rtx4090} or {@code mine.json}
   * @throws IllegalArgumentException if it is neither, or the file is not a profile; the message
   *     says what to do
   */
  public static GpuProfile named(String nameOrFile) {
    return GpuProfile.find(nameOrFile)
        .orElseGet(
            () -> {
              if (!Files.isRegularFile(Path.of(nameOrFile))) {
                throw new IllegalArgumentException(
                    "Unknown GPU profile '%s'; use one of %s, or a file that 'simulator fit' wrote."
                        .formatted(nameOrFile, String.join(", ", GpuProfile.names())));
              }
              return read(Path.of(nameOrFile));
            });
  }

  /**
   * Reads a profile.
   *
   * @throws IllegalArgumentException if the file cannot be read or is not a profile; the message
   *     names the file and the field and says what to do
   */
  public static GpuProfile read(Path file) {
    try {
      JsonNode json = JSON.readTree(Files.readString(file));
      return GpuProfileBuilder.builder()
          .wireName(name(file))
          .cost(
              new StepCost(
                  number(json, "/step_ms/base"),
                  number(json, "/step_ms/prefill_token"),
                  number(json, "/step_ms/prefill_kv_token"),
                  number(json, "/step_ms/decode_sequence"),
                  number(json, "/step_ms/kv_token"),
                  number(json, "/step_ms/front_end_token")))
          .requestMillis(number(json, "/request_ms"))
          .bytesPerParameter(1)
          .kvBlocks(whole(json, "/kv_cache/blocks"))
          .blockTokens(whole(json, "/kv_cache/block_size"))
          .maxNumBatchedTokens(whole(json, "/limits/max_num_batched_tokens"))
          .maxNumSeqs(whole(json, "/limits/max_num_seqs"))
          .maxModelLen(whole(json, "/limits/max_model_len"))
          .noiseSigma(number(json, "/noise"))
          .measured(true)
          .build();
    } catch (JsonProcessingException e) {
      throw unusable(file, "it is not JSON (" + e.getOriginalMessage() + ")", e);
    } catch (IOException e) {
      throw unusable(file, "it cannot be read (" + e + ")", e);
    } catch (IllegalArgumentException e) {
      throw unusable(file, String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Writes a profile.
   *
   * @param origin the origin of the profile, as information for readers of the file
   * @throws UncheckedIOException if the file cannot be written
   */
  public static void write(Path file, GpuProfile profile, Map<String, String> origin) {
    ObjectNode json = JSON.createObjectNode();
    ObjectNode measured = json.putObject("measured");
    origin.forEach(measured::put);
    json.putObject("step_ms")
        .put("base", rounded(profile.cost().baseMillis()))
        .put("prefill_token", rounded(profile.cost().prefillTokenMillis()))
        .put("prefill_kv_token", rounded(profile.cost().prefillKvTokenMillis()))
        .put("decode_sequence", rounded(profile.cost().decodeSequenceMillis()))
        .put("kv_token", rounded(profile.cost().kvTokenMillis()))
        .put("front_end_token", rounded(profile.cost().frontEndTokenMillis()));
    json.put("request_ms", rounded(profile.requestMillis()));
    json.put("noise", rounded(profile.noiseSigma()));
    json.putObject("kv_cache")
        .put("blocks", profile.kvBlocks())
        .put("block_size", profile.blockTokens());
    json.putObject("limits")
        .put("max_model_len", profile.maxModelLen())
        .put("max_num_seqs", profile.maxNumSeqs())
        .put("max_num_batched_tokens", profile.maxNumBatchedTokens());
    try {
      Files.writeString(
          file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("The profile cannot be written: " + e, e);
    }
  }

  /** Returns the name of the profile in a file: the file name without its extension. */
  public static String name(Path file) {
    return String.valueOf(file.getFileName()).replaceFirst("\\.[^.]*$", "");
  }

  /** Rounds to four significant digits; no measurement is more precise. */
  private static BigDecimal rounded(double value) {
    return BigDecimal.valueOf(value).round(new MathContext(4));
  }

  private static double number(JsonNode json, String pointer) {
    JsonNode value = json.at(pointer);
    if (!value.isNumber()) {
      throw new IllegalArgumentException(field(pointer) + " is not a number");
    }
    return value.asDouble();
  }

  private static int whole(JsonNode json, String pointer) {
    JsonNode value = json.at(pointer);
    if (!value.canConvertToInt() || !value.isIntegralNumber()) {
      throw new IllegalArgumentException(field(pointer) + " is not a whole number");
    }
    return value.asInt();
  }

  private static String field(String pointer) {
    return pointer.substring(1).replace('/', '.');
  }

  private static IllegalArgumentException unusable(Path file, String why, Exception cause) {
    return new IllegalArgumentException(
        "%s is not a profile: %s. Create one with 'simulator fit --engine URL -o FILE', or correct it as described in docs/simulator.md."
            .formatted(file, why.replaceFirst("\\.$", "")),
        cause);
  }
}
