package io.nodepool.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.DropReason;
import io.nodepool.health.StandingAlert;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.pool.ScaleDownCandidates;
import io.nodepool.plan.pool.ScaleDownCandidates.Outcome;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No gate without an answer: each limit, wait and refusal of the code has a sentence. */
class GatesTest {
  private static final Instant NOW = PoolFixture.NOW;

  /** The enums that say why something is not done, but for reasons of conditions. */
  private static final Set<String> ANSWERED =
      Set.of(
          "Limit",
          "Outcome",
          "Key",
          "Awaited",
          "Verdict",
          "Stand",
          "Phase",
          "DrainStage",
          "DropReason",
          "Hold",
          "State",
          "SummaryReason",
          "CandidateRank");

  /** Those that hold nothing. */
  private static final Set<String> NO_GATES =
      Set.of(
          // What is done, or was.
          "Left",
          "Cordoning",
          "TakenBack",
          "Blame",
          "Limited",
          "NodePurpose",
          "Standing",
          "CountsAs",
          "Occurrence",
          "Cordon",
          "Trait",
          "Group",
          "DisruptionOutcome",
          // What clients ask, and what things are.
          "ReportedState",
          "Interruption",
          "LabelAuthor",
          "ScaleDownStrategy",
          "Place",
          "AlertSubject",
          "Grade",
          "Source",
          "LifecycleState",
          "ReferenceGeneration",
          "BootKind",
          "UpdateStrategy",
          "Power",
          "PlacementLabel",
          "Operator",
          "Network",
          "HostPhase",
          // Words.
          "NodeLabels",
          "KeyWriter",
          "PoolAnnotations",
          "NodeInterfaceLabels",
          "PodLabels",
          "PodAnnotations",
          "NodeTaints",
          "HostAnnotations",
          "TaintEffect",
          "NamespaceLabels",
          "NodeAnnotations",
          "EventReason",
          "EventType",
          "EventTarget",
          "Metric",
          "Kind",
          "ConditionStatus",
          "NodeCondition",
          "PoolCondition",
          // Of conditions of Nodes, whose messages are said.
          "NodeRemovalReason",
          "RegistrationReason");

  private static final Pattern ENUM =
      Pattern.compile("\\benum ([A-Z]\\w+)(?: implements ([^{]+))?");

  record Gate(Enum<?> constant, String answer) {}

  private static <E extends Enum<E>> Stream<Gate> gates(Class<E> of, Function<E, String> answer) {
    return Arrays.stream(of.getEnumConstants()).map(each -> new Gate(each, answer.apply(each)));
  }

  private static Member member() {
    HostId host = new HostId("g1", "uid-g1");
    return Fixtures.member(
        Fixtures.running(host, new PoolId("a", "uid-a")),
        Optional.of(Fixtures.node(host, "uid-node", 1)),
        Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        Member.Findings.NONE);
  }

  static Stream<Gate> gates() {
    return Stream.of(
            gates(
                DisruptionAdmission.Limit.class,
                each ->
                    Reasons.of(
                        new Decision.Held(each, 1, 2),
                        DisruptionAdmission.of(
                            Optional.empty(), true, Optional.of(Host.Hold.MAINTENANCE)))),
            gates(
                Outcome.class,
                each ->
                    Reasons.of(new Verdict(member(), CandidateRank.IDLE, each, 1, 2), "ns/pod")),
            gates(
                CandidateRank.class,
                each -> Reasons.kept(new Verdict(member(), each, Outcome.KEPT, 1, 2), "ns/pod")),
            gates(Member.Awaited.class, Reasons::of),
            gates(SuspectedAlert.Verdict.class, Reasons::of),
            gates(StandingAlert.State.class, Reasons::of),
            gates(DropReason.class, Reasons::of),
            gates(DrainStage.class, Reasons::of),
            gates(Host.Hold.class, Host.Hold::text),
            gates(RolloutState.Phase.class, Reasons::of),
            gates(
                Rollout.Stand.class,
                each ->
                    Reasons.of(
                        new Rollout.Turn(member(), each), new PoolPlan.Use(1, 1), "ns/pod", NOW)),
            gates(RepairsHeldReason.class, each -> Reasons.until(each, "a")),
            gates(SummaryReason.class, each -> Reasons.until(each, "a"))
                .filter(each -> each.constant() != SummaryReason.READY),
            gates(ScaleDownCandidates.Key.class, each -> Reasons.of(each, member()))
                .filter(each -> each.constant() != ScaleDownCandidates.Key.RANK))
        .flatMap(Function.identity());
  }

  @ParameterizedTest
  @MethodSource("gates")
  void eachGateHasASentence(Gate gate) {
    assertThat(gate.answer()).isNotBlank();
  }

  @ParameterizedTest
  @MethodSource("conditions")
  void eachConditionSaysWhatItFollowsFrom(PoolCondition condition) {
    assertThat(ListedKind.of(condition)).isNotEmpty();
  }

  static PoolCondition[] conditions() {
    return PoolCondition.values();
  }

  @Test
  void noEnumIsNeitherAnsweredNorKnownToHoldNothing() throws IOException {
    for (String part : List.of("plan", "model", "health", "vocabulary", "fleet")) {
      try (Stream<Path> files = Files.walk(Path.of("src/main/java/io/nodepool", part))) {
        assertThat(files.filter(each -> each.toString().endsWith(".java")).flatMap(GatesTest::open))
            .as("enums in %s that may be gates, of which explain says nothing", part)
            .isEmpty();
      }
    }
  }

  private static Stream<String> open(Path file) {
    try {
      return ENUM.matcher(Files.readString(file))
          .results()
          .filter(each -> !ANSWERED.contains(each.group(1)) && !NO_GATES.contains(each.group(1)))
          // What a condition holds is asked of real situations.
          .filter(each -> !reasons(each))
          .map(each -> file + ": " + each.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean reasons(MatchResult found) {
    return found.group(2) != null && found.group(2).contains("PoolReason");
  }
}
