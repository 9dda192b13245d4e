package io.nodepool.control.state;

import io.nodepool.control.state.machine.CountsByKey;
import io.nodepool.control.state.machine.RackTable;
import io.nodepool.control.write.Instants;
import io.nodepool.fleet.Host;
import io.nodepool.health.DropReason;
import io.nodepool.health.Health;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.HostSignals;
import io.nodepool.health.RackId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.SignalSource;
import io.nodepool.health.Tray;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.plan.health.MachineSignals;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The signals about machines, and the alerts that are active. Work per observation does not grow
 * with the fleet, except for the catalogue and for heartbeats, which arrive every few minutes.
 * Confined to the decision thread.
 */
public final class HealthTable {
  private static final String UNKNOWN = "unknown";

  private final PoolTable pools;
  private final MachineTable machines;
  private final Wakeups wakeups;
  private final HealthSettings settings;
  private AlertCatalogue catalogue = AlertCatalogue.shipped();

  /**
   * Whether the grades of alerts are known: the user's changes of the catalogue, which may forbid
   * shipped actions, were read, or there are none.
   */
  private boolean isGraded;

  /** Why the changes could not be read; empty text otherwise. */
  private String refusal = "";

  /** The HostSignals by the names of their Hosts, also for Hosts that were not observed. */
  private final Map<String, HostSignals> reported = new HashMap<>();

  /** The heartbeats of monitors, by their names. */
  private final Map<String, SignalSource> sources = new HashMap<>();

  private final SortedMap<String, Integer> standing = new TreeMap<>();
  private final Map<DropReason, Integer> dropped = new EnumMap<>(DropReason.class);
  private final RackTable racks;
  private int unreadable;
  private boolean watching;

  HealthTable(PoolTable pools, MachineTable machines, Wakeups wakeups, HealthSettings settings) {
    this.pools = pools;
    this.machines = machines;
    this.wakeups = wakeups;
    this.settings = settings;
    this.racks = new RackTable(settings);
  }

  /** Records that every kind was listed once: signals that are new from now on begin now. */
  void listed() {
    watching = true;
    isGraded |= refusal.isEmpty();
  }

  /** Folds an observation. */
  void fold(Observation.OfHealth seen) {
    switch (seen) {
      case Observation.SignalsSeen(HostSignals next) -> {
        HostSignals last = reported.get(next.host());
        if (last == null || !last.uid().equals(next.uid()) || last.version() < next.version()) {
          unreadable += next.unreadable() - (last == null ? 0 : last.unreadable());
          reported.put(next.host(), next);
          machines.replan(next.host());
        }
      }
      case Observation.SignalsGone(String host, String uid, long _) -> {
        HostSignals last = reported.get(host);
        if (last != null && last.uid().equals(uid)) {
          unreadable -= last.unreadable();
          reported.remove(host);
          machines.replan(host);
        }
      }
      case Observation.SourceSeen(SignalSource next) -> {
        SignalSource last = sources.get(next.name());
        if (last == null || !last.uid().equals(next.uid()) || last.version() < next.version()) {
          sources.put(next.name(), next);
          reportedBy(next.name()).forEach(machines::changed);
        }
      }
      case Observation.SourceGone(String name, String uid, long _) -> {
        SignalSource last = sources.get(name);
        if (last != null && last.uid().equals(uid)) {
          sources.remove(name);
          reportedBy(name).forEach(machine -> machines.replan(machine.name));
        }
      }
      case Observation.CatalogueSeen(AlertCatalogue next) -> {
        if (!next.equals(catalogue) || !isGraded) {
          catalogue = next;
          isGraded = true;
          machines.stream().forEach(machines::changed);
          machines.wakeAll();
        }
      }
      case Observation.CatalogueRefused(String why) -> refusal = why;
    }
  }

  /** The alerts of the rack of this machine changed. */
  private void rackChanged(String host) {
    machines.replan(host);
    pools.wakeHolder(host);
  }

  /** The machines about which a source reports an active signal. */
  private List<MachineEntry> reportedBy(String source) {
    return reported.values().stream()
        .filter(each ->
            each.signals().stream()
                .anyMatch(signal -> signal.stands() && signal.key().source().equals(source)))
        .map(each -> machines.find(each.host()))
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * Folds the signals about a machine that changed, or whose health changes with time.
   *
   * @return when its health changes next without an observation; the end of time if it does not
   */
  Instant assess(MachineEntry machine, Instant now) {
    Health before = machine.health.now();
    Host host = machine.host;
    if (host == null) {
      machine.health.ended();
      racks.gone(machine.name, catalogue, now, this::rackChanged);
      count(machine, before);
      return Instant.MAX;
    }
    Optional<Node> node = Optional.ofNullable(machine.node).filter(each -> each.isOf(host));
    MachineSignals signals = MachineSignals.of(host, node, about(host), catalogue, settings, now);
    List<Signal> confirmed = signals.signals().stream().map(each -> confirmed(each, now)).toList();
    machine.health.changed(host, node, confirmed, catalogue, settings, now, watching);
    Health after = machine.health.now();
    count(machine, before);
    Instant rackChangesAt =
        racks.changed(
            machine.name,
            new RackId(host.machine().location().zone(), host.machine().rack()),
            new Tray(
                host.machine().interconnect().nvlinkDomain(), place(host, node), after.standing()),
            catalogue,
            now,
            this::rackChanged);
    return Instants.earlier(signals.changesAt(), after.changesAt())
        .map(at -> Instants.earlier(at, rackChangesAt))
        .orElse(rackChangesAt);
  }

  private static Tray.Place place(Host host, Optional<Node> node) {
    String state = node.map(each -> each.metadata().label(NodeLabels.STATE)).orElse("");
    if (host.deliveries().isSetAside() || state.equals(LifecycleState.TRIAGE.word())) {
      return Tray.Place.TRIAGE;
    }
    if (host.assignment().isEmpty()) {
      return Tray.Place.FREE;
    }
    boolean produces =
        node.filter(Node::registered).isPresent() && state.equals(LifecycleState.PRODUCTION.word());
    return produces ? Tray.Place.PRODUCTION : Tray.Place.OTHER;
  }

  /** The active alerts of a machine, with the causes that were found in its rack. */
  Health of(MachineEntry machine) {
    Health now =
        machine
            .health
            .now()
            .withSymptoms(racks.symptoms(machine.name))
            .changingAt(racks.changesAt(machine.name));
    return isGraded ? now : now.withIsUngraded(true);
  }

  /** Why the grades of alerts are not known; empty if they are. */
  Optional<String> ungraded() {
    return isGraded ? Optional.empty() : Optional.of(refusal);
  }

  /** The alert groups of machines and racks. */
  public RackTable racks() {
    return racks;
  }

  /** The entries of HostSignals that cannot be read. */
  public int unreadable() {
    return unreadable;
  }

  /** The HostSignals about Hosts that do not exist. */
  public long unknownHosts() {
    return reported.keySet().stream().filter(name -> !machines.hasHost(name)).count();
  }

  /**
   * The signals from monitoring about this Host. Signals about another Host of the same name do not
   * count.
   */
  private List<Signal> about(Host host) {
    HostSignals seen = reported.get(host.id().name());
    return seen != null && seen.areAbout(host.id().uid()) ? seen.signals() : List.of();
  }

  /**
   * The signal with the time at which its source last confirmed it: by a heartbeat, or by the write
   * of the signal. A time ahead of the clock is ignored.
   */
  private Signal confirmed(Signal signal, Instant now) {
    if (signal.reported().isEmpty()) {
      return signal;
    }
    Instant latest = now.plus(settings.skew());
    return signal.withReported(
        Stream.of(
                signal.reported(),
                Optional.ofNullable(sources.get(signal.key().source()))
                    .filter(_ -> !signal.key().source().equals(SourceName.CONDITIONS))
                    .map(SignalSource::heartbeatAt))
            .flatMap(Optional::stream)
            .filter(at -> !at.isAfter(latest))
            .map(at -> Instants.earlier(at, now))
            .max(Instant::compareTo)
            .or(() -> Optional.of(Instant.EPOCH)));
  }

  private void count(MachineEntry machine, Health before) {
    Health after = machine.health.now();
    if (after.equals(before)) {
      return;
    }
    wakeups.machine(machine.name);
    before.standing().forEach(each -> CountsByKey.add(standing, each.name(), -1));
    after.standing().forEach(each -> CountsByKey.add(standing, each.name(), 1));
    SortedMap<SignalKey, DropReason> old = before.dropped();
    after
        .dropped()
        .forEach((key, reason) -> {
          if (old.get(key) != reason) {
            dropped.merge(reason, 1, Integer::sum);
          }
        });
  }

  /** The key of active alerts in counts; all unknown alerts share one name. */
  public record Counted(String name, Grade grade) {}

  /** The number of machines or racks with each active alert, without zeros. */
  public Map<Counted, Integer> counts() {
    Map<Counted, Integer> counts = new LinkedHashMap<>();
    standing.forEach((name, machinesWithIt) -> count(counts, name, machinesWithIt));
    racks.found(_ -> true).stream()
        .filter(RackAlert.Found::stands)
        .forEach(found -> count(counts, found.alert().alert(), 1));
    return counts;
  }

  private void count(Map<Counted, Integer> counts, String name, int more) {
    Alert alert = catalogue.alert(name);
    counts.merge(new Counted(alert.isKnown() ? name : UNKNOWN, alert.grade()), more, Integer::sum);
  }

  /** The number of signals dropped so far, by reason. */
  public Map<DropReason, Integer> dropped() {
    return Map.copyOf(dropped);
  }

  /** The catalogue that applies: the last one that could be read, at first the one that ships. */
  public AlertCatalogue catalogue() {
    return catalogue;
  }
}
