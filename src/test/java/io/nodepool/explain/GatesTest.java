package io.nodepool.explain;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.DropReason;
import io.nodepool.health.StandingAlert;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.cause.RebootConsent;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
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
  private static final PoolPlan.Use USE = new PoolPlan.Use(1, 1);
  private static final List<String> ROOMS =
      List.of("plan", "model", "health", "vocabulary", "fleet");
  private static final Path MAIN = Path.of("src/main/java");

  /** Said of all that is explained at once. */
  private static final String IN_MEMORY = "only a running operator knows what it waits for then";

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

  /** The sealed types of which no case holds anything, and why. */
  private static final Map<String, String> NO_CASES =
      Map.ofEntries(
          entry("Action", "what is done"),
          entry("Subject", "what an action is on"),
          entry("NodeChange", "what is written"),
          entry("ConditionChange", "what is written"),
          entry("Recorded", "what is written"),
          entry("NodePrecondition", "what a write tests: one that is refused is decided anew"),
          entry("HostOperation", "what is done"),
          entry("KnownCause", "why something is done; what holds it is a Decision"),
          entry("DisruptionEnding", "what is done in the end"),
          entry("ReconcileKey", "what is decided anew"),
          entry("Observation", "what is seen; what cannot be read is said of its object"),
          entry("FleetRelease", "what a fleet offers"),
          entry("MetadataKey", "words"),
          entry("ConditionType", "words"),
          entry("PoolReason", "of conditions, which are asked of real situations"));

  /** Of the other sealed types each case, with what is said of it, or why nothing is. */
  private static final Map<String, String> CASES =
      Map.ofEntries(
          entry("Decision.Admitted", "nothing holds it"),
          entry("Decision.Held", held(DisruptionAdmission.Limit.PAUSED)),
          entry("Offer.Known", "nothing is held"),
          entry("Offer.Lost", held(DisruptionAdmission.Limit.FLEET_UNKNOWN)),
          entry("RebootConsent.None", "there is nothing to consent to"),
          entry("RebootConsent.Given", "the request is carried out"),
          entry("RebootConsent.Unread", next(new RebootConsent.Unread())),
          entry("RebootConsent.Spent", next(new RebootConsent.Spent(Optional.empty(), "it ended"))),
          entry("RebootConsent.Waiting", "when the operator decides anew, as for each instant"),
          entry("Job.Passed", "the Node is back, which is no longer wanted"),
          entry("Job.Failed", "the cause waits for its machine: it boots, or is verified"),
          entry("Job.Waiting", "the cause waits for its machine: it boots, or is verified"),
          entry("Job.Step", "what the operator does next"),
          entry("RecordChange.Keep", "what the cause waits for, and when that is decided anew"),
          entry("RecordChange.Step", "what the operator does next"),
          entry("Disruption.Requested", "the cause is found, and waits as a Decision says"),
          entry("Disruption.Admitted", "the cause is cordoned, and waits as a Decision says"),
          entry("Disruption.PassedOver", Reasons.of(passedOver(), USE, "ns/pod", NOW)),
          entry("Disruption.Committed", Reasons.of(DrainStage.BEGUN)),
          entry("Selection.Found", "nothing is held"),
          entry("Selection.Missing", "the message of a condition of the pool"),
          entry(
              "Affinity.Selector", "machines that it does not admit are of the Quota and Capacity"),
          entry("Affinity.Unreadable", "the message of the condition Validated"),
          entry("Answer.Done", "nothing is held"),
          entry("Answer.Missing", "the object is gone"),
          entry("Answer.Refused", "decided anew at once"),
          entry("Answer.Denied", IN_MEMORY),
          entry("Answer.Unavailable", IN_MEMORY),
          entry("Answer.Unknown", IN_MEMORY));

  private static final Pattern ENUM =
      Pattern.compile("\\benum ([A-Z]\\w+)(?: implements ([^{]+))?");

  record Gate(Enum<?> constant, String answer) {}

  private static <E extends Enum<E>> Stream<Gate> gates(Class<E> of, Function<E, String> answer) {
    return Arrays.stream(of.getEnumConstants()).map(each -> new Gate(each, answer.apply(each)));
  }

  private static String held(DisruptionAdmission.Limit limit) {
    return Reasons.of(
        new Decision.Held(limit, 1, 2),
        DisruptionAdmission.of(Optional.empty(), true, Optional.empty()));
  }

  private static String next(RebootConsent consent) {
    Node node = Fixtures.node(new HostId("g1", "uid-g1"), "uid-node", 1);
    return consent.step(node).orElseThrow().why();
  }

  private static Rollout.Turn passedOver() {
    return new Rollout.Turn(member(), Rollout.Stand.PASSED_OVER);
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
                each -> Reasons.of(new Rollout.Turn(member(), each), USE, "ns/pod", NOW)),
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
    for (String part : ROOMS) {
      assertThat(files(part).stream().flatMap(GatesTest::open))
          .as("enums in %s that may be gates, of which explain says nothing", part)
          .isEmpty();
    }
  }

  private static List<Path> files(String room) throws IOException {
    try (Stream<Path> files = Files.walk(MAIN.resolve("io/nodepool").resolve(room))) {
      return files
          .filter(each -> each.toString().endsWith(".java"))
          .filter(each -> !each.endsWith("package-info.java"))
          .toList();
    }
  }

  @Test
  void noCaseOfASealedTypeIsNeitherAnsweredNorKnownToHoldNothing() throws IOException {
    Set<String> roots = new TreeSet<>();
    Set<String> cases = new TreeSet<>();
    for (String part : ROOMS) {
      files(part).stream()
          .flatMap(GatesTest::types)
          .filter(each -> each.isSealed() && !isCase(each))
          .forEach(root -> {
            if (NO_CASES.containsKey(root.getSimpleName())) {
              roots.add(root.getSimpleName());
            } else {
              cases(root)
                  .map(each -> root.getSimpleName() + "." + each.getSimpleName())
                  .forEach(cases::add);
            }
          });
    }
    assertThat(cases)
        .as("cases of sealed types that may be gates, and those of which explain says something")
        .containsExactlyInAnyOrderElementsOf(CASES.keySet());
    assertThat(roots).containsExactlyInAnyOrderElementsOf(NO_CASES.keySet());
    assertThat(CASES.values()).noneMatch(String::isBlank);
  }

  /** The types of a file. */
  private static Stream<Class<?>> types(Path file) {
    String name = MAIN.relativize(file).toString().replaceFirst("\\.java$", "");
    try {
      return withNested(
          Class.forName(name.replace('/', '.'), false, GatesTest.class.getClassLoader()));
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<Class<?>> withNested(Class<?> type) {
    return Stream.concat(
        Stream.of(type), Arrays.stream(type.getDeclaredClasses()).flatMap(GatesTest::withNested));
  }

  private static boolean isCase(Class<?> type) {
    return Arrays.stream(type.getInterfaces()).anyMatch(Class::isSealed);
  }

  private static Stream<Class<?>> cases(Class<?> root) {
    return Arrays.stream(root.getPermittedSubclasses())
        .flatMap(each -> each.isSealed() ? cases(each) : Stream.of(each))
        .distinct();
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
