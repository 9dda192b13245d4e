package io.nodepool.world.liars;

import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Lies as one of the liars does. */
final class Monitor {
  private static final Duration STEP = Duration.ofMinutes(30);

  private final World world;
  private final WorldCluster cluster;
  private final Liar liar;
  private final String poolUid;
  private final Instant begin;

  /** The signals that stand, by the name of the Host. */
  private final TreeMap<String, Signal> standing = new TreeMap<>();

  /** The Nodes that it named at first. */
  private Set<String> first = new TreeSet<>();

  /** All that it ever named. */
  private final Set<String> ever = new HashSet<>();

  /** The Nodes about which it says no more. */
  private final Set<String> mute = new HashSet<>();

  /** When it last wrote what stands. */
  private Instant written = Instant.MIN;

  Monitor(World world, Liar liar, String poolUid, Instant begin) {
    this.world = world;
    this.cluster = world.cluster();
    this.liar = liar;
    this.poolUid = poolUid;
    this.begin = begin;
  }

  /** It says no more about this Node. */
  void withdraw(String host) {
    mute.add(host);
    if (standing.remove(host) != null) {
      cluster.signals().withdraw(host, key());
    }
  }

  /** Reports what it would say now. */
  void look() {
    Instant now = world.instant();
    Duration since = Duration.between(begin, now);
    if (since.compareTo(liar.dies()) > 0 && since.compareTo(liar.lasts()) < 0) {
      return;
    }
    cluster.signals().beat(source());
    Set<String> named = since.compareTo(liar.lasts()) < 0 ? named(since) : Set.of();
    List<String> before = List.copyOf(standing.keySet());
    for (String host : before) {
      boolean holdsOn = liar.holdsOn() && !named.isEmpty() && exists(host);
      if (!named.contains(host) && !(holdsOn && isSticky())) {
        standing.remove(host);
        cluster.signals().withdraw(host, key());
      }
    }
    for (String host : named) {
      if (mute.contains(host)) {
        continue;
      }
      ever.add(host);
      Signal signal = standing.get(host);
      if (signal == null || (liar.renews() && isOlderThanBoot(host, signal))) {
        write(host, Signal.standing(key(), now).withReported(Optional.of(now)));
      }
    }
    if (now.isAfter(written.plus(liar.writes()))) {
      written = now;
      List.copyOf(standing.keySet()).forEach(host -> write(host, again(standing.get(host), now)));
    }
  }

  private boolean isSticky() {
    return switch (liar.who()) {
      case BUSY, IDLE, FLEEING -> true;
      case ALL, RACK, HALF, FEW, GROWING, SHRINKING, FOLLOWING, BLINKING -> false;
    };
  }

  private static Signal again(Signal last, Instant now) {
    return new Signal(
        last.key(),
        last.since(),
        last.ended(),
        last.bootId(),
        last.severity(),
        "seen " + now,
        last.reported());
  }

  private void write(String host, Signal signal) {
    standing.put(host, signal);
    cluster.signals().report(host, signal);
  }

  private SignalKey key() {
    return new SignalKey(source(), SignalKey.HOST, liar.alert());
  }

  /** Each monitor is a source of its own, of which the heartbeat ends with it. */
  private String source() {
    return Liar.SOURCE + "-" + Integer.toHexString(liar.alert().hashCode()) + "-" + liar.pool();
  }

  private boolean isOlderThanBoot(String host, Signal signal) {
    return cluster
        .host(host)
        .map(Host::report)
        .flatMap(report -> report.boot().at())
        .filter(boot -> boot.isAfter(signal.since()))
        .filter(boot -> boot.plus(Duration.ofMinutes(5)).isBefore(world.instant()))
        .isPresent();
  }

  private boolean exists(String name) {
    return cluster.node(name).filter(node -> node.poolUid().equals(poolUid)).isPresent();
  }

  private List<Node> nodes() {
    return cluster.nodes().values().stream()
        .filter(node -> node.poolUid().equals(poolUid))
        .toList();
  }

  private Set<String> named(Duration since) {
    List<Node> nodes = nodes();
    List<String> names = nodes.stream().map(Node::name).toList();
    if (first.isEmpty()) {
      first = new TreeSet<>(names);
    }
    int steps = (int) since.dividedBy(STEP);
    return switch (liar.who()) {
      case ALL -> new TreeSet<>(names);
      case BUSY -> of(nodes.stream().filter(this::isBusy).toList());
      case IDLE -> of(nodes.stream().filter(node -> !isBusy(node)).toList());
      case RACK -> rack(nodes);
      case HALF -> first(names, (names.size() + 1) / 2);
      case FEW -> first(names, Math.min(3, names.size()));
      case GROWING -> first(names, Math.min(names.size(), 1 + steps));
      case SHRINKING -> {
        List<String> left = new ArrayList<>(first);
        left.retainAll(names);
        yield new TreeSet<>(left.subList(Math.min(left.size(), steps), left.size()));
      }
      case FOLLOWING -> following(names);
      case FLEEING -> fleeing(nodes);
      case BLINKING -> (since.toMinutes() % 60) < 25 ? new TreeSet<>(names) : Set.of();
    };
  }

  private Set<String> of(List<Node> nodes) {
    return new TreeSet<>(nodes.stream().map(Node::name).toList());
  }

  private Set<String> first(List<String> names, int count) {
    return new TreeSet<>(names.subList(0, count));
  }

  private boolean isBusy(Node node) {
    return cluster.workloads().isBusy(node.name());
  }

  private Set<String> rack(List<Node> nodes) {
    Optional<String> rack = nodes.stream().flatMap(node -> rack(node).stream()).findFirst();
    return of(nodes.stream().filter(node -> rack(node).equals(rack)).toList());
  }

  private Optional<String> rack(Node node) {
    return cluster.host(node.name()).map(host -> host.machine().location().rack());
  }

  /** The one that it named and that is still there, or a new one. */
  private Set<String> following(List<String> names) {
    Set<String> present = new TreeSet<>(standing.keySet());
    present.retainAll(names);
    if (!present.isEmpty()) {
      return present;
    }
    Optional<String> next =
        names.stream()
            .filter(name -> ever.isEmpty() || !first.contains(name))
            .filter(name -> !ever.contains(name))
            .findFirst();
    return next.map(Set::of).orElse(Set.of());
  }

  /** One that is not cordoned, as long as it is not. */
  private Set<String> fleeing(List<Node> nodes) {
    Set<String> open = of(nodes.stream().filter(node -> !node.cordoned()).toList());
    Set<String> present = new TreeSet<>(standing.keySet());
    present.retainAll(open);
    if (!present.isEmpty()) {
      return present;
    }
    return open.stream()
        .filter(name -> !ever.contains(name))
        .findFirst()
        .map(Set::of)
        .orElse(Set.of());
  }
}
