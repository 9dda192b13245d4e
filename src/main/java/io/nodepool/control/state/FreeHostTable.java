package io.nodepool.control.state;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.DeliveryHistory.Suspect;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Machine;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.FreeHosts.Assignable;
import io.nodepool.model.snapshot.FreeHosts.FreeHost;
import io.nodepool.model.snapshot.FreeHosts.Suspected;
import io.nodepool.vocabulary.LowerCaseWord;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The Hosts that can be assigned to pools, by instance type: immediately, after a wait, or not
 * until a user puts them back into service. Confined to the decision thread.
 */
public final class FreeHostTable {
  /** A free Host that must not be assigned before this time. */
  private record Waiting(Instant until, FreeHost host) {
    static final Comparator<Waiting> EARLIEST =
        Comparator.comparing(Waiting::until).thenComparing(Waiting::host, FreeHost.ORDER);
  }

  /** The Hosts of one type that no pool holds. */
  private static final class OfType {
    Assignable now = Assignable.NONE;
    final TreeSet<Waiting> waiting = new TreeSet<>(Waiting.EARLIEST);
    final Set<String> setAside = new HashSet<>();
    final Set<String> reclaimed = new HashSet<>();
    TreePSet<String> nameTaken = TreePSet.empty();
    TreePMap<String, Host.Hold> held = TreePMap.empty();

    /** The Hosts that may be assigned until their fleet's reading of their power is out of date. */
    final TreeSet<Reading> readings = new TreeSet<>(Reading.EARLIEST);
  }

  /** A Host that is held from this time on, unless a newer reading of its power is observed. */
  private record Reading(Instant staleAt, Host host) {
    static final Comparator<Reading> EARLIEST =
        Comparator.comparing(Reading::staleAt).thenComparing(each -> each.host().id().uid());
  }

  private final Map<String, OfType> types = new HashMap<>();

  /** The reading of the power of each Host that may be assigned, by UID. */
  private final Map<String, Reading> read = new HashMap<>();

  /** The entry of each Host, by UID; {@link Instant#MIN} for Hosts that may be assigned now. */
  private final Map<String, Waiting> filed = new HashMap<>();

  private final RackHolders racks = new RackHolders();
  private final Suspects suspected = new Suspects();

  /**
   * Updates a machine. Returns whether pools that want Hosts must be planned: the Host can be
   * assigned, now or later, or waits for the end of a Node of its name, and that is new.
   */
  boolean update(MachineEntry machine, Host host, Instant now) {
    racks.update(machine, host);
    OfType type = ofType(host.machine());
    setMember(type.setAside, host, host.deliveries().isSetAside());
    setMember(type.reclaimed, host, host.reclaim().isPresent());
    Optional<Host.Hold> hold = host.hold(now).filter(_ -> host.isFree());
    setHeld(type, host, hold);
    boolean assignable =
        host.isFree()
            && hold.isEmpty()
            && machine.node == null
            && machine.underWay == null
            && machine.unreadable().isEmpty();
    setReading(type, host, host.staleAt(now).filter(_ -> assignable));
    boolean waitsForNode = setNameTaken(type, host, isNameTaken(machine, host));
    if (!assignable) {
      take(host);
      return waitsForNode;
    }
    Instant until = waitsUntil(machine, host);
    FreeHost free =
        new FreeHost(
            host.id(),
            host.tenancy(),
            host.machine(),
            failures(host),
            host.report().spot().isAvailable());
    return file(new Waiting(until.isAfter(now) ? until : Instant.MIN, free));
  }

  /** Whether the Host is free, and a Node of an earlier Host has its name. */
  private static boolean isNameTaken(MachineEntry machine, Host host) {
    return host.isFree()
        && machine.unreadable().isEmpty()
        && machine.node != null
        && !machine.node.hostUid().equals(host.id().uid());
  }

  /** Returns whether the name is newly taken. */
  private static boolean setNameTaken(OfType type, Host host, boolean taken) {
    String name = host.id().name();
    boolean before = type.nameTaken.contains(name);
    if (taken != before) {
      type.nameTaken = taken ? type.nameTaken.plus(name) : type.nameTaken.minus(name);
    }
    return taken && !before;
  }

  private static void setHeld(OfType type, Host host, Optional<Host.Hold> hold) {
    String name = host.id().name();
    type.held = hold.map(why -> type.held.plus(name, why)).orElseGet(() -> type.held.minus(name));
  }

  private void setReading(OfType type, Host host, Optional<Instant> staleAt) {
    Reading last = read.remove(host.id().uid());
    if (last != null) {
      type.readings.remove(last);
    }
    staleAt.ifPresent(at -> {
      Reading next = new Reading(at, host);
      read.put(host.id().uid(), next);
      type.readings.add(next);
    });
  }

  private static void setMember(Set<String> hosts, Host host, boolean member) {
    if (member) {
      hosts.add(host.id().uid());
    } else {
      hosts.remove(host.id().uid());
    }
  }

  /** Removes a machine's last state. */
  void remove(MachineEntry machine, Host last) {
    racks.vacate(machine, last);
    suspected.remove(last);
    take(last);
    setMember(ofType(last.machine()).setAside, last, false);
    setMember(ofType(last.machine()).reclaimed, last, false);
    setNameTaken(ofType(last.machine()), last, false);
    setHeld(ofType(last.machine()), last, Optional.empty());
    setReading(ofType(last.machine()), last, Optional.empty());
  }

  /** Makes Hosts assignable whose wait is over, and holds Hosts whose power is not known now. */
  void advance(Instant now) {
    for (OfType type : types.values()) {
      while (!type.readings.isEmpty() && !type.readings.first().staleAt().isAfter(now)) {
        Host host = type.readings.first().host();
        setReading(type, host, Optional.empty());
        setHeld(type, host, host.hold(now));
        take(host);
      }
      while (!type.waiting.isEmpty() && !type.waiting.first().until().isAfter(now)) {
        file(new Waiting(Instant.MIN, type.waiting.first().host()));
      }
    }
  }

  /** The free Hosts of a type. */
  FreeHosts of(String instanceType) {
    OfType type = types.get(instanceType);
    return type == null
        ? FreeHosts.NONE
        : new FreeHosts(
            type.now,
            racks.of(instanceType),
            type.waiting.isEmpty() ? Optional.empty() : Optional.of(type.waiting.first().until()),
            type.setAside.size(),
            type.reclaimed.size(),
            type.nameTaken,
            type.held,
            List.of());
  }

  /** Whether a Host that no pool holds may be assigned, and if not, why. */
  public enum Availability implements LowerCaseWord {
    /** It may be assigned. */
    FREE,
    /** It waits after a failed delivery. */
    WAITING,
    /** A person or the operator set it aside. */
    SET_ASIDE,
    /** A Node of an earlier Host has its name. */
    NAME_TAKEN,
    /** Its owner works on it, or its fleet does not know its power. */
    HELD
  }

  /** The number of Hosts in each of these states, by instance type. */
  public SortedMap<String, SortedMap<Availability, Integer>> counts() {
    SortedMap<String, SortedMap<Availability, Integer>> counts = new TreeMap<>();
    types.forEach((name, type) -> {
      SortedMap<Availability, Integer> ofType = new TreeMap<>();
      ofType.put(Availability.FREE, type.now.all().size());
      ofType.put(Availability.WAITING, type.waiting.size());
      ofType.put(Availability.SET_ASIDE, type.setAside.size());
      ofType.put(Availability.NAME_TAKEN, type.nameTaken.size());
      ofType.put(Availability.HELD, type.held.size());
      counts.put(name, ofType);
    });
    return counts;
  }

  /** Free Hosts that failed in one configuration only. */
  Suspects suspected() {
    return suspected;
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
    Waiting last = filed.put(next.host().id().uid(), next);
    if (next.equals(last)) {
      return false;
    }
    OfType type = ofType(next.host().machine());
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
      unfile(ofType(last.host().machine()), last);
    }
  }

  private static void unfile(OfType type, Waiting last) {
    if (last.until().equals(Instant.MIN)) {
      type.now = type.now.minus(last.host());
    } else {
      type.waiting.remove(last);
    }
  }

  private OfType ofType(Machine machine) {
    return types.computeIfAbsent(machine.instanceType(), type -> new OfType());
  }

  /**
   * The Hosts that no pool holds and that failed in one configuration only, by that configuration.
   */
  static final class Suspects {
    /** The greatest number of Hosts that a plan receives. */
    private static final int SHOWN = 16;

    /** A Host, and when it last failed. */
    private record Entry(Suspected host, Instant failedAt) {}

    private final Map<Suspect, TreeMap<String, Entry>> hosts = new HashMap<>();
    private final Map<String, Suspect> filed = new HashMap<>();

    /**
     * Updates a machine. Returns the UID of the pool that may have to clear the Host's failures.
     */
    Optional<String> update(MachineEntry machine, Host host) {
      remove(host);
      Optional<Suspect> suspect =
          host.assignment().isEmpty() && machine.underWay == null && machine.unreadable().isEmpty()
              ? host.deliveries().suspect()
              : Optional.empty();
      suspect.ifPresent(each -> {
        filed.put(host.id().uid(), each);
        hosts
            .computeIfAbsent(each, _ -> new TreeMap<>())
            .put(
                host.id().uid(),
                new Entry(
                    new Suspected(
                        host.id(),
                        host.tenancy(),
                        each.configuration(),
                        host.deliveries().setAside()),
                    host.deliveries()
                        .failure()
                        .map(DeliveryHistory.Failure::at)
                        .orElse(Instant.MIN)));
      });
      return suspect.map(Suspect::poolUid);
    }

    /** Removes a Host. */
    void remove(Host host) {
      Suspect last = filed.remove(host.id().uid());
      if (last != null) {
        hosts.computeIfPresent(
            last,
            (_, entries) -> {
              entries.remove(host.id().uid());
              return entries.isEmpty() ? null : entries;
            });
      }
    }

    /**
     * The first Hosts that failed in a configuration that the pool has disabled, after its last
     * successful boot: an earlier failure is the machine's fault.
     */
    List<Suspected> of(Pool pool) {
      return pool.status().configuration().revisions().stream()
          .filter(revision -> revision.boots().disabled())
          .flatMap(revision ->
              hosts
                  .getOrDefault(new Suspect(pool.id().uid(), revision.profile()), new TreeMap<>())
                  .values()
                  .stream()
                  .filter(entry -> isLater(entry, revision))
                  .map(Entry::host))
          .limit(SHOWN)
          .toList();
    }

    private static boolean isLater(Entry entry, ConfigurationState.Revision revision) {
      return revision.boots().provenAt().filter(entry.failedAt()::isBefore).isEmpty();
    }
  }
}
