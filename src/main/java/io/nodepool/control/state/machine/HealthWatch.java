package io.nodepool.control.state.machine;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.Health;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.ObservedBoot;
import io.nodepool.health.ObservedSignal;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The signals about one machine as this operator has observed them, and what stands of them. */
public final class HealthWatch {
  private final SortedMap<SignalKey, ObservedSignal> observed = new TreeMap<>();
  private Optional<ObservedBoot> boot = Optional.empty();

  /** The UID of the Node whose published conditions were read. */
  private String readNode = "";

  private Health now = Health.NONE;

  /** What stands, as last observed. */
  public Health now() {
    return now;
  }

  /**
   * Observes what is reported about a machine.
   *
   * @param watching whether everything was listed before, so that what is new began now; otherwise
   *     it began as written
   * @return whether what stands has changed
   */
  public boolean changed(
      Host host,
      Optional<Node> node,
      List<Signal> reported,
      AlertCatalogue catalogue,
      HealthSettings settings,
      Instant at,
      boolean watching) {
    node.ifPresent(present -> readPublished(present, at));
    ObservedBoot onBoot = boot(host, node, at, watching);
    boot = Optional.of(onBoot);
    SortedMap<SignalKey, Signal> states =
        reported.stream()
            .collect(
                Collectors.toMap(Signal::key, Function.identity(), (one, _) -> one, TreeMap::new));
    observed.replaceAll((key, last) ->
        states.containsKey(key)
            ? last.again(states.get(key), at, settings.clear())
            : last.again(last.signal().endedAt(at), at, settings.clear()));
    states.forEach((key, state) -> observed.computeIfAbsent(key, _ -> first(state, at, watching)));
    observed
        .values()
        .removeIf(
            each -> !states.containsKey(each.signal().key()) && each.isOver(at, settings.clear()));
    return became(Health.of(observed.values(), onBoot, catalogue, settings, at));
  }

  /** Forgets the machine. Returns whether anything stood. */
  public boolean ended() {
    observed.clear();
    boot = Optional.empty();
    readNode = "";
    return became(Health.NONE);
  }

  private boolean became(Health next) {
    boolean changes = !next.equals(now);
    now = next;
    return changes;
  }

  /** One that was never observed to stand began and ended as written. */
  private static ObservedSignal first(Signal signal, Instant at, boolean watching) {
    Instant seen = watching && signal.stands() ? at : earlier(at, signal.since());
    return new ObservedSignal(signal, seen, signal.ended().map(ended -> earlier(at, ended)));
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private ObservedBoot boot(Host host, Optional<Node> node, Instant at, boolean watching) {
    Host.Report report = host.report();
    Optional<ObservedBoot> same = boot.filter(last -> last.id().equals(report.bootId()));
    // A machine that does not run is on no other boot.
    Optional<Instant> began =
        report
            .boot()
            .at()
            .or(() -> Optional.of(report.since()).filter(_ -> isRunning(host)))
            .or(() -> same.flatMap(ObservedBoot::at));
    boolean ready = isRunning(host) && node.filter(Node::ready).isPresent();
    return new ObservedBoot(
        report.bootId(),
        began,
        same.map(ObservedBoot::seen).orElseGet(() -> watching ? at : earlier(at, began.orElse(at))),
        Optional.of(same.flatMap(ObservedBoot::ready).orElse(at)).filter(_ -> ready));
  }

  private static boolean isRunning(Host host) {
    return host.is(HostPhase.RUNNING);
  }

  /**
   * What an earlier operator published, or recorded a repair for, stands until it is confirmed, or
   * has been off for <i>clear</i>: this one does not know since when it is.
   */
  private void readPublished(Node node, Instant at) {
    if (!readNode.equals(node.uid())) {
      readNode = node.uid();
      node.alerts().published().forEach((name, entry) -> putPublished(name, entry.since(), at));
      node.disruption().flatMap(Disruption::active).stream()
          .flatMap(active -> active.causes().stream())
          .forEach(cause ->
              cause
                  .what()
                  .repaired()
                  .ifPresent(repair -> putPublished(repair.alert(), cause.at(), at)));
    }
  }

  private void putPublished(String name, Instant since, Instant at) {
    SignalKey.parse(new SignalKey(SignalKey.PUBLISHED, SignalKey.HOST, name).text())
        .ifPresent(key ->
            observed.putIfAbsent(
                key,
                new ObservedSignal(
                    Signal.standing(key, since).endedAt(at), Instant.EPOCH, Optional.of(at))));
  }
}
