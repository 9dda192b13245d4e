package io.nodepool.control.state.machine;

import io.nodepool.control.write.Instants;
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
import io.nodepool.vocabulary.SourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The signals about one machine as this operator has observed them, and its active alerts. */
public final class HealthWatch {
  private final ObservedSignals observed = new ObservedSignals();
  private Optional<ObservedBoot> boot = Optional.empty();

  /** Whether the present boot began before this process listed everything. */
  private boolean isFound;

  /** The UID of the Node whose published conditions were read. */
  private String readNode = "";

  private Health now = Health.NONE;

  /** The machine's health, as last observed. */
  public Health now() {
    return now;
  }

  /**
   * Observes the signals about a machine.
   *
   * @param watching whether everything was listed before, so that a new signal began now; otherwise
   *     it began at its recorded time
   */
  public void changed(
      Host host,
      Optional<Node> node,
      List<Signal> reported,
      AlertCatalogue catalogue,
      HealthSettings settings,
      Instant at,
      boolean watching) {
    node.ifPresent(present -> readPublished(present, at));
    ObservedBoot onBoot = boot(host, node, settings.clear(), at, watching);
    boot = Optional.of(onBoot);
    observed.observe(reported, at, settings.clear(), signal -> first(signal, at, watching));
    now = Health.of(observed.all(), onBoot, catalogue, settings, at);
  }

  /** Forgets the machine. */
  public void ended() {
    observed.clear();
    boot = Optional.empty();
    readNode = "";
    now = Health.NONE;
  }

  /** A signal that is first observed after its end began and ended as recorded. */
  private static ObservedSignal first(Signal signal, Instant at, boolean watching) {
    Instant seen = watching && signal.stands() ? at : Instants.earlier(at, signal.since());
    return new ObservedSignal(
        signal, seen, signal.ended().map(ended -> Instants.earlier(at, ended)));
  }

  private ObservedBoot boot(
      Host host, Optional<Node> node, Duration clear, Instant at, boolean watching) {
    Host.Report report = host.report();
    Optional<ObservedBoot> last = boot.filter(each -> each.id().equals(report.bootId()));
    // A machine that does not run has not booted anew.
    Optional<Instant> began =
        report
            .boot()
            .at()
            .or(() -> Optional.of(report.since()).filter(_ -> isRunning(host)))
            .or(() -> last.flatMap(ObservedBoot::at));
    // A fleet may keep the boot id after a loss of power.
    Optional<ObservedBoot> same =
        last.filter(each -> each.at().isEmpty() || each.at().equals(began));
    isFound = same.isPresent() ? isFound : !watching;
    boolean isReady = isRunning(host) && node.filter(Node::ready).isPresent();
    Optional<Instant> ready = same.flatMap(ObservedBoot::ready);
    boolean wasReady =
        ready.filter(since -> !at.isBefore(since.plus(clear))).isPresent()
            || (isFound && wasReadyBefore(node, began, clear));
    return new ObservedBoot(
        report.bootId(),
        began,
        same.map(ObservedBoot::seen)
            .orElseGet(() -> watching ? at : Instants.earlier(at, began.orElse(at))),
        Optional.of(ready.orElse(at)).filter(_ -> isReady || wasReady));
  }

  /**
   * Whether a Node that is not Ready was Ready on this boot before this process began: its
   * condition changed so late that the machine was no longer booting.
   */
  private static boolean wasReadyBefore(
      Optional<Node> node, Optional<Instant> began, Duration clear) {
    Optional<Instant> turned = node.flatMap(each -> each.status().notReadySince());
    return turned.isPresent() && began.isPresent() && turned.get().isAfter(began.get().plus(clear));
  }

  private static boolean isRunning(Host host) {
    return host.is(HostPhase.RUNNING);
  }

  /**
   * An alert that an earlier operator published, or repaired, stays active until it is confirmed,
   * or has been off for <i>clear</i>: this process does not know since when it is off.
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
    SignalKey.parse(new SignalKey(SourceName.PUBLISHED, SignalKey.HOST, name).text())
        .ifPresent(key ->
            observed.putIfAbsent(
                key,
                new ObservedSignal(
                    Signal.standing(key, since).endedAt(at), Instant.EPOCH, Optional.of(at))));
  }
}
