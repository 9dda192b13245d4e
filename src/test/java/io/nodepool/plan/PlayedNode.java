package io.nodepool.plan;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A spot Node, its machine and the one Pod on it, as the operator's writes change them. A budget
 * never allows to evict the Pod. The machine boots and is verified in minutes, and nothing fails.
 */
final class PlayedNode {
  private static final Duration BOOT = Duration.ofMinutes(5);
  private static final Duration VERIFICATION = Duration.ofMinutes(5);

  private Host host = spotHost();
  private Optional<Node> node = Optional.of(spotNode(host));
  private Optional<Pod> pod;
  private Map<String, MachineSnapshot.Attempt> tried = Map.of();
  private boolean poolGone;
  private @Nullable Instant cordonSeen;
  private int cordonOf;
  private @Nullable Instant bootSeen;
  private Disruption.@Nullable Committed committed;
  private MachineSnapshot.@Nullable Listing listed;
  private long listedVersion;

  /** When the request and its policy were set; null while they are not. */
  private @Nullable Instant labelAt;

  private @Nullable Instant policyAt;

  private @Nullable RequestTimes timed;
  private long timedVersion;

  /** Whether the label was set while the policy stood. */
  private boolean policyOwned;

  /** Whether the request ended that the policy belonged to. */
  private boolean requestEnded;

  private @Nullable Instant policyAlone;
  private MachineSnapshot.Announcements announcements = MachineSnapshot.Announcements.NONE;

  private final List<String> boots = new ArrayList<>();

  /**
   * @param busy whether the Pod runs on it
   */
  PlayedNode(boolean busy) {
    pod = busy ? Optional.of(Given.work()) : Optional.empty();
  }

  private static Host spotHost() {
    Host host = Given.running("g1");
    Assignment spot =
        new Assignment(Given.POOL, "spot", "op", DisruptionPlay.START, NodeTemplate.EMPTY);
    return host.withOccupancy(host.occupancy().withAssignment(Optional.of(spot)));
  }

  private static Node spotNode(Host host) {
    Node node = Given.node(host, 3);
    Map<String, String> labels =
        Map.of(
            NodeLabels.COMPUTE_CLASS.key(),
            "spot",
            NodeLabels.STATE.key(),
            Reservation.PRODUCTION,
            NodeLabels.RESERVED.key(),
            Given.OFFER.organization());
    NodeMetadata metadata = node.metadata();
    for (Map.Entry<String, String> label : labels.entrySet()) {
      metadata =
          metadata.withLabels(
              changed(metadata.labels(), label.getKey(), Optional.of(label.getValue())));
    }
    return node.withMetadata(metadata).withStatus(node.status().withBootId(host.report().bootId()));
  }

  private static SortedMap<String, String> changed(
      SortedMap<String, String> values, String key, Optional<String> value) {
    return changed(values, new TreeMap<>(Map.of(key, value)));
  }

  private static SortedMap<String, String> changed(
      SortedMap<String, String> values, SortedMap<String, Optional<String>> changes) {
    SortedMap<String, String> next = new TreeMap<>(values);
    changes.forEach(
        (key, value) -> value.ifPresentOrElse(to -> next.put(key, to), () -> next.remove(key)));
    return next;
  }

  /** A client sets a label of the Node, or removes it. */
  void label(NodeLabels label, Optional<String> value, Instant now) {
    if (label == NodeLabels.PENDING_STATE) {
      boolean same =
          node.map(seen -> seen.metadata().label(label)).equals(Optional.of(value.orElse("")));
      if (!same) {
        requestEnded |=
            policyAt != null
                && labelAt != null
                && (value.isEmpty() || policyOwned)
                && node.filter(Node::isCommitted).isEmpty();
        policyOwned = policyAt != null;
        labelAt = value.isPresent() ? now : null;
      }
    }
    change(
        now,
        seen ->
            seen.withMetadata(
                seen.metadata().withLabels(changed(seen.metadata().labels(), label.key(), value))));
  }

  /** A client sets an annotation of the Node, or removes it. */
  void annotate(NodeAnnotations annotation, Optional<String> value, Instant now) {
    if (annotation == NodeAnnotations.REBOOT_POLICY) {
      policyAt = value.isEmpty() ? null : policyAt == null ? now : policyAt;
      policyOwned &= policyAt != null;
    }
    change(
        now,
        seen ->
            seen.withMetadata(
                seen.metadata()
                    .withAnnotations(
                        changed(seen.metadata().annotations(), annotation.key(), value))));
  }

  /** The fleet announces that it wants the machine back, or withdraws that. */
  void reclaim(Optional<Reclaim> reclaim) {
    host = host.withReport(host.report().withSpot(Host.Spot.OFFERED.withReclaim(reclaim)));
  }

  /** A person uncordons the Node. */
  void uncordon(Instant now) {
    change(now, seen -> seen.withCordoned(false));
  }

  /** Another operator process goes on, which observes everything anew. */
  void isSeenAnew(Instant now) {
    cordonSeen = cordonSeen == null ? null : now;
    bootSeen = bootSeen == null ? null : now;
    tried = Map.of();
    listed = null;
    poolGone = false;
    timed = null;
    requestEnded = false;
    policyAlone = null;
    watchPolicy(now);
  }

  private void watchPolicy(Instant now) {
    Optional<NodeMetadata> metadata = node.map(Node::metadata);
    boolean set =
        metadata
            .filter(seen -> seen.annotations().containsKey(NodeAnnotations.REBOOT_POLICY.key()))
            .isPresent();
    requestEnded &= set;
    policyAt = set ? policyAt : null;
    boolean alone =
        set && metadata.filter(seen -> seen.label(NodeLabels.PENDING_STATE).isEmpty()).isPresent();
    policyAlone = !alone ? null : policyAlone == null ? now : policyAlone;
  }

  private void change(Instant now, UnaryOperator<Node> edit) {
    node = node.map(seen -> edit.apply(seen).withVersion(seen.version() + 1));
    watchPolicy(now);
    Disruption.Admitted admission =
        node.filter(Node::cordoned).flatMap(Node::disruption).orElse(null)
                instanceof Disruption.Admitted admitted
            ? admitted
            : null;
    if (admission == null) {
      cordonSeen = null;
    } else if (cordonSeen == null || cordonOf != admission.sequence()) {
      cordonSeen = now;
      cordonOf = admission.sequence();
    }
  }

  /** What the machine's planner sees. */
  MachineSnapshot seen(Optional<Pool> pool) {
    MachineSnapshot.Evidence evidence =
        new MachineSnapshot.Evidence(
            Optional.ofNullable(cordonSeen),
            Optional.ofNullable(listed)
                .filter(_ -> node.filter(seen -> seen.version() == listedVersion).isPresent()),
            tried,
            poolGone,
            Optional.empty(),
            new MachineSnapshot.Booting(
                Optional.ofNullable(bootSeen), Optional.empty(), Optional.empty()),
            new MachineSnapshot.Requested(
                Optional.ofNullable(timed)
                    .filter(_ -> node.filter(seen -> seen.version() == timedVersion).isPresent()),
                requestEnded,
                Optional.ofNullable(policyAlone)),
            0,
            announcements,
            Optional.empty());
    return Given.machine(host, node, pods(), pool, evidence);
  }

  /** When the Pod ends or the machine gets further by itself. */
  Stream<Instant> nextByItself() {
    return Stream.concat(pod.flatMap(Pod::deletedAt).stream(), nextOfMachine().stream());
  }

  private Optional<Instant> nextOfMachine() {
    return host.boot()
        .filter(_ -> host.is(HostPhase.RUNNING))
        .flatMap(request ->
            host.isRebooting()
                ? Optional.of(request.at().plus(BOOT))
                : Optional.of(host.report().boot().at().orElse(request.at()).plus(VERIFICATION))
                    .filter(_ -> !isVerified(request)));
  }

  private boolean isVerified(BootRequest request) {
    return host.report()
        .boot()
        .verification()
        .filter(last -> last.answers(host.report().bootId(), request))
        .isPresent();
  }

  /** Lets everything happen that is due by itself. */
  void pass(Instant now) {
    pod = pod.filter(each -> each.deletedAt().filter(end -> !end.isAfter(now)).isEmpty());
    for (Optional<Instant> next = nextOfMachine();
        next.filter(at -> !at.isAfter(now)).isPresent();
        next = nextOfMachine()) {
      goOn(next.get(), now);
    }
  }

  private void goOn(Instant at, Instant now) {
    Host.Boot boot = host.report().boot();
    BootRequest request = host.boot().orElseThrow();
    if (host.isRebooting()) {
      String next = "boot " + boots.size();
      host =
          host.withReport(
              host.report()
                  .withBoot(
                      new Host.Boot(
                          next,
                          host.occupancy().configuration(),
                          Optional.of(at),
                          boot.cycles() + 1,
                          Optional.empty(),
                          boot.verification())));
      change(now, seen -> seen.withStatus(seen.status().withBootId(next)));
    } else {
      Host.Verification passed =
          new Host.Verification(boot.id(), request.operation(), request.attempt(), true, at, "");
      host = host.withReport(host.report().withBoot(boot.withVerification(Optional.of(passed))));
    }
  }

  /** Carries out a write, or a read. */
  void apply(Action action, Optional<Pool> pool, Instant now) {
    switch (action) {
      case Action.WriteNode write -> {
        write
            .next()
            .filter(_ -> write.isFor(NodePurpose.COMMIT))
            .map(Disruption.Committed.class::cast)
            .ifPresent(next -> committed = next);
        change(now, seen -> written(seen, write.change()));
      }
      case Action.ListPods _ -> {
        listed = new MachineSnapshot.Listing(pods(), now);
        listedVersion = node.orElseThrow().version();
      }
      case Action.AskRequestTimes _ -> {
        timed = new RequestTimes(Optional.ofNullable(labelAt), Optional.ofNullable(policyAt));
        timedVersion = node.orElseThrow().version();
      }
      case Action.Announce announced -> {
        Map<EventReason, String> last = new HashMap<>(announcements.last());
        last.put(announced.reason(), announced.occasion());
        announcements = new MachineSnapshot.Announcements(last, Instant.MIN, true);
      }
      case Action.Confirm _ -> poolGone = pool.isEmpty();
      case Action.EvictPod evict ->
          tried =
              Map.of(
                  evict.subject().uid(),
                  new MachineSnapshot.Attempt(Optional.of("the budget"), now));
      case Action.DeletePod delete ->
          pod =
              pod.map(each ->
                  each.withExecution(
                      each.execution()
                          .withEnding(
                              Optional.of(ending(now, delete.grace().orElse(Duration.ZERO))))));
      case Action.OnHost(HostOperation.Stop _) ->
          host =
              Given.host("g1", HostPhase.STOPPED, 3, Host.Power.OFF)
                  .withOccupancy(host.occupancy().withPower(Host.Power.OFF));
      case Action.OnHost(HostOperation.Boot boot) -> {
        host =
            host.withOccupancy(
                host.occupancy()
                    .withBoot(Optional.of(boot.request()))
                    .withConfiguration(boot.configuration(host.occupancy().configuration())));
        bootSeen = now;
        boots.add(boot.request().kind().word());
      }
      case Action.OnHost(HostOperation.Stage stage) ->
          host = host.withOccupancy(host.occupancy().withConfiguration(stage.configuration()));
      case Action.DeleteNode _ -> node = Optional.empty();
      default -> throw new IllegalStateException("not part of the play: " + action);
    }
  }

  private static Pod.Ending ending(Instant now, Duration grace) {
    return new Pod.Ending(now.plus(grace), grace);
  }

  private static Node written(Node node, NodeChange change) {
    NodeStatus status = node.status();
    for (ConditionChange condition : change.conditions()) {
      status =
          status.with(
              condition.type(),
              condition instanceof ConditionChange.Set set
                  ? Optional.of(
                      new NodeStatus.Entry(
                          set.status(),
                          set.reason(),
                          set.message(),
                          set.since().orElse(Instant.EPOCH),
                          1))
                  : Optional.empty());
    }
    boolean cordoned =
        switch (change.cordoning()) {
          case KEEP -> node.cordoned();
          case CORDON -> true;
          case UNCORDON -> false;
        };
    List<Taint> taints = new ArrayList<>(node.metadata().taints());
    if (change instanceof NodeChange.OfSpec spec) {
      taints.removeAll(spec.taints().removed());
      taints.addAll(spec.taints().added());
    }
    MetadataChange metadata = change.metadata();
    NodeMetadata next =
        new NodeMetadata(
            metadata.recorded() instanceof MetadataChange.Recorded.Applied(var applied)
                ? Optional.of(applied)
                : node.metadata().applied(),
            changed(node.metadata().labels(), metadata.labels()),
            changed(node.metadata().annotations(), metadata.annotations()),
            taints);
    return node.withMetadata(next)
        .withCordoned(cordoned)
        .withStatus(status)
        .withDisruption(
            metadata.recorded() instanceof MetadataChange.Recorded.Disrupted(var disruption)
                ? disruption
                : node.disruption());
  }

  List<Pod> pods() {
    return pod.stream().toList();
  }

  Host host() {
    return host;
  }

  /** The Node, while it exists. */
  Optional<Node> node() {
    return node;
  }

  /** The last committed state of its disruption. */
  Optional<Disruption.Committed> committed() {
    return Optional.ofNullable(committed);
  }

  /** Whether its last boot, or its verification without one, was requested and is verified. */
  boolean isVerified() {
    return host.boot().filter(this::isVerified).isPresent();
  }

  /** What the machine was asked for, in order. */
  List<String> boots() {
    return List.copyOf(boots);
  }
}
