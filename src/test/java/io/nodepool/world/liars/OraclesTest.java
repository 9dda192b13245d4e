package io.nodepool.world.liars;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The oracles of the liars, each with deeds that it must find. The operator only lets the pool
 * grow; what is done afterwards is done here.
 */
class OraclesTest {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final String OUT_NOW = "GPUFallenOffBus";
  private static final String OUT_WHEN_IDLE = "NodeGPUNVLinkDown";
  private static final int NODES = 8;

  private final DataCentre machines =
      OpenWorld.racks(TYPE, 1, NODES)
          .withTimings(
              new DataCentre.Timings(
                  Duration.ofMinutes(4), Duration.ofMinutes(8), Duration.ofMinutes(5)));
  private Consumer<Action> arriving = _ -> {};
  private World world = emptyWorld(machines);
  private WorldCluster cluster = world.cluster();
  private Claims claims = new Claims(cluster, world);
  private Deeds deeds = new Deeds(world, claims, _ -> {});
  private Oracles oracles = oracles(run(false, Optional.empty()));

  private World emptyWorld(DataCentre dataCentre) {
    return OpenWorld.of(3, dataCentre, Deeds.telling(action -> arriving.accept(action)), 1_000);
  }

  private static LiarRun run(boolean protects, Optional<LiarRun.TrueFault> fault) {
    return new LiarRun(
        3,
        List.of(new LiarRun.PoolPlan(NODES, 0, false)),
        protects,
        LiarRun.Fleet.VERIFIES,
        new LiarRun.Work(100, LiarRun.Work.ENDLESS, false),
        List.of(),
        fault,
        List.of(),
        List.of(),
        Optional.empty());
  }

  private Oracles oracles(LiarRun run) {
    Published published = new Published(cluster, world);
    Promises promises = new Promises(cluster, world);
    Oracles next = new Oracles(run, world, claims, published, promises);
    deeds = new Deeds(world, claims, next::heard);
    arriving = deeds::arrives;
    next.of(deeds, Set.of(OUT_NOW, OUT_WHEN_IDLE));
    return next;
  }

  /** These machines, in the place of the usual ones. */
  private void with(DataCentre dataCentre, Optional<LiarRun.TrueFault> fault) {
    world = emptyWorld(dataCentre);
    cluster = world.cluster();
    claims = new Claims(cluster, world);
    oracles = oracles(run(false, fault));
  }

  /** The pool has grown; from now on there is no operator, unless it is to go on. */
  private void grown(boolean protects, boolean operated) {
    cluster.createPool("a", Fixtures.spec(TYPE, NODES), world.instant());
    cluster.editPool(
        "a",
        spec -> spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(protects)));
    pass(Duration.ofHours(1));
    assertThat(nodes()).hasSize(NODES).allMatch(Node::registered);
    if (!operated) {
      stopOperator();
    }
  }

  private void stopOperator() {
    OpenWorld.restart(world, Duration.ofDays(1_000));
  }

  private void pass(Duration time) {
    world.advance(time);
  }

  private Pool pool() {
    return cluster.pool("a").orElseThrow();
  }

  private List<Node> nodes() {
    return List.copyOf(cluster.nodes().values());
  }

  private void report(List<Node> nodes, String alert) {
    nodes.forEach(node ->
        cluster
            .signals()
            .report(
                node.name(),
                Signal.standing(
                    new SignalKey(Liar.SOURCE, SignalKey.HOST, alert), world.instant())));
    pass(Duration.ofMinutes(3));
  }

  private void does(Action action) {
    arriving.accept(action);
    cluster.apply(action, world.instant());
    pass(Duration.ofSeconds(1));
  }

  private void endWork(Node node) {
    Pod pod = cluster.bindPod("default", "work-" + node.name(), node.name(), "ReplicaSet");
    does(
        new Action.DeletePod(
            new Action.Subject.OfPod("default", pod.name(), pod.uid(), node.name()),
            Optional.empty()));
  }

  private Host host(Node node) {
    return cluster.host(node.name()).orElseThrow();
  }

  private PoolId poolId() {
    return pool().id();
  }

  private void takeOut(Node node) {
    Host host = host(node);
    does(
        new Action.OnHost(
            new HostOperation.Stop(
                host.id(),
                host.tenancy(),
                poolId(),
                Optional.of(host.deliveries().setAsideFor("an alert")))));
  }

  /** For no operation of the operator, of which the world would ask who recorded it. */
  private void boot(Node node) {
    Host host = host(node);
    boot(
        host,
        BootRequest.first(
            host.report().bootId(),
            BootKind.REBOOT,
            "by-hand/" + node.name(),
            world.instant(),
            host.boot()));
  }

  /** Once more, since the machine did not come back. */
  private void bootAgain(Node node) {
    Host host = host(node);
    boot(
        host,
        host.boot()
            .orElseThrow()
            .again(host.report().bootId(), world.instant(), BootRequest.Outcome.NOT_VERIFIED));
  }

  private void boot(Host host, BootRequest request) {
    Action boot =
        new Action.OnHost(new HostOperation.Boot(host.id(), host.tenancy(), poolId(), request));
    arriving.accept(boot);
    cluster.apply(boot, world.instant());
  }

  private List<Violation.Kind> found() {
    return oracles.outcome("").violations().stream().map(Violation::kind).distinct().toList();
  }

  @Test
  void theWorkOfTwoNodesEndsForOneFalseAlarmAndNotThatOfThree() {
    grown(false, false);
    report(nodes(), OUT_NOW);
    nodes().subList(0, 2).forEach(this::endWork);
    assertThat(found()).isEmpty();

    endWork(nodes().get(2));
    assertThat(found()).containsExactly(Violation.Kind.WORK_ENDED);
  }

  @Test
  void whatHappenedMoreThanADayAgoDoesNotCount() {
    grown(false, false);
    for (int day = 0; day < 3; day++) {
      report(nodes(), OUT_NOW);
      endWork(nodes().get(day));
      pass(Duration.ofHours(25));
    }
    assertThat(found()).doesNotContain(Violation.Kind.WORK_ENDED);
  }

  @Test
  void threeMachinesAreSetAsideInADayAndNotFour() {
    grown(false, false);
    report(nodes(), OUT_NOW);
    List<Node> nodes = nodes();
    nodes.subList(0, 3).forEach(this::takeOut);
    assertThat(found()).doesNotContain(Violation.Kind.SET_ASIDE);

    takeOut(nodes.get(3));
    assertThat(found()).contains(Violation.Kind.SET_ASIDE);
  }

  @Test
  void noMachineIsTakenOutThatWasNotVerified() {
    grown(false, false);
    report(nodes().subList(0, 1), OUT_NOW);
    takeOut(nodes().getFirst());
    assertThat(found()).containsExactly(Violation.Kind.UNVERIFIED);
  }

  @Test
  void aMachineThatDidNotComeBackFromItsRebootIsTakenOutUnverified() {
    with(
        machines.withTimings(machines.timings().withVerification(Duration.ofHours(2))),
        Optional.empty());
    grown(false, false);
    report(nodes().subList(0, 1), OUT_NOW);
    boot(nodes().getFirst());
    pass(Duration.ofMinutes(60));
    assertThat(nodes()).allMatch(Node::ready);
    takeOut(nodes().getFirst());
    assertThat(found()).isEmpty();
  }

  private void bootedFor(int nodes) {
    grown(false, false);
    report(nodes().subList(0, nodes), OUT_NOW);
    oracles.tick();
    pass(Duration.ofMinutes(5));
    boot(nodes().getFirst());
  }

  @Test
  void aMachineIsBootedForWhatStandsOnFour() {
    bootedFor(4);
    assertThat(found()).isEmpty();
  }

  @Test
  void noMachineIsBootedForWhatStandsOnFive() {
    bootedFor(5);
    assertThat(found()).containsExactly(Violation.Kind.DOUBT);
  }

  @Test
  void nothingIsDoneForWhatThePoolCallsHeldOrAnEventPromised() {
    grown(false, true);
    report(nodes(), OUT_NOW);
    pass(Duration.ofMinutes(3));
    oracles.tick();
    stopOperator();
    pass(Duration.ofMinutes(1));
    assertThat(found()).isEmpty();

    boot(nodes().getLast());
    assertThat(found()).contains(Violation.Kind.HELD);
  }

  @Test
  void workThatAPoolProtectsOrForWhichNothingStandsIsNotEnded() {
    grown(true, false);
    report(nodes().subList(0, 1), OUT_NOW);
    report(nodes().subList(1, 2), OUT_WHEN_IDLE);
    endWork(nodes().getFirst());
    assertThat(found()).isEmpty();

    endWork(nodes().get(1));
    assertThat(found()).containsExactly(Violation.Kind.CONSENT);
  }

  @Test
  void nothingIsBegunForWhatNobodyReportedForHours() {
    grown(false, false);
    report(nodes().subList(0, 1), OUT_NOW);
    pass(Duration.ofHours(14));
    endWork(nodes().getFirst());
    assertThat(found()).containsExactly(Violation.Kind.STALE);
  }

  @Test
  void whatASourceWroteHoursAgoStandsWhileItsHeartbeatsGoOn() {
    grown(false, false);
    report(nodes().subList(0, 1), OUT_NOW);
    pass(Duration.ofHours(8));
    cluster.signals().beat(Liar.SOURCE);
    pass(Duration.ofHours(6));
    endWork(nodes().getFirst());
    assertThat(found()).isEmpty();
  }

  @Test
  void noMachineIsBootedWhileAPartitionHidesHalfOfThem() {
    grown(false, false);
    List<Node> silent = nodes().subList(0, 5);
    silent.forEach(node -> world.actors().silence(node.name(), Duration.ofHours(5)));
    pass(Duration.ofMinutes(20));
    boot(silent.getFirst());
    assertThat(found()).containsExactly(Violation.Kind.PARTITION);
  }

  @Test
  void fewSilentNodesAreBooted() {
    grown(false, false);
    List<Node> silent = nodes().subList(0, 4);
    silent.forEach(node -> world.actors().silence(node.name(), Duration.ofHours(5)));
    pass(Duration.ofMinutes(20));
    boot(silent.getFirst());
    assertThat(found()).isEmpty();
  }

  @Test
  void aFurtherTryHasTheReasonOfTheFirst() {
    grown(false, false);
    Node node = nodes().getFirst();
    world.actors().silence(node.name(), Duration.ofHours(1));
    pass(Duration.ofMinutes(20));
    boot(node);
    pass(Duration.ofHours(2));
    bootAgain(node);

    assertThat(deeds.all)
        .filteredOn(deed -> deed.what() == Deeds.What.BOOTED)
        .extracting(Deeds.Deed::excuse)
        .containsExactly("silence", "silence");
  }

  @Test
  void aNodeThatStaysCordonedForNothingIsFound() {
    grown(false, false);
    cluster.nodeClients().cordon(nodes().getFirst().name(), true);
    pass(Duration.ofHours(1));
    oracles.atEnd(new HashSet<>(), world.instant().minus(Duration.ofHours(1)));
    assertThat(found()).containsExactly(Violation.Kind.LEFT_CORDONED);
  }

  /** One machine has a true fault, and nobody operates the pool. */
  private void faulty() {
    List<String> names = OpenWorld.names(machines);
    MachineFault fault =
        new MachineFault(
            new TreeSet<>(names.subList(0, 1)),
            new MachineFault.Part(OUT_NOW, "gpu3"),
            new MachineFault.Begin.At(World.START.plus(Duration.ofHours(2))),
            MachineFault.Course.STANDS,
            MachineFault.Healing.REPLACEMENT);
    with(
        machines.withMishaps(machines.mishaps().withFaults(List.of(fault))),
        Optional.of(new LiarRun.TrueFault(OUT_NOW, LiarRun.Extent.ONE, Duration.ofHours(2))));
    grown(false, false);
    pass(Duration.ofHours(3));
    oracles.tick();
  }

  @Test
  void aTrueFaultOfAMachineThatIsBeingRepairedNeedNotBeNamed() {
    faulty();
    boot(nodes().stream().filter(node -> !claims.ofFleet(node.name()).isEmpty()).findFirst().get());
    oracles.looked();
    assertThat(found()).containsExactly(Violation.Kind.NOT_REPAIRED);
  }

  @Test
  void aTrueFaultThatIsNeitherNamedNorRepairedIsFound() {
    faulty();
    oracles.looked();
    oracles.atEnd(new HashSet<>(), World.START);
    assertThat(found()).containsExactly(Violation.Kind.NOT_NAMED, Violation.Kind.NOT_REPAIRED);
  }
}
