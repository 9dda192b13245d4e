package io.nodepool.conformance;

import static io.nodepool.conformance.ConformanceCheck.changes;

import io.nodepool.conformance.ConformanceCheck.Cases;
import io.nodepool.conformance.History.Change;
import io.nodepool.conformance.History.Ending;
import io.nodepool.conformance.History.HostVersion;
import io.nodepool.conformance.History.NodeVersion;
import io.nodepool.conformance.History.Rested;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Node;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The checks of an assignment, from its begin to its end. */
final class DeliveryChecks {
  private DeliveryChecks() {}

  static Map<String, BiConsumer<History, Cases>> judges() {
    return Map.ofEntries(
        Map.entry("delivers", came(Milestone.RUNNING)),
        Map.entry("says-how-it-ends", DeliveryChecks::ends),
        Map.entry(
            "failed-is-final",
            changes(
                each -> each.after().assignment().isPresent() && each.isOfPhase(),
                (_, each) ->
                    each.before().report().phase() != HostPhase.FAILED
                        || each.begins(HostPhase.STOPPED),
                DeliveryChecks::phases)),
        Map.entry("tenancy", DeliveryChecks::tenancy),
        Map.entry("node-identity", came(Milestone.JOINED).andThen(DeliveryChecks::identity)),
        Map.entry("node-complete", DeliveryChecks::complete),
        Map.entry("boot-id", came(Milestone.SAME_BOOT).andThen(DeliveryChecks::sameBoot)),
        Map.entry("configuration", configuration()),
        Map.entry(
            "cancel-before-boot",
            changes(
                each -> isCancelled(each, HostPhase.FREE),
                (host, each) -> unassignedAfter(host, each).noneMatch(DeliveryChecks::boots),
                _ -> "it booted all the same")),
        Map.entry(
            "cancel-during-boot",
            changes(
                each -> isCancelled(each, HostPhase.BOOTING),
                (host, each) ->
                    unassignedAfter(host, each)
                        .filter(Change::isOfPhase)
                        .limit(1)
                        .allMatch(next -> !boots(next) && !next.begins(HostPhase.FREE)),
                _ -> "it was not cleaned")),
        Map.entry("reassign", reassign()),
        Map.entry("stops", came(Milestone.STOPPED)),
        Map.entry(
            "off-wins",
            changes(
                each ->
                    each.before().power() == Host.Power.ON
                        && each.after().power() == Host.Power.OFF
                        && (each.after().isBooting() || each.before().isRebooting()),
                (host, each) ->
                    host.sameTenancyAfter(each)
                        .noneMatch(later -> later.begins(HostPhase.RUNNING) || later.isOfBoot()),
                _ -> "it booted all the same")),
        Map.entry(
            "off-stays-off",
            changes(
                each -> each.begins(HostPhase.STOPPED) && each.after().assignment().isPresent(),
                DeliveryChecks::staysOff,
                _ -> "it came back, or a Node of it joined")),
        Map.entry(
            "release-cleans",
            changes(
                each -> each.begins(HostPhase.FREE),
                (host, each) -> isClean(host, each) && host.before(each.seen()).node().isEmpty(),
                DeliveryChecks::phases)),
        Map.entry("release-ends", came(Milestone.FREE)));
  }

  /** Each wait for this milestone must have reached it. */
  static BiConsumer<History, Cases> came(Milestone milestone) {
    return (host, cases) ->
        host.awaited(milestone)
            .forEach(each -> cases.judge(each.ending() == Ending.CAME, each, each.state()));
  }

  private static void ends(History host, Cases cases) {
    host.awaited(Milestone.RUNNING)
        .forEach(each -> cases.judge(each.ending() != Ending.LATE, each, each.state()));
  }

  static String phases(Change change) {
    return "%s of tenancy %d, then %s of tenancy %d"
        .formatted(
            change.before().report().phase().word(),
            change.before().report().tenancy(),
            change.after().report().phase().word(),
            change.after().report().tenancy());
  }

  private static void tenancy(History host, Cases cases) {
    changes(
            each ->
                each.isOfPhase()
                    || each.isOfBoot()
                    || each.after().report().tenancy() != each.before().report().tenancy(),
            (_, each) -> each.after().report().tenancy() == each.after().tenancy(),
            each -> phases(each) + ", while spec.tenancy is " + each.after().tenancy())
        .accept(host, cases);
    host.of(HostVersion.class)
        .filter(each -> each.now().is(HostPhase.RUNNING) && !each.now().report().bootId().isEmpty())
        .collect(Collectors.groupingBy(each -> each.now().report().bootId()))
        .forEach((boot, versions) ->
            cases.require(
                versions.stream().map(each -> each.now().tenancy()).distinct().count() == 1,
                versions.getLast(),
                "boot \"%s\" is one of an earlier tenancy".formatted(boot)));
  }

  private static void identity(History host, Cases cases) {
    for (NodeVersion each : host.newNodes()) {
      Optional<Host> last = host.before(each).host();
      cases.judge(
          last.filter(each.now()::isOf).isPresent(),
          each,
          "a Node of tenancy %d was not the Host's".formatted(each.now().identity().tenancy()));
    }
  }

  private static void complete(History host, Cases cases) {
    for (NodeVersion each : host.newNodes()) {
      Optional<Assignment> assigned = host.before(each).host().flatMap(Host::assignment);
      cases.judge(
          assigned.filter(known -> has(each.now(), known.node())).isPresent(),
          each,
          "the Node lacks a part of the assignment: " + each.now().metadata());
    }
  }

  private static boolean has(Node node, NodeTemplate template) {
    return node.metadata().labels().entrySet().containsAll(template.labels().entrySet())
        && node.metadata().annotations().entrySet().containsAll(template.annotations().entrySet())
        && node.metadata().taints().containsAll(template.taints());
  }

  /** At rest, a Node that is Ready shows the boot of its Host. */
  private static void sameBoot(History history, Cases cases) {
    for (Rested rested : history.of(Rested.class).toList()) {
      Optional<Node> node = history.before(rested).node().filter(Node::ready);
      history
          .before(rested)
          .host()
          .filter(host ->
              host.is(HostPhase.RUNNING) && node.filter(each -> each.isOf(host)).isPresent())
          .ifPresent(host ->
              cases.judge(
                  host.report().bootId().equals(node.orElseThrow().status().bootId()),
                  rested,
                  Milestone.state(host, node)));
    }
  }

  private static BiConsumer<History, Cases> configuration() {
    return changes(
        each ->
            each.after().is(HostPhase.RUNNING)
                && each.isOfBoot()
                && !each.after().configuration().isEmpty(),
        (_, each) ->
            each.after().configuration().equals(each.after().report().bootedConfiguration()),
        each ->
            "\"%s\" was booted instead of \"%s\""
                .formatted(
                    each.after().report().bootedConfiguration(), each.after().configuration()));
  }

  private static boolean isCancelled(Change change, HostPhase phase) {
    return change.isCancellation() && change.before().report().phase() == phase;
  }

  private static boolean boots(Change change) {
    return change.begins(HostPhase.BOOTING) || change.begins(HostPhase.RUNNING);
  }

  private static Stream<Change> unassignedAfter(History host, Change change) {
    return host.after(change).takeWhile(each -> each.after().assignment().isEmpty());
  }

  /** Nothing of a cancelled tenancy appears later. */
  private static BiConsumer<History, Cases> reassign() {
    return changes(
        Change::isCancellation,
        (host, cancelled) -> {
          int tenancy = cancelled.after().tenancy();
          return host.after(cancelled)
                  .filter(each -> each.after().report().tenancy() == tenancy)
                  .noneMatch(each -> each.begins(HostPhase.RUNNING))
              && host.newNodes().stream()
                  .noneMatch(each -> each.now().identity().tenancy() == tenancy);
        },
        each -> "tenancy %d ran after it was cancelled".formatted(each.after().tenancy()));
  }

  /** A fleet that never reports Cleaning may leave it out after Stopped. */
  private static boolean isClean(History host, Change free) {
    return switch (free.before().report().phase()) {
      case CLEANING, FAILED, FREE -> true;
      case STOPPED -> host.changes().stream().noneMatch(each -> each.begins(HostPhase.CLEANING));
      case BOOTING, RUNNING -> false;
    };
  }

  private static boolean staysOff(History host, Change stopped) {
    return host.sameTenancyAfter(stopped)
            .map(each -> each.after().report().phase())
            .allMatch(Set.of(HostPhase.STOPPED, HostPhase.FAILED)::contains)
        && host.newNodes().stream()
            .filter(each -> each.at().isAfter(stopped.seen().at()))
            .noneMatch(each -> each.now().identity().tenancy() == stopped.after().tenancy());
  }
}
