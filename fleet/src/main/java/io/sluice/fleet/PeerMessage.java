package io.sluice.fleet;

import io.sluice.common.protocol.Json;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * What a router tells the others of the workers that it has just sent something to. Numbers are
 * what it has there in all, so that a message that is lost is made up for by the next one, and one
 * that comes twice counts once.
 *
 * @param version of this form; another one is not read
 * @param router the name under which workers count its leases
 * @param workers each once
 */
public record PeerMessage(int version, String router, List<AtWorker> workers) {
  /** The form that this software writes and reads. */
  public static final int VERSION = 1;

  /** A message must say whose it is. */
  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public PeerMessage {
    if (version != VERSION) {
      throw new IllegalArgumentException("version " + version + " is not " + VERSION);
    }
    Objects.requireNonNull(router, "router is missing");
    workers = workers == null ? List.of() : List.copyOf(workers);
  }

  /** A message of this software's form. */
  public PeerMessage(String router, List<AtWorker> workers) {
    this(VERSION, router, workers);
  }

  /**
   * What the router has at one worker.
   *
   * @param incarnation of the worker; what is told of one says nothing of the next
   * @param leases requests that are with the worker or on their way there
   * @param contextTokens of these, prompts and expected outputs
   * @param promptTokens of those that have no token yet, what is not cached
   * @param tokensPerBlock of the blocks, as estimated
   * @param blocks chained hashes of prompts that the worker will have cached and that the router
   *     had not sent there before: 64-bit words, the highest byte first, in Base64
   */
  public record AtWorker(
      String worker,
      String incarnation,
      int leases,
      long contextTokens,
      long promptTokens,
      int tokensPerBlock,
      String blocks) {

    /** Numbers are brought within their bounds. */
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
     * The hashes in {@link #blocks}.
     *
     * @throws IllegalArgumentException if they are not Base64
     */
    public long[] hashes() {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(blocks));
      long[] hashes = new long[bytes.remaining() / Long.BYTES];
      bytes.asLongBuffer().get(hashes);
      return hashes;
    }

    /** Hashes as they stand in {@link #blocks}. */
    public static String encoded(long[] hashes) {
      ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
      bytes.asLongBuffer().put(hashes);
      return Base64.getEncoder().encodeToString(bytes.array());
    }
  }

  /** The message as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /**
   * Reads a message.
   *
   * @throws IllegalArgumentException if it is none
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
