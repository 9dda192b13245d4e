package io.nodepool.control.state;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.model.pool.PoolSnapshot.Candidate;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pcollections.TreePSet;

/**
 * Which Hosts may be given to pools, by instance type: at once, after a wait, or not until a person
 * says so. Lives on the decision thread.
 */
final class FreeHosts {
  /** A free Host that is left alone until then. */
  private record Waiting(Instant until, Candidate host) {
    static final Comparator<Waiting> EARLIEST =
        Comparator.comparing(Waiting::until).thenComparing(Waiting::host, Candidate.ORDER);
  }

  /** The Hosts of one type that nobody holds. */
  private static final class OfType {
    TreePSet<Candidate> now = TreePSet.empty(Candidate.ORDER);
    final TreeSet<Waiting> waiting = new TreeSet<>(Waiting.EARLIEST);
    final Set<String> setAside = new HashSet<>();
  }

  private final Map<String, OfType> types = new HashMap<>();

  /** Where each Host is filed, by UID; {@link Instant#MIN} for those that may be given out now. */
  private final Map<String, Waiting> filed = new HashMap<>();

  private final RackHolders racks = new RackHolders();

  /**
   * Takes in what a machine is now. Returns whether it may be assigned, at once or later, and could
   * not be before.
   */
  boolean update(MachineEntry machine, Host host, Instant now) {
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
    Instant until = waitsUntil(machine, host);
    Candidate candidate = new Candidate(host.id(), host.tenancy(), host.machine(), failures(host));
    return file(new Waiting(until.isAfter(now) ? until : Instant.MIN, candidate));
  }

  /** Forgets a machine's last state. */
  void remove(MachineEntry machine, Host last) {
    racks.vacate(machine, last);
    take(last);
    ofType(last).setAside.remove(last.id().uid());
  }

  /** Lets those be given out whose wait is over. */
  void advance(Instant now) {
    for (OfType type : types.values()) {
      while (!type.waiting.isEmpty() && !type.waiting.first().until().isAfter(now)) {
        file(new Waiting(Instant.MIN, type.waiting.first().host()));
      }
    }
  }

  /** The free Hosts of a type. */
  PoolSnapshot.Free of(String instanceType) {
    OfType type = types.get(instanceType);
    return type == null
        ? PoolSnapshot.Free.NONE
        : new PoolSnapshot.Free(
            type.now,
            racks.of(instanceType),
            type.waiting.isEmpty() ? Optional.empty() : Optional.of(type.waiting.first().until()),
            type.setAside.size());
  }

  private static int failures(Host host) {
    return host.deliveries().failure().map(DeliveryHistory.Failure::count).orElse(0);
  }

  private static Instant waitsUntil(MachineEntry machine, Host host) {
    Instant failed =
        host.deliveries().failure().map(DeliveryHistory.Failure::notBefore).orElse(Instant.MIN);
    return failed.isAfter(machine.refusedUntil) ? failed : machine.refusedUntil;
  }

  private boolean file(Waiting next) {
    Waiting last = filed.put(next.host().host().uid(), next);
    if (next.equals(last)) {
      return false;
    }
    OfType type = ofType(next.host());
    if (last != null) {
      unfile(type, last);
    }
    if (next.until().equals(Instant.MIN)) {
      type.now = type.now.plus(next.host());
    } else {
      type.waiting.add(next);
    }
    return true;
  }

  private void take(Host host) {
    Waiting last = filed.remove(host.id().uid());
    if (last != null) {
      unfile(ofType(last.host()), last);
    }
  }

  private static void unfile(OfType type, Waiting last) {
    if (last.until().equals(Instant.MIN)) {
      type.now = type.now.minus(last.host());
    } else {
      type.waiting.remove(last);
    }
  }

  private OfType ofType(Host host) {
    return types.computeIfAbsent(host.machine().instanceType(), type -> new OfType());
  }

  private OfType ofType(Candidate host) {
    return types.computeIfAbsent(host.machine().instanceType(), type -> new OfType());
  }
}
