package io.nodepool.world;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.Health;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.members.FaultyMembers.Group;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.cause.MachineOutageCause;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.plan.node.NodeRecord;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Faults in the repair of machines. */
final class RepairMutations {
  private static final String MANY = "more repairs than the limits allow";
  private static final String COMPONENTS = "repairs of components";
  private static final String WAITS = "a repair that waits for work";
  private static final String GRADES = "two alerts about one busy machine";

  private RepairMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            110,
            "A repair begins soon after nobody watched for long",
            built.withPlanner(
                Seams.poolSeen(seen ->
                    seen.withWatched(PoolSnapshot.Watched.NOT_YET.from(seen.watched().since())))),
            "a fault while no operator runs"),
        Mutation.of(
            108,
            "A pool keeps a second machine for inspection",
            built.withMachines(
                Seams.machineSeen(
                    (seen, _) -> seen.withEvidence(seen.evidence().withPreservedBeside(0)))),
            "a machine kept for inspection"),
        Mutation.of(
            109,
            "A machine is kept for inspection in a pool that does not want that",
            built.withMachines(
                Seams.machineSeen(
                    (seen, _) -> seen.withPool(seen.pool().map(RepairMutations::preserving)))),
            "machines taken out of service"),
        Mutation.of(
            94,
            "A repair is carried out without the permission of its pool",
            built.withMachines(Seams.machineSeen((seen, now) -> permitted(seen, now))),
            MANY),
        Mutation.of(
            95,
            "Nodes are cordoned for repairs beyond the level",
            built.withPlanner(planner -> (seen, now) -> beyond(planner.plan(seen, now), seen, now)),
            "alerts that come and go"),
        Mutation.of(
            96,
            "What is reported about nearly all Nodes is acted on",
            built.withPlanner(Seams.poolSeen(RepairMutations::unsuspected)),
            "a monitor that is wrong"),
        Mutation.of(
            97,
            "A repair interrupts the work of a pool that protects it",
            built
                .withMachines(
                    Seams.machineSeen(
                        (seen, _) -> seen.withPool(seen.pool().map(RepairMutations::unprotected))))
                .withPlanner(Seams.poolSeen(seen -> seen.withPool(unprotected(seen.pool())))),
            WAITS),
        Mutation.of(
            98,
            "The power cycles of repairs are not counted",
            built
                .withMachines(Seams.machineSeen((seen, _) -> seen.withHost(uncounted(seen.host()))))
                .withPlanner(Seams.poolSeen(RepairMutations::uncounted)),
            "machines booted for repair"),
        Mutation.of(
            99,
            "An alert whose signals are all off is acted on",
            standing(),
            "a repair that is taken back"),
        Mutation.of(
            121, "What a silent source reported is acted on", standing(), "a monitor that dies"),
        Mutation.of(
            100,
            "The next repair is let go while as many are carried out as may be",
            built.withPlanner(planner -> (seen, now) -> letGo(planner.plan(seen, now), seen, now)),
            MANY),
        Mutation.of(
            101,
            "The Host of a machine that is taken out of service is not set aside",
            Seams.actions(RepairMutations::kept),
            "machines taken out of service"),
        Mutation.of(
            102,
            "An alert that nobody verified is called a false alarm",
            built.withPlanner(planner -> (seen, now) -> unverified(planner.plan(seen, now))),
            "a monitor that is wrong"),
        Mutation.of(
            103,
            "A machine that fails its verification counts as one that passed",
            built.withPlanner(Seams.poolSeen(RepairMutations::passed)),
            "an alert that a verification confirms"),
        Mutation.of(
            104,
            "All Nodes whose machines stopped leave at once",
            built.withPlanner(planner -> (seen, now) -> gone(planner.plan(seen, now), seen, now)),
            "machines that stop together"),
        Mutation.of(
            105,
            "Each attempt to repair a component is called the first one",
            Seams.actions(RepairMutations::alwaysFirst),
            COMPONENTS),
        Mutation.of(
            106,
            "The components of all machines are repaired at once",
            built.withPlanner(planner -> (seen, now) -> all(planner.plan(seen, now), seen, now)),
            COMPONENTS),
        Mutation.of(
            107,
            "Few Nodes of a rack with one alert are repaired together",
            built.withPlanner(
                planner -> (seen, now) -> together(planner.plan(seen, now), seen, now)),
            "a rack that is repaired together"),
        Mutation.of(
            111,
            "The first minute of an alert is taken from an older one",
            built
                .withMachines(Seams.machineSeen((seen, _) -> ofNode(seen, RepairMutations::aged)))
                .withPlanner(Seams.poolSeen(seen -> ofNodes(seen, RepairMutations::aged))),
            GRADES),
        Mutation.of(
            112,
            "A drain for a repair does not ask whether its alert stands",
            built.withMachines(Seams.machineSeen((seen, _) -> unasked(seen))),
            "an alert that ends during its drain"),
        Mutation.of(
            113,
            "The boot for a repair answers a client's request for a boot",
            Seams.actions(RepairMutations::answered),
            "a request while the machine boots for its repair"),
        Mutation.of(
            114,
            "The verification that a user asked for judges a suspected alert",
            built.withPlanner(Seams.poolSeen(RepairMutations::judgedByUser)),
            "a user's verification beside a monitor that is wrong"),
        Mutation.of(
            115,
            "A repair that may interrupt work waits for one that may not",
            built.withPlanner(Seams.poolSeen(seen -> ofNodes(seen, RepairMutations::strongest))),
            GRADES));
  }

  private interface ChangedNode {
    Node of(Node node);
  }

  private static MachineSnapshot ofNode(MachineSnapshot seen, ChangedNode change) {
    return seen.withNode(seen.node().map(change::of));
  }

  private static PoolSnapshot ofNodes(PoolSnapshot seen, ChangedNode change) {
    return changed(
        seen,
        member ->
            new Member(
                member.host(),
                member.node().map(change::of),
                member.workload(),
                member.underWay(),
                member.waiting(),
                member.findings(),
                member.cordoning(),
                member.passedOver()));
  }

  private static Node with(Node node, Function<Disruption.Active, List<Disruption.Cause>> causes) {
    return node.withDisruption(
        node.disruption()
            .map(last ->
                last instanceof Disruption.Admitted admitted
                    ? admitted.withCauses(causes.apply(admitted))
                    : last));
  }

  private static Node aged(Node node) {
    return with(
        node,
        active ->
            active.causes().stream()
                .map(cause -> new Disruption.Cause(cause.what(), active.since()))
                .toList());
  }

  private static Node strongest(Node node) {
    return with(
        node,
        active ->
            active.causes().stream()
                .map(cause ->
                    cause
                        .what()
                        .repaired()
                        .filter(_ -> active.leaves() && !cause.leaves())
                        .map(each ->
                            new RepairCause(each.alert(), each.grade(), false).at(cause.at()))
                        .orElse(cause))
                .toList());
  }

  private static MachineSnapshot unasked(MachineSnapshot seen) {
    List<StandingAlert> drained =
        seen.presentNode().filter(Node::isCommitted).flatMap(Node::disruption).stream()
            .flatMap(each -> each.active().stream())
            .flatMap(active -> active.causes().stream())
            .flatMap(cause -> cause.what().repaired().stream())
            .map(repair -> AlertCatalogue.shipped().alert(repair.alert()))
            .map(alert ->
                new StandingAlert(
                    alert,
                    Instant.EPOCH,
                    StandingAlert.State.STANDS,
                    List.of(
                        Signal.standing(
                            new SignalKey("dcgm", SignalKey.HOST, alert.name()), Instant.EPOCH))))
            .toList();
    return drained.isEmpty()
        ? seen
        : seen.withHealth(Health.NONE.withStanding(drained).withDropped(seen.health().dropped()));
  }

  private static Action answered(Action action) {
    return action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.END)
            && write.change() instanceof NodeChange.OfSpec change
        ? new Action.WriteNode(
            write.node(),
            write.nodeUid(),
            write.precondition(),
            new NodeChange.OfSpec(
                change.metadata().withLabel(NodeLabels.PENDING_STATE.key(), Optional.empty()),
                change.cordoning(),
                change.taints()),
            write.purpose())
        : action;
  }

  private static PoolSnapshot judgedByUser(PoolSnapshot seen) {
    List<SuspectedAlert> suspects = seen.pool().status().repairs().suspects();
    return suspects.isEmpty()
        ? seen
        : changed(
            seen,
            member ->
                with(
                    member,
                    member
                        .host()
                        .withOccupancy(
                            member
                                .host()
                                .occupancy()
                                .withBoot(
                                    member
                                        .host()
                                        .boot()
                                        .map(boot -> boot.withAlert(suspects.getFirst().alert())))),
                    member.findings()));
  }

  private static PoolPlan together(PoolPlan plan, PoolSnapshot seen, Instant now) {
    RepairState repairs = plan.status().repairs();
    return repairs
        .admitted()
        .filter(each -> each.at().equals(now.truncatedTo(ChronoUnit.MILLIS)))
        .flatMap(each -> seen.members().find(each.hostUid()))
        .map(member ->
            RackRepair.of(
                member.host().machine().rack(),
                MachineRepair.next(member, false).orElseThrow().alert(),
                now))
        .map(
            rack -> plan.withStatus(plan.status().withRepairs(repairs.withRack(Optional.of(rack)))))
        .orElse(plan);
  }

  private static Action alwaysFirst(Action action) {
    if (!(action instanceof Action.OnHost(HostOperation.RepairComponent repair))) {
      return action;
    }
    ComponentRepair request = repair.request();
    return new Action.OnHost(
        new HostOperation.RepairComponent(
            repair.host(),
            repair.tenancy(),
            repair.pool(),
            repair.before(),
            new ComponentRepair(
                request.alert(), request.component(), request.attempt(), request.at(), List.of())));
  }

  private static PoolPlan all(PoolPlan plan, PoolSnapshot seen, Instant now) {
    return with(
        plan,
        seen.members().stream()
            .filter(member -> MachineRepair.ofComponent(member).isPresent())
            .map(member -> {
              Host host = member.host();
              String alert = MachineRepair.ofComponent(member).orElseThrow().alert();
              return new PlannedAction(
                  List.of(),
                  new Action.OnHost(
                      new HostOperation.RepairComponent(
                          host.id(),
                          host.tenancy(),
                          seen.pool().id(),
                          host.occupancy().repairs(),
                          ComponentRepair.next(host.repair(alert), alert, "", now))),
                  "its machine has the alert " + alert);
            }));
  }

  private static PoolPlan unverified(PoolPlan plan) {
    RepairState repairs = plan.status().repairs();
    List<SuspectedAlert> judged =
        repairs.suspects().stream()
            .map(each -> each.withVerdict(SuspectedAlert.Verdict.FALSE_ALARM))
            .toList();
    PoolStatus status = plan.status();
    return plan.withStatus(status.withRepairs(repairs.withSuspects(judged)));
  }

  private static PoolSnapshot passed(PoolSnapshot seen) {
    return changed(seen, member -> with(member, passed(member.host()), member.findings()));
  }

  private static Host passed(Host host) {
    return host.withReport(
            host.report()
                .withBoot(
                    host.report()
                        .boot()
                        .withVerification(
                            host.report()
                                .boot()
                                .verification()
                                .map(each ->
                                    new Host.Verification(
                                        each.bootId(),
                                        each.operation(),
                                        each.attempt(),
                                        true,
                                        each.at(),
                                        each.message())))))
        .withOccupancy(host.occupancy().withBoot(host.boot().map(RepairMutations::firstAttempt)));
  }

  private static BootRequest firstAttempt(BootRequest boot) {
    return boot.withAttempt(1);
  }

  private static Pool with(Pool pool, RepairState repairs) {
    PoolStatus status = pool.status();
    return pool.withStatus(status.withRepairs(repairs));
  }

  private static RepairState letGo(Node node, Disruption.Active active, Instant now) {
    String alert =
        active.causes().stream()
            .filter(active::awaits)
            .flatMap(cause -> cause.what().repaired().stream())
            .map(each -> each.alert())
            .findFirst()
            .orElse("");
    return RepairState.NONE.withAdmitted(
        Optional.of(
            new RepairState.Admitted(
                node.name(), node.hostUid(), active.sequence(), alert, false, true, now)));
  }

  private static MachineSnapshot permitted(MachineSnapshot seen, Instant now) {
    return seen.presentNode()
        .flatMap(node ->
            node.disruption()
                .flatMap(Disruption::active)
                .map(active ->
                    seen.withPool(seen.pool().map(pool -> with(pool, letGo(node, active, now))))))
        .orElse(seen);
  }

  private static PoolPlan beyond(PoolPlan plan, PoolSnapshot seen, Instant now) {
    return with(
        plan,
        seen.members()
            .byFault()
            .in(Group.AVAILABLE)
            .first(_ -> false, 20)
            .map(place -> {
              Node node = seen.members().find(place.uid()).orElseThrow().node().orElseThrow();
              return new NodeRecord(node, seen.pool().id())
                  .demand(new RepairCause(place.alert(), place.grade(), false), now);
            }));
  }

  private static PoolPlan with(PoolPlan plan, Stream<PlannedAction> more) {
    List<PlannedAction> plannedActions = new ArrayList<>(plan.plannedActions());
    more.forEach(each -> {
      if (plannedActions.stream()
          .noneMatch(planned -> planned.action().subject().equals(each.action().subject()))) {
        plannedActions.add(each);
      }
    });
    return plan.withPlannedActions(plannedActions);
  }

  private static PoolPlan gone(PoolPlan plan, PoolSnapshot seen, Instant now) {
    Instant late = now.minus(Duration.ofHours(1));
    return with(
        plan,
        seen.members()
            .waiting(Member.Awaited.OUTAGE)
            .filter(member -> member.waiting().orElseThrow().since().isBefore(late))
            .filter(member -> member.disruption().isEmpty())
            .map(member ->
                new NodeRecord(member.node().orElseThrow(), seen.pool().id())
                    .demand(new MachineOutageCause(), now)));
  }

  private static PoolPlan letGo(PoolPlan plan, PoolSnapshot seen, Instant now) {
    Optional<RepairPlace> next =
        seen.members().byFault().in(Group.CORDONED_KEEPING_WORK).first(_ -> false, 1).findFirst();
    return next.flatMap(place -> seen.members().find(place.uid()))
        .map(member ->
            plan.withStatus(
                plan.status()
                    .withRepairs(
                        letGo(
                            member.node().orElseThrow(), member.disruption().orElseThrow(), now))))
        .orElse(plan);
  }

  interface Changed {
    Member of(Member member);
  }

  static PoolSnapshot changed(PoolSnapshot seen, Changed change) {
    return seen.withMembers(Members.of(seen.members().stream().map(change::of).toList()));
  }

  static Member needing(Member member, NeededRepairs needed) {
    Member.Findings last = member.findings();
    return with(member, member.host(), last.withNeeded(needed));
  }

  static Member with(Member member, Host host, Member.Findings findings) {
    return new Member(
        host,
        member.node(),
        member.workload(),
        member.underWay(),
        member.waiting(),
        findings,
        member.cordoning(),
        member.passedOver());
  }

  interface ChangedNeed {
    NeededRepairs.Needed of(NeededRepairs.Needed needed);
  }

  static NeededRepairs changed(NeededRepairs needed, ChangedNeed change) {
    return new NeededRepairs(needed.all().stream().map(change::of).toList(), needed.held());
  }

  static NeededRepairs.Needed of(
      NeededRepairs.Needed needed, String source, StandingAlert.State state) {
    return needed
        .withKey(new SignalKey(source, needed.key().component(), needed.key().name()))
        .withState(state);
  }

  private static PoolSnapshot unsuspected(PoolSnapshot seen) {
    return changed(
        seen,
        member ->
            needing(
                member,
                changed(
                    member.findings().needed(), needed -> of(needed, "operator", needed.state()))));
  }

  /** Both planners see signals that are off, or not confirmed, as ones that stand. */
  private static OperatorOverrides standing() {
    return OperatorOverrides.AS_BUILT
        .withMachines(Seams.machineSeen((seen, _) -> seen.withHealth(standing(seen.health()))))
        .withPlanner(Seams.poolSeen(RepairMutations::standing));
  }

  private static PoolSnapshot standing(PoolSnapshot seen) {
    return changed(
        seen,
        member ->
            needing(
                member,
                changed(
                    member.findings().needed(),
                    needed -> of(needed, needed.key().source(), StandingAlert.State.STANDS))));
  }

  private static Health standing(Health health) {
    return health.withStanding(
        health.standing().stream()
            .map(each ->
                new StandingAlert(
                    each.alert(), each.since(), StandingAlert.State.STANDS, each.signals()))
            .toList());
  }

  private static Pool preserving(Pool pool) {
    return pool.withSpec(
        pool.spec().withRepair(pool.spec().repair().withPreserve(PoolAnnotations.TRUE)));
  }

  private static Pool unprotected(Pool pool) {
    return pool.withSpec(
        pool.spec().withLifecycle(pool.spec().lifecycle().withDisableUnhealthyNodeEviction(false)));
  }

  private static PoolSnapshot uncounted(PoolSnapshot seen) {
    return changed(seen, member -> with(member, uncounted(member.host()), member.findings()));
  }

  private static Host uncounted(Host host) {
    return host.withOccupancy(
        host.occupancy().withBoot(host.boot().map(RepairMutations::uncounted)));
  }

  private static BootRequest uncounted(BootRequest boot) {
    return boot.withHistory(List.of()).withAlert("");
  }

  private static Action kept(Action action) {
    return action instanceof Action.OnHost(HostOperation.Stop stop)
        ? new Action.OnHost(
            new HostOperation.Stop(stop.host(), stop.tenancy(), stop.pool(), Optional.empty()))
        : action;
  }
}
