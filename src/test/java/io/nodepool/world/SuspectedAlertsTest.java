package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.PastRepair;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is done about an alert that is reported about many Nodes at once (decision D33). */
@Tag("world")
class SuspectedAlertsTest extends RepairWorld {
  SuspectedAlertsTest() {
    super(23);
  }

  private List<Node> verified() {
    return pool.nodes().stream()
        .filter(node ->
            host(node).boot().filter(boot -> boot.kind() == BootKind.VERIFICATION).isPresent())
        .toList();
  }

  private List<String> said() {
    return drill
        .events(EventReason.ALERT_SUSPECTED)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(event -> event.message())
        .toList();
  }

  @Test
  void oneIdleNodeIsVerifiedAtATimeAndNoneIsRepairedIfItPasses() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.subList(0, 12).stream().map(this::work).toList();
    nodes.forEach(node -> report(node, OUT_NOW));
    drill.advance(2, HOURS);

    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(verified())
        .hasSize(8)
        .allMatch(
            node -> nodes.subList(12, 20).stream().anyMatch(idle -> idle.uid().equals(node.uid())));
    assertThat(pods).allMatch(this::lives);
    assertThat(pool.nodes()).noneMatch(Node::cordoned);
    assertThat(nodes).allMatch(node -> powerCycles(node) == 0);
    assertThat(said())
        .anyMatch(text -> text.startsWith(OUT_NOW + " is a false alarm: 1 Node ("))
        .hasSize(2);
  }

  /** Busy Nodes that were cordoned before the doubt take no place from the idle one that proves. */
  @Test
  void anIdleNodeIsVerifiedAlthoughBusyOnesWereCordonedBefore() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.subList(0, 12).stream().map(this::work).toList();
    nodes.subList(0, 4).forEach(node -> report(node, OUT_NOW));
    drill.advance(1, SECONDS);
    assertThat(pool.nodes()).filteredOn(Node::cordoned).isNotEmpty();
    nodes.subList(4, 20).forEach(node -> report(node, OUT_NOW));
    drill.advance(2, HOURS);

    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(verified())
        .isNotEmpty()
        .allMatch(
            node -> nodes.subList(12, 20).stream().anyMatch(idle -> idle.uid().equals(node.uid())));
    assertThat(pods).allMatch(this::lives);
    assertThat(pool.nodes()).noneMatch(Node::cordoned);
  }

  @Test
  void anAlertThatAVerificationConfirmsIsActedOn() {
    List<Node> nodes = grown(20);
    nodes.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    nodes.subList(0, 8).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(6, HOURS);

    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Genuine");
    assertThat(said()).anyMatch(text -> text.contains("did not pass the verification"));
    drill.advance(12, HOURS);
    assertThat(nodes.subList(0, 8)).allMatch(node -> host(node).deliveries().isSetAside());
    assertThat(nodes.subList(8, 20)).allMatch(node -> now(node).isPresent());
    assertThat(pool.nodes()).hasSize(20).noneMatch(Node::cordoned);
    drill.advance(12, HOURS);
    assertThat(suspects()).isEmpty();
  }

  @Test
  void aMachineThatPassesWhileItsAlertIsGenuineIsNotSaidToWaitForABoot() {
    List<Node> nodes = grown(20);
    List<Node> faulty = nodes.subList(0, 8);
    faulty.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    faulty.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(6, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Genuine");
    Node sound = nodes.get(10);
    report(sound, OUT_WHEN_IDLE);
    drill.advance(4, HOURS);

    assertThat(host(sound).alertVerified()).contains(true);
    assertThat(present(sound).cordoned()).isFalse();
    assertThat(toldHeld()).noneMatch(said -> said.contains("does not offer"));
  }

  @Test
  void aLieAboutBusyNodesBesideAGenuineAlertEndsTheWorkOfTwoNodesInADay() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    List<Node> faulty = nodes.subList(0, 7);
    faulty.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    faulty.forEach(node -> report(node, OUT_NOW));
    drill.advance(6, HOURS);
    assertThat(suspects()).containsExactly(OUT_NOW + " Genuine");
    nodes.subList(8, 14).forEach(node -> report(node, OUT_NOW));
    drill.advance(12, HOURS);

    assertThat(pods.subList(8, 14)).filteredOn(pod -> !lives(pod)).hasSize(2);
    assertThat(toldHeld()).anyMatch(said -> said.contains("was ended for " + OUT_NOW));
  }

  @Test
  void aFaultThatWasProvedAndRepairedProvesNoLieAboutTheSameMachine() {
    List<Node> nodes = grown(20);
    List<Node> faulty = nodes.subList(0, 10);
    faulty.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    faulty.forEach(node -> report(node, REBOOT_NOW));
    cluster.watch(
        WorldCluster.Kind.HOSTS,
        seen -> {
          if (seen instanceof Observation.HostSeen(Host host)
              && host.alertVerified().filter(passed -> !passed).isPresent()) {
            String name = host.id().name();
            drill.world.later(
                Duration.ofSeconds(1),
                () -> {
                  cluster.fleetOwner().healReboots(name);
                  signals.withdraw(name, key(REBOOT_NOW));
                });
          }
        });
    drill.advance(10, HOURS);
    assertThat(suspects()).containsExactly(REBOOT_NOW + " Genuine");
    List<Node> named =
        faulty.stream()
            .filter(node -> now(node).filter(each -> !each.cordoned()).isPresent())
            .filter(node -> host(node).past().stream().anyMatch(PastRepair::proved))
            .toList();
    assertThat(named).hasSize(10);
    List<Pod> pods = named.stream().map(this::work).toList();
    named.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(12, HOURS);

    assertThat(pods).filteredOn(pod -> !lives(pod)).hasSize(2);
  }

  @Test
  void aBootThatTheFleetDoesNotOfferTakesNoCordonBack() {
    List<Node> nodes = grown(20);
    nodes.forEach(this::work);
    cluster
        .fleetOwner()
        .offer(
            cluster
                .offer()
                .withCapabilities(new FleetOffer.Capabilities(new TreeSet<>(), true, false)));
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(10, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    Node cordoned = pool.nodes().stream().filter(Node::cordoned).findFirst().orElseThrow();
    report(cordoned, RESET);
    drill.advance(1, MINUTES);

    assertThat(present(cordoned).cordoned()).isTrue();
    assertThat(drill.events(EventReason.NODE_UNCORDONED)).isEmpty();
  }

  @Test
  void withoutAnIdleNodeOneBusyOneIsVerified() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    nodes.subList(0, 6).forEach(node -> report(node, OUT_NOW));
    nodes.subList(6, 12).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(12, HOURS);

    // The grade of one ends work, that of the other one does not in a pool that protects it.
    assertThat(verified()).hasSize(1);
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm", OUT_WHEN_IDLE + " Pending");
    assertThat(nodes).allMatch(node -> now(node).isPresent() && powerCycles(node) == 0);
    assertThat(pods).filteredOn(pod -> !lives(pod)).hasSize(1);
  }

  @Test
  void aNodeThatGetsWorkIsNotVerifiedAndAnotherOneIs() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    for (int i = 0; i < 60 && repairs().admitted().isEmpty(); i++) {
      drill.advance(1, SECONDS);
    }
    String chosen = repairs().admitted().orElseThrow().node();
    // A binding that was on its way when the Node was cordoned.
    Node busy = nodes.stream().filter(node -> node.name().equals(chosen)).findFirst().orElseThrow();
    boolean begun = host(busy).boot().isPresent();
    Pod pod = cluster.bindPod("default", "train-" + busy.name(), busy.name(), "ReplicaSet");
    drill.advance(1, HOURS);

    assertThat(begun || lives(pod)).isTrue();
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");
    assertThat(verified()).isNotEmpty();
  }

  private void withoutVerification() {
    cluster
        .fleetOwner()
        .offer(
            cluster
                .offer()
                .withCapabilities(
                    new FleetOffer.Capabilities(
                        new TreeSet<>(Set.of(BootKind.REBOOT)), false, false)));
  }

  @Test
  void anAlertIsHeldWhereTheFleetDoesNotVerify() {
    List<Node> nodes = grown(20);
    withoutVerification();
    drill.advance(1, MINUTES);
    nodes.forEach(node -> report(node, OUT_NOW));
    drill.advance(12, HOURS);

    assertThat(suspects()).containsExactly(OUT_NOW + " Held");
    assertThat(verified()).isEmpty();
    assertThat(nodes).allMatch(node -> now(node).isPresent());
    assertThat(said())
        .containsExactly(
            OUT_NOW
                + " is held: it is in doubt, and the fleet does not verify machines. No machine is repaired for it until a person releases it.");
  }

  @Test
  void anOfferThatCannotBeReadForAWhileHoldsNoAlertForGood() {
    List<Node> nodes = grown(20);
    nodes.forEach(this::work);
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(5, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    FleetOffer offer = cluster.offer();
    cluster.fleetOwner().loseOffer("it is not there");
    drill.advance(5, MINUTES);
    cluster.fleetOwner().offer(offer);
    drill.advance(5, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
  }

  @Test
  void aFalseAlarmStaysOneForADay() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(2, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");

    nodes.subList(4, 20).forEach(node -> signals.withdraw(node.name(), key(OUT_WHEN_IDLE)));
    drill.advance(12, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");
    assertThat(pool.nodes()).noneMatch(Node::cordoned);

    nodes.subList(0, 4).forEach(node -> signals.withdraw(node.name(), key(OUT_WHEN_IDLE)));
    drill.advance(1, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");
    drill.advance(12, HOURS);
    assertThat(suspects()).isEmpty();
    assertThat(nodes).allMatch(node -> now(node).isPresent());
  }

  @Test
  void aMachineThatLeavesWithAnAlertThatIsHeldIsGivenOutLast() {
    List<Node> nodes = grown(20);
    withoutVerification();
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(5, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Held");
    pool.target(18);
    drill.advance(30, MINUTES);
    List<Node> left = nodes.stream().filter(node -> host(node).assignment().isEmpty()).toList();
    assertThat(left).hasSize(2).allMatch(node -> !host(node).deliveries().isSetAside());

    // Ten other machines are free.
    pool.target(28);
    drill.advance(2, HOURS);
    assertThat(left).allMatch(node -> host(node).assignment().isEmpty());
    pool.target(29);
    drill.advance(2, HOURS);
    assertThat(left).filteredOn(node -> host(node).assignment().isPresent()).hasSize(1);
  }

  /** Also one about which something is reported only then. */
  @Test
  void aPoolThatIsDeletedSetsNoHostAsideForAnAlertInDoubt() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    nodes.subList(0, 8).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(5, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    pool.delete();
    drill.advance(1, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    nodes.forEach(node -> report(node, "NodeRepeatUCE"));
    drill.advance(1, MINUTES);
    pods.forEach(pod -> cluster.workloads().finish(pod.uid()));
    drill.advance(3, HOURS);
    assertThat(cluster.nodes()).isEmpty();
    assertThat(cluster.hosts().values()).noneMatch(host -> host.deliveries().isSetAside());
  }

  @Test
  void aMachineThatLeavesWithAnAlertThatIsHeldIsVerifiedAndSetAsideIfItFails() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    nodes.subList(0, 8).forEach(node -> report(node, OUT_WHEN_IDLE));
    cluster.fleetOwner().reboot(nodes.get(3).name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE);
    drill.advance(5, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    pool.delete();
    pods.forEach(pod -> cluster.workloads().finish(pod.uid()));
    drill.advance(90, SECONDS);
    assertThat(pool.nodes())
        .flatExtracting(node -> node.removing().stream().toList())
        .extracting(Node.Removing::reason)
        .contains(NodeRemovalReason.VERIFYING);
    drill.advance(1, HOURS);

    assertThat(cluster.nodes()).isEmpty();
    assertThat(nodes)
        .filteredOn(node -> host(node).deliveries().isSetAside())
        .extracting(Node::name)
        .containsExactly(nodes.get(3).name());
    assertThat(host(nodes.get(3)).past())
        .singleElement()
        .matches(past -> past.out() && past.proved() && !past.endedWork());
    assertThat(nodes).allMatch(node -> host(node).deliveries().failure().isEmpty());
    // Nothing is known about the others.
    assertThat(nodes.subList(8, 20)).allMatch(node -> host(node).boot().isEmpty());
  }

  /** Its failed verification is the proof: another one would show nothing, and hide the first. */
  @Test
  void aMachineThatFailedItsVerificationIsNotVerifiedAgainWhenItIsPreempted() {
    pool.spot(20).toRest();
    List<Node> nodes = pool.nodes();
    nodes.forEach(node ->
        cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
    // More of them than may be set aside in a day.
    nodes.subList(0, 12).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(12, HOURS);
    List<Node> failed =
        pool.nodes().stream().filter(node -> host(node).isProvedFaulty(OUT_WHEN_IDLE)).toList();
    assertThat(failed).isNotEmpty();
    failed.forEach(node -> drill.reclaim(node.name()));
    drill.advance(1, HOURS);

    assertThat(failed).allMatch(node -> now(node).isEmpty());
    assertThat(failed)
        .extracting(node -> host(node).past().getLast())
        .allMatch(past -> past.out() && past.proved());
    assertThat(drill.events(EventReason.NODE_REBOOT_RETRIED)).isEmpty();
  }

  @Test
  void aNodeThatLeavesForSomethingElseIsNotRecordedAsTakenOutForAnAlertInDoubt() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.subList(0, 10).stream().map(this::work).toList();
    nodes.subList(0, 10).forEach(node -> report(node, "KernelDeadlock"));
    drill.advance(10, MINUTES);
    Node waiting = pool.nodes().stream().filter(Node::cordoned).findFirst().orElseThrow();
    pool.target(5);
    drill.advance(30, MINUTES);
    assertThat(now(waiting)).isPresent();
    pods.stream()
        .filter(pod -> pod.nodeName().equals(waiting.name()))
        .forEach(pod -> cluster.deletePod(pod.uid(), drill.world.instant()));
    drill.advance(30, MINUTES);

    assertThat(now(waiting)).isEmpty();
    assertThat(host(waiting).past()).isEmpty();
  }
}
