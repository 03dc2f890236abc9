package io.sluice.router.bulk;

import io.sluice.common.protocol.Priority;
import io.sluice.fleet.WorkerSnapshot;
import io.sluice.router.policy.BulkRoom;
import io.sluice.router.policy.RequestProfile;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.queue.RequestKind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The room that there is for bulk requests at one moment, which they take up one by one. A worker
 * counts for every kind that it serves, and each of its slots is given once. A part of a slot lets
 * in one request, so that no router is left without any. Not thread-safe.
 */
public final class BulkOpenings {
  static final BulkOpenings NONE = new BulkOpenings(List.of());

  /** Less than this is what is left of a slot by rounding. */
  private static final double NOTHING = 1e-6;

  /**
   * What one worker has room for.
   *
   * @param slots may be a part of one
   */
  record Room(WorkerSnapshot worker, double slots) {}

  private final List<Room> rooms;
  private final double[] left;
  private final Map<RequestKind, int[]> servers = new HashMap<>();

  BulkOpenings(List<Room> rooms) {
    this.rooms = rooms;
    this.left = rooms.stream().mapToDouble(Room::slots).toArray();
  }

  /** Whether one more request of a kind may enter. */
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

  /** Requests of a kind wait in the router already, which will take up room. */
  void takeFor(RequestKind kind, int requests) {
    take(kind, 0, requests);
  }

  /** Takes so many slots, or what there is of them; returns how many. */
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
          // What every engine of the model refuses is left out of the request in the end.
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
