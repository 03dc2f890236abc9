package io.sluice.simulator.events;

import io.sluice.simulator.engine.StoredBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.util.List;
import java.util.OptionalLong;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePacker;

/** Encodes a batch of events as MessagePack: {@code [time, [events], data-parallel rank]}. */
final class EventEncoder {

  private static final String MEDIUM = "GPU";

  private final boolean maps;

  EventEncoder(KvEventsConfig.Encoding encoding) {
    maps = encoding == KvEventsConfig.Encoding.MAP;
  }

  byte[] encode(double timeSeconds, List<KvEvent> events) {
    try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
      packer.packArrayHeader(3).packDouble(timeSeconds).packArrayHeader(events.size());
      for (KvEvent event : events) {
        switch (event) {
          case KvEvent.Stored stored -> packStored(packer, stored.blocks());
          case KvEvent.Removed removed -> packRemoved(packer, removed.hash());
          case KvEvent.Cleared _ -> begin(packer, "AllBlocksCleared", 1);
        }
      }
      packer.packInt(0);
      return packer.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException("Writing MessagePack to memory failed.", e);
    }
  }

  private void packStored(MessagePacker packer, StoredBlocks blocks) throws IOException {
    begin(packer, "BlockStored", 8);
    name(packer, "block_hashes");
    packer.packArrayHeader(blocks.hashes().size());
    for (long hash : blocks.hashes()) {
      packer.packBigInteger(unsigned(hash));
    }
    name(packer, "parent_block_hash");
    OptionalLong parent = blocks.parent();
    if (parent.isPresent()) {
      packer.packBigInteger(unsigned(parent.getAsLong()));
    } else {
      packer.packNil();
    }
    name(packer, "token_ids");
    packer.packArrayHeader(blocks.tokenIds().size());
    for (int i = 0; i < blocks.tokenIds().size(); i++) {
      packer.packInt(blocks.tokenIds().get(i));
    }
    name(packer, "block_size");
    packer.packInt(blocks.blockTokens());
    name(packer, "lora_id");
    packer.packNil();
    name(packer, "medium");
    packer.packString(MEDIUM);
    name(packer, "lora_name");
    if (blocks.loraName().isEmpty()) {
      packer.packNil();
    } else {
      packer.packString(blocks.loraName());
    }
  }

  private void packRemoved(MessagePacker packer, long hash) throws IOException {
    begin(packer, "BlockRemoved", 3);
    name(packer, "block_hashes");
    packer.packArrayHeader(1).packBigInteger(unsigned(hash));
    name(packer, "medium");
    packer.packString(MEDIUM);
  }

  private void begin(MessagePacker packer, String type, int fields) throws IOException {
    if (maps) {
      packer.packMapHeader(fields).packString("type");
    } else {
      packer.packArrayHeader(fields);
    }
    packer.packString(type);
  }

  private void name(MessagePacker packer, String field) throws IOException {
    if (maps) {
      packer.packString(field);
    }
  }

  private static BigInteger unsigned(long hash) {
    return new BigInteger(Long.toUnsignedString(hash));
  }
}
