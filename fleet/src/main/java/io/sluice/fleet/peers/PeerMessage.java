package io.sluice.fleet.peers;

import io.sluice.common.protocol.Json;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * What a router tells the other routers about the workers to which it has just sent requests. The
 * numbers are totals for the worker, so that the next message makes up for a lost one, and a
 * repeated message counts once.
 *
 * @param version the version of this format; other versions are not read
 * @param router the name under which workers count the router's leases
 * @param workers each worker once
 */
public record PeerMessage(int version, String router, List<AtWorker> workers) {
  /** The version that this software writes and reads. */
  public static final int VERSION = 1;

  /** A message must name its router. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public PeerMessage {
    if (version != VERSION) {
      throw new IllegalArgumentException("version " + version + " is not " + VERSION);
    }
    Objects.requireNonNull(router, "router is missing");
    workers = workers == null ? List.of() : List.copyOf(workers);
  }

  /** Creates a message of the current version. */
  public PeerMessage(String router, List<AtWorker> workers) {
    this(VERSION, router, workers);
  }

  /**
   * The requests of the router at one worker.
   *
   * @param incarnation the incarnation of the worker; the numbers do not apply to another one
   * @param leases requests that the worker has or that are being sent to it
   * @param contextTokens prompts and expected outputs of these requests
   * @param promptTokens uncached prompt tokens of those that have no token yet
   * @param tokensPerBlock the size of the blocks, as estimated
   * @param blocks chained hashes of prompts that the worker will have cached and that the router
   *     had not sent there before: 64-bit words, big-endian, in Base64
   */
  public record AtWorker(
      String worker,
      String incarnation,
      int leases,
      long contextTokens,
      long promptTokens,
      int tokensPerBlock,
      String blocks) {

    /** Limits the numbers to their valid ranges. */
    @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
    public AtWorker {
      Objects.requireNonNull(worker, "worker is missing");
      Objects.requireNonNull(incarnation, "incarnation is missing");
      leases = Math.max(0, leases);
      contextTokens = Math.max(0, contextTokens);
      promptTokens = Math.max(0, promptTokens);
      tokensPerBlock = Math.max(1, tokensPerBlock);
      blocks = blocks == null ? "" : blocks;
    }

    /**
     * Returns the hashes in {@link #blocks}.
     *
     * @throws IllegalArgumentException if they are not Base64
     */
    public long[] hashes() {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(blocks));
      long[] hashes = new long[bytes.remaining() / Long.BYTES];
      bytes.asLongBuffer().get(hashes);
      return hashes;
    }

    /** Encodes hashes as they stand in {@link #blocks}. */
    public static String encoded(long[] hashes) {
      ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
      bytes.asLongBuffer().put(hashes);
      return Base64.getEncoder().encodeToString(bytes.array());
    }
  }

  /** Returns the message as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /**
   * Parses a message.
   *
   * @throws IllegalArgumentException if the text is not a message
   */
  public static PeerMessage parse(String json) {
    PeerMessage message = Json.parse(json, PeerMessage.class, "router's message");
    try {
      message.workers().forEach(AtWorker::hashes);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("not a router's message: " + e.getMessage(), e);
    }
    return message;
  }
}
