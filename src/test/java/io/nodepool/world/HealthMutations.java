package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.health.DropReason;
import io.nodepool.health.Health;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Faults in what stands about the health of machines, and in what is shown of it. */
final class HealthMutations {
  private static final String MANY = "symptoms, many alerts and one that is held";

  private HealthMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            88,
            "An alert from before a boot counts after it",
            built.withMachines(
                Seams.machineSeen((seen, now) -> seen.withHealth(withStale(seen.health(), now)))),
            "alerts before and after a boot"),
        Mutation.of(
            89,
            "The condition of an alert stays when it is over",
            Seams.actions(HealthMutations::keeping),
            "alerts that come and go"),
        Mutation.of(
            90,
            "A symptom is shown as a cause",
            built.withMachines(
                Seams.machineSeen((seen, _) ->
                    seen.withHealth(seen.health().withSymptoms(Collections.emptySortedMap())))),
            MANY),
        Mutation.of(
            91,
            "Alerts are shown on another Node",
            built.withMachines(HealthMutations::misled),
            MANY),
        Mutation.of(
            92,
            "An alert counts before its hold is over",
            built.withTimings(timings ->
                timings.withHealth(
                    new HealthSettings(
                        timings.health().clear(), timings.health().skew(), Integer.MAX_VALUE))),
            MANY),
        Mutation.of(
            93,
            "More alerts are shown than a Node may have",
            Seams.actions(HealthMutations::oneMore),
            MANY));
  }

  /** Plans each machine by the last health that was not good. */
  private static MachinePlanning misled(MachinePlanning planner) {
    AtomicReference<Health> last = new AtomicReference<>(Health.NONE);
    return Seams.machineSeen(
            (seen, _) -> {
              if (!seen.health().standing().isEmpty()) {
                last.set(seen.health());
              }
              return seen.withHealth(Objects.requireNonNull(last.get()));
            })
        .apply(planner);
  }

  private static Action oneMore(Action action) {
    return action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.REPORT_HEALTH)
            && write.change() instanceof NodeChange.OfStatus(var metadata, var conditions)
        ? new Action.WriteNode(
            write.node(),
            write.nodeUid(),
            write.precondition(),
            new NodeChange.OfStatus(
                metadata,
                Stream.concat(
                        conditions.stream(),
                        Stream.of(
                            ConditionChange.alert(
                                "NodeNetworkReceiveErrs",
                                "Grade watch, reported by dcgm about host.",
                                true)))
                    .toList()),
            write.purpose())
        : action;
  }

  private static Health withStale(Health health, Instant now) {
    List<StandingAlert> standing = new ArrayList<>(health.standing());
    health
        .dropped()
        .forEach((key, reason) -> {
          if (reason == DropReason.STALE) {
            standing.add(stale(key, now));
          }
        });
    return Health.NONE
        .withStanding(standing)
        .withDropped(health.dropped())
        .withChangesAt(health.changesAt());
  }

  private static StandingAlert stale(SignalKey key, Instant now) {
    return new StandingAlert(
        AlertCatalogue.shipped().alert(key.name()),
        Instant.EPOCH,
        StandingAlert.State.STANDS,
        List.of(Signal.standing(key, now)));
  }

  private static Action keeping(Action action) {
    return action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.REPORT_HEALTH)
            && write.change() instanceof NodeChange.OfStatus(var metadata, var conditions)
        ? new Action.WriteNode(
            write.node(),
            write.nodeUid(),
            write.precondition(),
            new NodeChange.OfStatus(
                metadata,
                conditions.stream().filter(ConditionChange.Set.class::isInstance).toList()),
            write.purpose())
        : action;
  }
}
