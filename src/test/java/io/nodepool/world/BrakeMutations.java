package io.nodepool.world;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.PastRepair;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.members.PastRepairs;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.repair.SuspectedAlert.Verdict;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.TypeHosts;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.pcollections.TreePMap;

/** Faults in what brakes repairs: what they count, and for how long. */
final class BrakeMutations {
  /** So many Nodes with an alert are none about which it is in doubt. */
  private static final int FEW = 3;

  private static final Duration DAY = Duration.ofDays(1);

  private BrakeMutations() {}

  static Stream<Mutation> all() {
    return Stream.concat(attempts(), brakes());
  }

  private static Stream<Mutation> attempts() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            122,
            "Racks of other pools that are repaired together are not counted",
            built.withPlanner(Seams.poolSeen(BrakeMutations::alone)),
            "racks of two pools"),
        Mutation.of(
            123,
            "The boots to repair a machine count for 16 hours",
            seeing((host, _, now) -> forgetful(host, now.minus(Duration.ofHours(16)))),
            "boots over a day"),
        Mutation.of(
            124,
            "The permission for a repair lasts for 20 minutes",
            built.withPlanner(planner -> (seen, now) -> patient(planner::plan, seen, now)),
            "a permission that is not used"),
        Mutation.of(
            125,
            "The answer to the second attempt to repair a component is ignored",
            seeing((host, _, _) -> unanswered(host)),
            "repairs of components"),
        Mutation.of(
            126,
            "A machine is verified though its fleet does not offer that any more",
            built.withMachines(
                Seams.machineSeen(
                    (seen, _) -> seen.withOffer(seen.offer().map(BrakeMutations::verifying)))),
            "a fleet that ceases to verify"));
  }

  private static Stream<Mutation> brakes() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            127,
            "An alert that stands on many Nodes is not in doubt for that",
            built.withPlanner(Seams.poolSeen(BrakeMutations::onFew)),
            "a false alarm about an idle pool"),
        Mutation.of(
            128,
            "An alert for which work was ended is not in doubt for that",
            remembering((_, each) -> Stream.of(each.withAlert("(" + each.alert() + ")"))),
            "a false alarm about a few busy Nodes"),
        Mutation.of(
            129,
            "What was done before a restart does not count",
            remembering((seen, each) ->
                Stream.of(each).filter(past -> past.at().isAfter(seen.watched().since()))),
            "a false alarm that follows, beside restarts"),
        Mutation.of(
            130,
            "The Hosts that a pool set aside do not count",
            remembering((_, each) -> Stream.of(each.withOut(false))),
            "false alarms about idle Nodes"),
        Mutation.of(
            131,
            "The Hosts of a type that were set aside do not count",
            built.withPlanner(Seams.poolSeen(BrakeMutations::ofNoType)),
            "false alarms about idle Nodes of two pools"),
        Mutation.of(
            132,
            "More than one busy Node of a pool is verified in a day",
            remembering((_, each) -> Stream.of(each.withProbe(false))),
            "a false alarm about a busy pool whose machines do not answer"),
        Mutation.of(
            133,
            "A false alarm is acted on",
            misjudging(SuspectedAlert::isFalseAlarm, _ -> Stream.empty()),
            "a false alarm about a busy pool"),
        Mutation.of(
            134,
            "An alert that is held since nobody can verify it is taken for genuine",
            misjudging(
                each -> each.verdict() == Verdict.HELD,
                each -> Stream.of(each.withVerdict(Verdict.GENUINE))),
            "a false alarm about a busy pool of a fleet that does not verify"),
        Mutation.of(
            135,
            "Machines are booted although many Nodes of their pool are not Ready",
            built.withPlanner(planner ->
                (seen, now) ->
                    planner.plan(
                        seen.withPool(released(seen.pool(), "KubeNodeNotReadyHGX", now)), now)),
            "a partition"),
        Mutation.of(
            136,
            "A rack is repaired together without a proof",
            built.withPlanner(
                planner -> (seen, now) -> together(planner.plan(seen, now), seen, now)),
            "a rack that is repaired together"),
        Mutation.of(
            137,
            "A machine is taken out of service without a verification",
            built.withPlanner(planner -> (seen, now) -> unverified(planner.plan(seen, now))),
            "false alarms about idle Nodes"),
        Mutation.of(
            138,
            "The drain for an alert goes on when the alert is in doubt",
            built.withMachines(
                Seams.machineSeen((seen, _) ->
                    seen.presentNode().filter(Node::isCommitted).isEmpty()
                        ? seen
                        : seen.withPool(
                            seen.pool()
                                .map(pool ->
                                    judged(pool, SuspectedAlert::stops, _ -> Stream.empty()))))),
            "an alert that is in doubt during its drain"),
        Mutation.of(
            139,
            "The release of a pool lasts for ever",
            built.withPlanner(planner ->
                (seen, now) -> planner.plan(seen.withPool(releasing(seen.pool(), now)), now)),
            "Hosts set aside up to the limit"),
        Mutation.of(
            140,
            "The verification that a user asked for proves a fault",
            seeing((host, needed, _) -> provedByUser(host, needed)),
            "a user's verification that fails beside a monitor that is wrong"));
  }

  /** Returns a Host as another one, of a machine of which alerts ask this. */
  private interface ChangedHost {
    Host of(Host host, NeededRepairs needed, Instant now);
  }

  /** Both planners see other Hosts. */
  private static OperatorOverrides seeing(ChangedHost change) {
    return OperatorOverrides.AS_BUILT
        .withMachines(
            Seams.machineSeen((seen, now) ->
                seen.withHost(change.of(seen.host(), NeededRepairs.of(seen.health()), now))))
        .withPlanner(planner ->
            (seen, now) ->
                planner.plan(
                    RepairMutations.changed(
                        seen,
                        member -> {
                          Member.Findings findings = member.findings();
                          Host host = change.of(member.host(), findings.needed(), now);
                          return RepairMutations.with(member, host, findings);
                        }),
                    now));
  }

  private interface ChangedPast {
    Stream<PastRepair> of(PoolSnapshot seen, PastRepair past);
  }

  /** Pools are planned by another past of their machines. */
  private static OperatorOverrides remembering(ChangedPast change) {
    return OperatorOverrides.AS_BUILT.withPlanner(
        Seams.poolSeen(seen -> {
          PastRepairs past = PastRepairs.NONE;
          for (Map.Entry<String, List<PastRepair>> each :
              seen.holding().past().byHost().entrySet()) {
            past =
                past.with(
                    each.getKey(),
                    each.getValue().stream().flatMap(one -> change.of(seen, one)).toList());
          }
          return seen.withHolding(seen.holding().withPast(past));
        }));
  }

  /** Both planners take verdicts for others, and the pool publishes what they were. */
  private static OperatorOverrides misjudging(
      Predicate<SuspectedAlert> which, Function<SuspectedAlert, Stream<SuspectedAlert>> as) {
    return OperatorOverrides.AS_BUILT
        .withMachines(
            Seams.machineSeen(
                (seen, _) -> seen.withPool(seen.pool().map(pool -> judged(pool, which, as)))))
        .withPlanner(planner ->
            (seen, now) -> {
              List<SuspectedAlert> judged =
                  repairs(seen.pool()).suspects().stream().filter(which).toList();
              Pool pool = judged(seen.pool(), which, as);
              for (SuspectedAlert each : judged) {
                pool =
                    as.apply(each).findAny().isPresent() ? pool : released(pool, each.alert(), now);
              }
              return published(planner.plan(seen.withPool(pool), now), judged);
            });
  }

  private static RepairState repairs(Pool pool) {
    return pool.status().repairs();
  }

  private static Pool judged(
      Pool pool,
      Predicate<SuspectedAlert> which,
      Function<SuspectedAlert, Stream<SuspectedAlert>> as) {
    return pool.withStatus(
        with(
            pool.status(),
            repairs ->
                repairs.withSuspects(
                    repairs.suspects().stream()
                        .flatMap(each -> which.test(each) ? as.apply(each) : Stream.of(each))
                        .toList())));
  }

  private static PoolPlan published(PoolPlan plan, List<SuspectedAlert> judged) {
    TreeMap<String, SuspectedAlert> suspects = new TreeMap<>();
    plan.status().repairs().suspects().forEach(each -> suspects.put(each.alert(), each));
    judged.forEach(each -> suspects.put(each.alert(), each));
    return with(plan, repairs -> repairs.withSuspects(List.copyOf(suspects.values())));
  }

  private static PoolPlan with(PoolPlan plan, UnaryOperator<RepairState> change) {
    return plan.withStatus(with(plan.status(), change));
  }

  private static PoolStatus with(PoolStatus status, UnaryOperator<RepairState> change) {
    return status.withRepairs(change.apply(status.repairs()));
  }

  private static Pool released(Pool pool, String alert, Instant now) {
    PoolSpec.RepairPolicy repair = pool.spec().repair();
    TreeMap<String, Instant> until = new TreeMap<>(repair.suspects().until());
    until.put(alert, now.plus(DAY));
    return pool.withSpec(
        pool.spec().withRepair(repair.withSuspects(new ReleasedSuspects(until, ""))));
  }

  private static Pool releasing(Pool pool, Instant now) {
    PoolSpec.RepairPolicy repair = pool.spec().repair();
    PoolSpec.RepairBrakes brakes = repair.limits();
    return brakes.released().isEmpty()
        ? pool
        : pool.withSpec(
            pool.spec().withRepair(repair.withLimits(brakes.withReleased(Optional.of(now)))));
  }

  private static PoolSnapshot alone(PoolSnapshot seen) {
    return seen.withAvailability(
        seen.availability()
            .withInFlightElsewhere(
                new PoolSnapshot.InFlight(seen.availability().inFlightElsewhere().single(), 0)));
  }

  private static PoolSnapshot ofNoType(PoolSnapshot seen) {
    TreePMap<String, TypeHosts.ZoneHosts> zones = TreePMap.empty();
    for (Map.Entry<String, TypeHosts.ZoneHosts> each :
        seen.availability().ofType().byZone().entrySet()) {
      zones =
          zones.plus(
              each.getKey(), new TypeHosts.ZoneHosts(each.getValue().hosts(), TreePMap.empty()));
    }
    return seen.withAvailability(seen.availability().withOfType(new TypeHosts(zones)));
  }

  /** The alerts of others stand on few Nodes; those of the rest are the operator's own. */
  private static PoolSnapshot onFew(PoolSnapshot seen) {
    Map<String, Integer> counts = new HashMap<>();
    return RepairMutations.changed(
        seen,
        member ->
            RepairMutations.needing(
                member,
                RepairMutations.changed(
                    member.findings().needed(),
                    needed ->
                        counts.merge(needed.alert(), 1, Integer::sum) > FEW
                            ? RepairMutations.of(needed, SourceName.OPERATOR, needed.state())
                            : needed)));
  }

  private static Host forgetful(Host host, Instant since) {
    return host.withOccupancy(
        host.occupancy()
            .withBoot(
                host.boot()
                    .map(boot ->
                        boot.withHistory(
                            boot.history().stream()
                                .filter(each -> each.at().isAfter(since))
                                .toList()))));
  }

  private static Host unanswered(Host host) {
    return host.withReport(
        host.report()
            .withRepairs(
                host.report().repairs().stream().filter(each -> each.attempt() != 2).toList()));
  }

  private static FleetOffer verifying(FleetOffer offer) {
    return offer.withCapabilities(offer.capabilities().withVerifies(true));
  }

  private static Host provedByUser(Host host, NeededRepairs needed) {
    return host.withOccupancy(
        host.occupancy()
            .withBoot(
                host.boot()
                    .map(boot ->
                        needed.all().stream()
                            .findFirst()
                            .filter(_ -> !boot.kind().boots() && boot.alert().isEmpty())
                            .map(each -> boot.withAlert(each.alert()))
                            .orElse(boot))));
  }

  /** A permission that is not used is taken for one of 18 minutes later. */
  private static PoolPlan patient(Planned planned, PoolSnapshot seen, Instant now) {
    Optional<RepairState.Admitted> real =
        repairs(seen.pool())
            .admitted()
            .filter(each ->
                seen.members()
                    .find(each.hostUid())
                    .flatMap(Member::disruption)
                    .filter(Disruption.Admitted.class::isInstance)
                    .isPresent());
    if (real.isEmpty()) {
      return planned.plan(seen, now);
    }
    Instant late = real.get().at().plus(Duration.ofMinutes(18));
    Instant at = (late.isAfter(now) ? now : late).truncatedTo(ChronoUnit.MILLIS);
    RepairState.Admitted later = real.get().withAt(at);
    Pool pool =
        seen.pool()
            .withStatus(
                with(seen.pool().status(), repairs -> repairs.withAdmitted(Optional.of(later))));
    PoolPlan plan = planned.plan(seen.withPool(pool), now);
    return with(
        plan,
        repairs ->
            repairs.admitted().filter(later::equals).isPresent()
                ? repairs.withAdmitted(real)
                : repairs);
  }

  private interface Planned {
    PoolPlan plan(PoolSnapshot seen, Instant now);
  }

  private static PoolPlan together(PoolPlan plan, PoolSnapshot seen, Instant now) {
    RepairState repairs = plan.status().repairs();
    return repairs
        .admitted()
        .filter(each -> each.at().equals(now.truncatedTo(ChronoUnit.MILLIS)))
        .flatMap(each ->
            seen.members()
                .find(each.hostUid())
                .map(member -> RackRepair.of(member.host().machine().rack(), each.alert(), now)))
        .filter(rack ->
            RackRepair.isOfRack(RackRepair.in(seen.members(), rack.rack()).toList(), rack.alert()))
        .map(rack -> with(plan, state -> state.withRack(Optional.of(rack))))
        .orElse(plan);
  }

  private static PoolPlan unverified(PoolPlan plan) {
    return with(
        plan,
        repairs ->
            repairs.withAdmitted(
                repairs
                    .admitted()
                    .map(each ->
                        repairs.suspect(each.alert()).isPresent()
                            ? each
                            : each.withVerifies(false))));
  }
}
