package io.sluice.router.bulk;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.policy.BulkRoom;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.queue.BulkSize;
import io.sluice.router.queue.RequestKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The current room for bulk requests, which they take up one by one. A worker counts for every kind
 * that it serves, and each of its slots is given once. A fraction of a slot admits one request, so
 * that no router is left without any. Not thread-safe.
 */
public final class BulkOpenings {
  static final BulkOpenings NONE = new BulkOpenings(List.of());

  /** A smaller rest of a slot is a rounding error. */
  private static final double NOTHING = 1e-6;

  /**
   * The room of one worker.
   *
   * @param slots may be fractional
   */
  record Room(WorkerSnapshot worker, double slots) {}

  private final List<Room> rooms;
  private final double[] left;
  private final Map<RequestKind, int[]> servers = new HashMap<>();

  BulkOpenings(List<Room> rooms) {
    this.rooms = rooms;
    this.left = rooms.stream().mapToDouble(Room::slots).toArray();
  }

  /** Returns whether one more request of a kind may enter. */
  boolean hasRoom(RequestKind kind) {
    return Arrays.stream(servers(kind)).anyMatch(room -> left[room] > NOTHING);
  }

  /**
   * Takes up the room of one request, if there is any.
   *
   * @param contextTokens its prompt and output
   */
  public boolean tryTake(RequestKind kind, long contextTokens) {
    return take(kind, contextTokens, 1) > NOTHING;
  }

  /**
   * Requests already wait in the router and will take up room. Those that are too long for the
   * workers present take none, unless they are too long only by what {@link BulkSize} rounds off.
   */
  void takeFor(BulkSize size, int requests) {
    take(size.kind(), size.contextTokens(), requests);
  }

  /** Takes up to this many slots, and returns how many. */
  private double take(RequestKind kind, long contextTokens, double slots) {
    double wanted = slots;
    for (int room : servers(kind)) {
      if (wanted > NOTHING && rooms.get(room).worker().maxModelLen() >= contextTokens) {
        double taken = Math.min(wanted, left[room]);
        left[room] -= taken;
        wanted -= taken;
      }
    }
    return slots - wanted;
  }

  private int[] servers(RequestKind kind) {
    return servers.computeIfAbsent(
        kind,
        any -> {
          int[] serving = serving(profile(kind, Set.copyOf(kind.needs())));
          // An option that every engine of the model refuses is removed from the request later.
          return serving.length > 0 ? serving : serving(profile(kind, Set.of()));
        });
  }

  private int[] serving(RequestProfile profile) {
    int[] all = new int[rooms.size()];
    int found = 0;
    for (int room = 0; room < all.length; room++) {
      if (BulkRoom.couldServe(profile, rooms.get(room).worker())) {
        all[found++] = room;
      }
    }
    return Arrays.copyOf(all, found);
  }

  private static RequestProfile profile(RequestKind kind, Set<String> needs) {
    return new RequestProfile(
        kind.model(),
        kind.lane(),
        0,
        0,
        kind.tiers(),
        Priority.BULK,
        needs,
        Optional.empty(),
        PrefixChain.NONE);
  }
}
