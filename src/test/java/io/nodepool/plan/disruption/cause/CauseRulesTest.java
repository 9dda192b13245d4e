package io.nodepool.plan.disruption.cause;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.LifecycleState;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A rule is asked instead of a cause's name, so its values must not be names of causes. */
class CauseRulesTest {
  private static final Instant AT = Instant.parse("2026-01-01T10:00:00Z");

  private static final List<KnownCause> CAUSES =
      List.of(
          new ScaleDownCause(CandidateRank.IDLE),
          new PoolDeletionCause(Optional.empty()),
          new RegistrationFailedCause(),
          new MachineOutageCause(),
          new OrphanedCause(),
          new NoMachineCause(),
          new PreemptionCause(AT),
          new RequestedRebootCause(LifecycleState.REBOOT, false),
          new RequestedRebootCause(LifecycleState.RECONFIGURE, false),
          new RolloutCause("ncore-2.11.0", false),
          new RequestedRebootCause(LifecycleState.VERIFICATION, false),
          new RebootFailedCause());

  /** Values that one cause alone has, each with its reason. */
  private static final Map<String, String> OF_ONE_CAUSE =
      Map.of(
          "countsAs=PREEMPTION", "clients count preempted Nodes by themselves (seed 004)",
          "yieldsTo=Optional[PREEMPTION]", "a preempted Node counts as leaving already (D71)",
          "settles=false", "an instant from outside does not wait for late bindings (D67)",
          "request=Optional[PENDING_STATE]", "the label asks for each kind of reboot");

  @Test
  void theListHasEachKindOnceInItsOrder() {
    assertThat(CAUSES).extracting(KnownCause::kind).containsExactlyElementsOf(CauseCatalogue.ALL);
    assertThat(CauseCatalogue.ALL).extracting(CauseKind::word).doesNotHaveDuplicates();
    assertThat(CauseCatalogue.ALL).extracting(CauseKind::text).doesNotHaveDuplicates();
    assertThat(Arrays.stream(KnownCause.class.getPermittedSubclasses()).toList())
        .allMatch(type -> CAUSES.stream().anyMatch(type::isInstance));
  }

  @Test
  void eachIsReadAsItIsWritten() {
    assertThat(CAUSES)
        .allSatisfy(
            cause -> assertThat(cause.kind().read().apply(cause.reference())).isEqualTo(cause));
  }

  @Test
  void itDemandsWhatItsRuleSays() {
    CauseFacts facts = CauseFacts.withoutMachine(true, AT, PlanSettings.DEFAULTS);
    assertThat(CAUSES)
        .allSatisfy(cause ->
            assertThat(cause.demand(AT, facts).leaving().isPresent())
                .as(cause.word())
                .isEqualTo(cause.leaves()));
  }

  @Test
  void noValueOfARuleIsTheNameOfACause() throws ReflectiveOperationException {
    Map<String, Set<Class<?>>> users = new TreeMap<>();
    for (KnownCause cause : CAUSES) {
      for (RecordComponent component : CauseRule.class.getRecordComponents()) {
        users
            .computeIfAbsent(
                component.getName() + "=" + component.getAccessor().invoke(cause.rule()),
                _ -> new LinkedHashSet<>())
            .add(cause.getClass());
      }
    }
    Set<String> ofOne = new TreeSet<>();
    users.forEach((value, causes) -> {
      if (causes.size() == 1) {
        ofOne.add(value);
      }
    });
    assertThat(ofOne).isEqualTo(new TreeSet<>(OF_ONE_CAUSE.keySet())).hasSizeLessThanOrEqualTo(5);
  }
}
