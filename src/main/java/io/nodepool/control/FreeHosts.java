package io.nodepool.control;

import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.model.PoolSnapshot;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which Hosts may be given to pools, by instance type: at once, after a wait, or not until a person
 * says so. Lives on the decision thread.
 */
final class FreeHosts {
  /**
   * The order in which free Hosts are given out: those that never failed before those that did,
   * rack by rack, slot by slot.
   */
  private static final Comparator<Host> ORDER =
      Comparator.comparingInt(FreeHosts::failures)
          .thenComparing(host -> host.machine().rack())
          .thenComparingInt(host -> host.machine().slot())
          .thenComparing(host -> host.id().uid());

  /** A free Host that is left alone until then. */
  private record Resting(Instant until, Host host) {
    static final Comparator<Resting> EARLIEST =
        Comparator.comparing(Resting::until).thenComparing(Resting::host, ORDER);
  }

  /** The Hosts of one type that nobody holds. */
  private static final class OfType {
    final TreeSet<Host> free = new TreeSet<>(ORDER);
    final TreeSet<Resting> resting = new TreeSet<>(Resting.EARLIEST);
    final Set<String> setAside = new HashSet<>();
  }

  private final Map<String, OfType> types = new HashMap<>();
  private final Map<String, Resting> rests = new HashMap<>();
  private final RackHolders racks = new RackHolders();

  /** Takes in what a machine is now. Returns whether it may be assigned and could not be before. */
  boolean update(MachineEntry machine, Host host) {
    racks.update(machine, host);
    if (host.deliveries().isSetAside()) {
      ofType(host).setAside.add(host.id().uid());
    } else {
      ofType(host).setAside.remove(host.id().uid());
    }
    boolean assignable =
        host.isFree()
            && machine.node == null
            && machine.underWay == null
            && machine.unreadable().isEmpty();
    if (!assignable) {
      take(host);
      return false;
    }
    Instant until = restsUntil(machine, host);
    if (until.equals(Instant.MIN)) {
      endRest(host);
      return ofType(host).free.add(host);
    }
    return rest(new Resting(until, host));
  }

  /** Forgets a machine's last state. */
  void remove(MachineEntry machine, Host last) {
    racks.vacate(machine, last);
    take(last);
    ofType(last).setAside.remove(last.id().uid());
  }

  /**
   * The free Hosts of a type.
   *
   * @param limit how many are needed at most
   */
  PoolSnapshot.Free of(String instanceType, long limit, Instant now) {
    OfType type = types.get(instanceType);
    if (type == null) {
      return new PoolSnapshot.Free(List.of(), Optional.empty(), 0);
    }
    while (!type.resting.isEmpty() && !type.resting.first().until().isAfter(now)) {
      Host rested = type.resting.first().host();
      endRest(rested);
      type.free.add(rested);
    }
    return new PoolSnapshot.Free(
        type.free.stream()
            .limit(limit)
            .map(host ->
                new PoolSnapshot.Candidate(
                    host.id(), host.tenancy(), host.machine(), racks.of(host)))
            .toList(),
        type.resting.isEmpty() ? Optional.empty() : Optional.of(type.resting.first().until()),
        type.setAside.size());
  }

  private static int failures(Host host) {
    return host.deliveries().failure().map(Deliveries.Failure::count).orElse(0);
  }

  private static Instant restsUntil(MachineEntry machine, Host host) {
    Instant failed =
        host.deliveries().failure().map(Deliveries.Failure::notBefore).orElse(Instant.MIN);
    return failed.isAfter(machine.refusedUntil) ? failed : machine.refusedUntil;
  }

  private boolean rest(Resting next) {
    if (next.equals(rests.get(next.host().id().uid()))) {
      return false;
    }
    take(next.host());
    ofType(next.host()).resting.add(next);
    rests.put(next.host().id().uid(), next);
    return true;
  }

  private void take(Host host) {
    ofType(host).free.remove(host);
    endRest(host);
  }

  private void endRest(Host host) {
    Resting rest = rests.remove(host.id().uid());
    if (rest != null) {
      ofType(host).resting.remove(rest);
    }
  }

  private OfType ofType(Host host) {
    return types.computeIfAbsent(host.machine().instanceType(), type -> new OfType());
  }
}
