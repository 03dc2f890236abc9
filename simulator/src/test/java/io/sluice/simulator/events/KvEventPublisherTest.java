package io.sluice.simulator.events;

import static io.sluice.simulator.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.simulator.Patience;
import io.sluice.simulator.engine.StoredBlocks;
import io.sluice.simulator.text.TokenIds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

class KvEventPublisherTest {

  private static final StoredBlocks STORED =
      new StoredBlocks(
          List.of(-1L, 5L), OptionalLong.empty(), TokenIds.of(1, 2, 3, 4), 2, "adapter");

  private ZContext context;

  @BeforeEach
  void open() {
    context = new ZContext();
  }

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void aMessageIsTopicNumberAndPayloadWithEventsAsArrays() throws Exception {
    try (KvEventPublisher publisher = publisher(KvEventsConfig.Encoding.ARRAY)) {
      ZMQ.Socket subscriber = subscriber(publisher);

      publisher.stored(STORED);
      publisher.removed(-1L);
      publisher.allCleared();
      publisher.stepEnded();

      List<byte[]> message = receive(subscriber);
      assertThat(new String(message.get(0), ZMQ.CHARSET)).isEqualTo("kv@here");
      assertThat(ByteBuffer.wrap(message.get(1)).getLong()).isPositive();
      Value payload = unpack(message.get(2));
      assertThat(payload.toString())
          .isEqualTo(
              "[12.5,[[\"BlockStored\",[18446744073709551615,5],null,[1,2,3,4],2,null,\"GPU\",\"adapter\"],[\"BlockRemoved\",[18446744073709551615],\"GPU\"],[\"AllBlocksCleared\"]],0]");
    }
  }

  @Test
  void newerReleasesWriteMaps() throws Exception {
    try (KvEventPublisher publisher = publisher(KvEventsConfig.Encoding.MAP)) {
      ZMQ.Socket subscriber = subscriber(publisher);

      publisher.stored(
          new StoredBlocks(List.of(7L), OptionalLong.of(-1L), TokenIds.of(9, 9), 2, ""));
      publisher.allCleared();
      publisher.stepEnded();

      assertThat(unpack(receive(subscriber).get(2)).toString())
          .isEqualTo(
              "[12.5,[{\"type\":\"BlockStored\",\"block_hashes\":[7],\"parent_block_hash\":18446744073709551615,\"token_ids\":[9,9],\"block_size\":2,\"lora_id\":null,\"medium\":\"GPU\",\"lora_name\":null},{\"type\":\"AllBlocksCleared\"}],0]");
    }
  }

  @Test
  void numbersIncreaseByOneAndStepsWithoutAChangeHaveNone() throws Exception {
    try (KvEventPublisher publisher = publisher(KvEventsConfig.Encoding.ARRAY)) {
      ZMQ.Socket subscriber = subscriber(publisher);
      List<Long> numbers = new ArrayList<>();

      for (int i = 0; i < 5; i++) {
        publisher.removed(i);
        publisher.stepEnded();
        publisher.stepEnded();
        numbers.add(ByteBuffer.wrap(receive(subscriber).get(1)).getLong());
      }

      long first = numbers.getFirst();
      assertThat(numbers).containsExactly(first, first + 1, first + 2, first + 3, first + 4);
    }
  }

  @Test
  void missedEventsCanBeReplayedFromANumberOn() throws Exception {
    try (KvEventPublisher publisher = publisher(KvEventsConfig.Encoding.ARRAY)) {
      for (int i = 0; i < 4; i++) {
        publisher.removed(i);
        publisher.stepEnded();
      }
      ZMQ.Socket dealer = client(SocketType.DEALER);
      dealer.setReceiveTimeOut((int) Patience.LONGEST.toMillis());
      dealer.connect(publisher.replayEndpoints().getFirst());

      // The requests arrive after or between the batches; the last answer has all of them.
      await()
          .pollInSameThread()
          .until(
              () -> {
                List<Long> numbers = replay(dealer, 2, false);
                return numbers.equals(List.of(2L, 3L));
              });
      ZMQ.Socket withDelimiter = client(SocketType.DEALER);
      withDelimiter.setReceiveTimeOut((int) Patience.LONGEST.toMillis());
      withDelimiter.connect(publisher.replayEndpoints().getFirst());
      assertThat(replay(withDelimiter, 0, true)).containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void theErrorNamesAnEndpointThatIsInUse() throws Exception {
    try (KvEventPublisher publisher = publisher(KvEventsConfig.Encoding.ARRAY)) {
      String taken = publisher.endpoint();

      assertThatThrownBy(() -> new KvEventPublisher(KvEventsConfig.at(taken), () -> 0))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(taken);
    }
  }

  private static KvEventPublisher publisher(KvEventsConfig.Encoding encoding) throws IOException {
    return new KvEventPublisher(
        KvEventsConfig.at("tcp://127.0.0.1:*")
            .withReplay("tcp://127.0.0.1:*")
            .withTopic("kv@here")
            .withEncoding(encoding),
        () -> 12.5);
  }

  /**
   * Creates a connecting socket. JeroMQ loses the handshake of a few new connections and notices it
   * only by this timer (zeromq/jeromq pull request 1022); the binding side is not affected.
   */
  private ZMQ.Socket client(SocketType type) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setHandshakeIvl(300);
    return socket;
  }

  /** Subscribes, and publishes until the subscription is active. */
  private ZMQ.Socket subscriber(KvEventPublisher publisher) {
    ZMQ.Socket subscriber = client(SocketType.SUB);
    subscriber.connect(publisher.endpoint());
    subscriber.subscribe("kv@");
    subscriber.setReceiveTimeOut(50);
    long[] published = {0};
    long[] received = {-1};
    await()
        .pollInSameThread()
        .until(
            () -> {
              publisher.removed(0);
              publisher.stepEnded();
              published[0]++;
              if (subscriber.recv() == null) {
                return false;
              }
              received[0] = ByteBuffer.wrap(subscriber.recv()).getLong();
              assertThat(subscriber.recv()).isNotNull();
              return true;
            });
    subscriber.setReceiveTimeOut((int) Patience.LONGEST.toMillis());
    // Probes that are still in flight arrive before the messages of the test.
    while (received[0] < published[0] - 1) {
      received[0] = ByteBuffer.wrap(receive(subscriber).get(1)).getLong();
    }
    return subscriber;
  }

  private static List<byte[]> receive(ZMQ.Socket socket) {
    List<byte[]> frames = new ArrayList<>();
    do {
      byte[] frame = socket.recv();
      assertThat(frame).as("a frame in time").isNotNull();
      frames.add(frame);
    } while (socket.hasReceiveMore());
    return frames;
  }

  private static List<Long> replay(ZMQ.Socket dealer, long from, boolean delimiter) {
    if (delimiter) {
      dealer.sendMore(new byte[0]);
    }
    dealer.send(ByteBuffer.allocate(8).putLong(from).array());
    List<Long> numbers = new ArrayList<>();
    while (true) {
      List<byte[]> answer = receive(dealer);
      long number = ByteBuffer.wrap(answer.get(answer.size() - 2)).getLong();
      if (number == -1) {
        assertThat(answer.getLast()).isEmpty();
        return numbers;
      }
      numbers.add(number);
    }
  }

  private static Value unpack(byte[] bytes) throws IOException {
    Value value = MessagePack.newDefaultUnpacker(bytes).unpackValue();
    return value;
  }
}
