package io.nodepool.plan.health;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.metadata.Reserving;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.UserText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Everything that is reported about one machine: by its fleet, by monitors, by conditions that
 * others write on its Node, and by this operator itself, which alone knows its pending Nodes and
 * its own boots (decision D31).
 *
 * @param changesAt when that changes without an observation; empty if it does not
 */
public record MachineSignals(List<Signal> signals, Optional<Instant> changesAt) {
  private static final String PENDING = "PendingStateExtendedTime";
  private static final String PENDING_UNUSED = "PendingStateExtendedTimeLowGpuUtil";
  private static final String HOST_FAILED = "HostFailedUnderNode";
  private static final String HOST_CLEANING = "HostCleaningUnderNode";
  private static final String REBOOT_HANGS = "NodeRebootHangs";

  /** How long a Node must be pending before the signal of its unused GPUs counts (seed 000). */
  private static final Duration UNUSED_AFTER = Duration.ofDays(10);

  /**
   * What is reported about a machine.
   *
   * @param node the Node of the Host's current tenancy
   * @param monitored what monitors report about the Host
   */
  public static MachineSignals of(
      Host host,
      Optional<Node> node,
      List<Signal> monitored,
      AlertCatalogue catalogue,
      HealthSettings settings,
      Instant now) {
    Optional<Instant> unusedFrom =
        node.flatMap(MachineSignals::pending)
            .map(pending -> pending.since().plus(UNUSED_AFTER.dividedBy(settings.speed())));
    boolean hasUnused = monitored.stream().anyMatch(each -> each.name().equals(PENDING_UNUSED));
    return new MachineSignals(
        Stream.of(
                host.report().signals().stream(),
                monitored.stream().filter(each -> counts(each, node, unusedFrom, now)),
                node.stream().flatMap(each -> ofOthers(each, catalogue)),
                node.stream().flatMap(each -> own(host, each, now)))
            .flatMap(each -> each)
            .toList(),
        unusedFrom.filter(at -> hasUnused && at.isAfter(now)));
  }

  private static boolean counts(
      Signal signal, Optional<Node> node, Optional<Instant> unusedFrom, Instant now) {
    return !signal.name().equals(PENDING_UNUSED)
        || (unusedFrom.filter(at -> !at.isAfter(now)).isPresent()
            && node.flatMap(MachineSignals::pending)
                .filter(pending -> !signal.since().isBefore(pending.since()))
                .isPresent());
  }

  private static Optional<NodeStatus.Entry> pending(Node node) {
    return node.status().lifecycle().pending().filter(NodeStatus.Entry::status);
  }

  private static Stream<Signal> ofOthers(Node node, AlertCatalogue catalogue) {
    return node.alerts().others().entrySet().stream()
        .flatMap(each ->
            catalogue.ofNodeCondition(each.getKey()).stream()
                .map(alert ->
                    Signal.standing(
                            new SignalKey(SourceName.CONDITIONS, SignalKey.HOST, alert.name()),
                            each.getValue().since())
                        .withMessage(
                            UserText.shortened(each.getValue().message(), Signal.LONGEST_MESSAGE))
                        .withReported(Optional.of(each.getValue().heartbeat()))));
  }

  /** The operator's own signals are about the present boot, whatever the clocks show. */
  private static Stream<Signal> own(Host host, Node node, Instant now) {
    if (!node.registered() || host.power() == Host.Power.OFF) {
      return Stream.empty();
    }
    return Stream.of(
            notReady(host, node).map(since -> own(host, SuspectedAlert.NOT_READY, since)),
            notReady(host, node)
                .filter(_ -> isHgx(host))
                .map(since -> own(host, SuspectedAlert.NOT_READY_HGX, since)),
            pendingSince(node, now).map(since -> own(host, PENDING, since)),
            inPhase(host, HostPhase.FAILED).map(since -> own(host, HOST_FAILED, since)),
            inPhase(host, HostPhase.CLEANING).map(since -> own(host, HOST_CLEANING, since)),
            hanging(host, node).map(request -> own(host, REBOOT_HANGS, request.at())))
        .flatMap(Optional::stream);
  }

  /**
   * Since when the Node is pending: in a state that a client requested, or by a reservation. No
   * object records the time of a reservation, so it counts since this operator observed it.
   */
  private static Optional<Instant> pendingSince(Node node, Instant now) {
    return pending(node)
        .map(NodeStatus.Entry::since)
        .or(() -> Optional.of(now).filter(_ -> Reserving.isPending(node.metadata())));
  }

  private static Signal own(Host host, String name, Instant since) {
    SignalKey key = new SignalKey(SourceName.OPERATOR, SignalKey.HOST, name);
    return Signal.standing(key, since).withBootId(host.report().bootId());
  }

  /** Since when the Node is not Ready, unless the operator's boot or a preemption caused that. */
  private static Optional<Instant> notReady(Host host, Node node) {
    boolean expected = node.isCommitted() || host.isRebooting() || host.preemption().isPresent();
    return node.status().notReadySince().filter(_ -> !expected);
  }

  /** Whether its GPUs are on one board with NVSwitches, as in HGX machines. */
  private static boolean isHgx(Host host) {
    return host.machine().instanceType().matches("(b[0-9]+-8x|gd-8x[abh][0-9]+.*)");
  }

  private static Optional<Instant> inPhase(Host host, HostPhase phase) {
    return Optional.of(host).filter(each -> each.is(phase)).map(each -> each.report().since());
  }

  /** The request of a reboot that had to be tried again, while the reboot is under way. */
  private static Optional<BootRequest> hanging(Host host, Node node) {
    return host.boot()
        .filter(request -> node.isCommitted() && request.kind().boots() && request.attempt() > 1);
  }
}
