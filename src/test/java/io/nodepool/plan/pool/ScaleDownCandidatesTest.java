package io.nodepool.plan.pool;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.leaving;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.running;
import static io.nodepool.plan.Given.unregistered;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Taint;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.Given;
import io.nodepool.plan.disruption.cause.RegistrationFailedCause;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The order in which Nodes are chosen for removal, cause by cause, and the Nodes that are not
 * chosen.
 */
class ScaleDownCandidatesTest {
  private static final Workload BUSY = new Workload(2, 0, false);
  private static final Workload INTERRUPTIBLE = new Workload(0, 1, false);

  private static Member member(Node node, Workload workload) {
    return Given.member(
        running(node.name()), Optional.of(node), workload, Optional.empty(), Member.Findings.NONE);
  }

  private static Member idle(String name) {
    return member(node(running(name), 3), Workload.NONE);
  }

  private static Member busy(String name) {
    return member(node(running(name), 3), BUSY);
  }

  private static Member with(String name, Disruption removal) {
    return member(leaving(node(running(name), 3), removal), Workload.NONE);
  }

  private static Node labelled(Node node, String key) {
    SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
    labels.put(key, "true");
    NodeMetadata seen = node.metadata();
    return node.withMetadata(seen.withLabels(labels));
  }

  private static Node tainted(Node node, NodeTaints taint) {
    NodeMetadata seen = node.metadata();
    return node.withMetadata(seen.withTaints(List.of(new Taint(taint.key(), "", "NoSchedule"))));
  }

  private static Node notReady(Node node) {
    return node.withStatus(node.status().withReady(false, NOW));
  }

  private static final List<Member> LADDER =
      List.of(
          member(unregistered(node(running("g1"), 3)), Workload.NONE),
          member(labelled(node(running("g2"), 3), NodeLabels.REMOVE_NODE.key()), Workload.NONE),
          member(tainted(node(running("g3"), 3), NodeTaints.AUTOSCALER_DELETION), Workload.NONE),
          member(notReady(node(running("g4"), 3)), Workload.NONE),
          member(node(running("g5"), 3).withCordoned(true), Workload.NONE),
          member(tainted(node(running("g6"), 3), NodeTaints.AUTOSCALER_CANDIDATE), Workload.NONE),
          idle("g7"),
          member(node(running("g8"), 3), INTERRUPTIBLE),
          busy("g9"));

  private static ScaleDownCandidates.Choice choose(
      List<Member> members, int excess, PoolSpec.ScaleDownStrategy strategy) {
    return ScaleDownCandidates.choose(
        Given.pool(Given.pool(members.size() - excess, strategy), members), excess, 1, NOW);
  }

  private static List<String> names(List<Member> members) {
    return members.stream().map(each -> each.host().id().name()).toList();
  }

  private static List<String> members(
      ScaleDownCandidates.Choice choice, ScaleDownCandidates.Outcome outcome) {
    return choice.with(outcome).map(each -> each.member().host().id().name()).toList();
  }

  private static List<String> chosen(ScaleDownCandidates.Choice choice) {
    return members(choice, ScaleDownCandidates.Outcome.CHOSEN);
  }

  @Test
  void nodesAreChosenInTheOrderOfTheCausesWhateverTheOrderOfTheMembers() {
    List<Member> shuffled = new ArrayList<>(LADDER);
    Collections.shuffle(shuffled, new Random(7));
    for (int excess = 0; excess <= LADDER.size(); excess++) {
      assertThat(chosen(choose(shuffled, excess, PoolSpec.ScaleDownStrategy.PREFER_IDLE)))
          .isEqualTo(IntStream.rangeClosed(1, excess).mapToObj(each -> "g" + each).toList());
    }
    assertThat(
            choose(LADDER, 9, PoolSpec.ScaleDownStrategy.PREFER_IDLE)
                .with(ScaleDownCandidates.Outcome.CHOSEN)
                .map(ScaleDownCandidates.Verdict::rank))
        .containsExactly(
            CandidateRank.NOT_REGISTERED,
            CandidateRank.CLIENT_REQUEST,
            CandidateRank.AUTOSCALER,
            CandidateRank.UNHEALTHY,
            CandidateRank.CORDONED,
            CandidateRank.AUTOSCALER_CANDIDATE,
            CandidateRank.IDLE,
            CandidateRank.INTERRUPTIBLE,
            CandidateRank.ACTIVE);
  }

  @Test
  void aBusyNodeStaysUnderIdleOnlyAndIsReportedAsWaiting() {
    ScaleDownCandidates.Choice choice =
        choose(List.of(busy("g1"), idle("g2")), 2, PoolSpec.ScaleDownStrategy.IDLE_ONLY);

    assertThat(chosen(choice)).containsExactly("g2");
    assertThat(members(choice, ScaleDownCandidates.Outcome.WAITING)).containsExactly("g1");
    assertThat(choice.missing()).isEqualTo(1);
    assertThat(choice.verdicts().stream().map(ScaleDownCandidates.Verdict::text))
        .containsExactly(
            "it is idle; candidate 1 of 2",
            "the pool prefers idle Nodes and has no more; candidate 2 of 2");
  }

  @Test
  void aBusyNodeWhoseRemovalAClientRequestedIsNotReplaced() {
    Member asked = member(labelled(node(running("g1"), 3), NodeLabels.REMOVE_NODE.key()), BUSY);

    assertThat(chosen(choose(List.of(asked, idle("g2")), 1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)))
        .isEmpty();
  }

  @Test
  void aNodeThatIsPassedOverStaysUntilItsTimeEnds() {
    List<Member> members =
        List.of(
            with("g1", Disruptions.passedOver(NOW, NOW.plusSeconds(60), false)),
            with("g2", Disruptions.passedOver(NOW, NOW, false)));
    ScaleDownCandidates.Choice choice = choose(members, 2, PoolSpec.ScaleDownStrategy.PREFER_IDLE);

    assertThat(chosen(choice)).containsExactly("g2");
    assertThat(members(choice, ScaleDownCandidates.Outcome.PASSED_OVER)).containsExactly("g1");
  }

  @Test
  void anAdmissionIsKeptWhileThereIsAnExcessAndWithdrawnAfterwards() {
    Member chosen = with("g1", Disruptions.admitted(CandidateRank.IDLE, NOW, true));
    List<Member> members = List.of(idle("g2"), chosen);

    assertThat(chosen(choose(members, 1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)))
        .containsExactly("g1");
    assertThat(names(choose(members, 0, PoolSpec.ScaleDownStrategy.IDLE_ONLY).kept()))
        .containsExactly("g1");
  }

  @Test
  void nodesWhoseFaultsComeAndGoAreNotChosenInTurn() {
    for (CandidateRank fault : List.of(CandidateRank.NOT_REGISTERED, CandidateRank.UNHEALTHY)) {
      Disruption admitted = Disruptions.admitted(fault, NOW, true);
      Member faulty =
          fault == CandidateRank.UNHEALTHY
              ? member(notReady(node(running("g2"), 3)), Workload.NONE)
              : member(unregistered(node(running("g2"), 3)), Workload.NONE);

      assertThat(
              chosen(
                  choose(
                      List.of(with("g1", admitted), faulty),
                      1,
                      PoolSpec.ScaleDownStrategy.IDLE_ONLY)))
          .containsExactly("g1");
      assertThat(
              chosen(
                  choose(
                      List.of(member(leaving(node(running("g1"), 3), admitted), BUSY), faulty),
                      1,
                      PoolSpec.ScaleDownStrategy.PREFER_IDLE)))
          .containsExactly("g2");
    }
  }

  @Test
  void aRequestThatAClientTookBackGivesItsPlaceToOthers() {
    Member asked = with("g1", Disruptions.admitted(CandidateRank.CLIENT_REQUEST, NOW, true));
    Member faulty = member(notReady(node(running("g2"), 3)), Workload.NONE);

    assertThat(chosen(choose(List.of(asked, faulty), 1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)))
        .containsExactly("g2");
  }

  @Test
  void anAdmittedBusyNodeIsNotReplacedUntilItsMachineWithdrawsIt() {
    Member chosen =
        member(
            leaving(node(running("g1"), 3), Disruptions.admitted(CandidateRank.IDLE, NOW, true)),
            BUSY);
    ScaleDownCandidates.Choice choice =
        choose(List.of(chosen, idle("g2")), 1, PoolSpec.ScaleDownStrategy.IDLE_ONLY);

    assertThat(choice.kept()).isEmpty();
    assertThat(chosen(choice)).isEmpty();
  }

  @Test
  void anAdmissionForAnotherCauseThanThePoolsSizeIsNotWithdrawn() {
    Member late = with("g1", Disruptions.admitted(new RegistrationFailedCause(), NOW, true));
    ScaleDownCandidates.Choice choice =
        choose(List.of(idle("g2"), late), 0, PoolSpec.ScaleDownStrategy.IDLE_ONLY);

    assertThat(choice.kept()).isEmpty();
    assertThat(late.isTerminating()).isTrue();
  }

  @Test
  void aMemberThatCannotBeReadIsNotChosen() {
    Member frozen = frozen(Optional.of(node(running("g1"), 3)));

    assertThat(chosen(choose(List.of(frozen), 1, PoolSpec.ScaleDownStrategy.PREFER_IDLE)))
        .isEmpty();
  }

  @Test
  void noOtherNodeIsChosenInPlaceOfOneThatCannotBeRead() {
    Disruption admitted = Disruptions.admitted(CandidateRank.IDLE, NOW, true);
    Node node = node(running("g1"), 3);
    for (Member frozen :
        List.of(
            frozen(Optional.of(leaving(node, admitted))),
            frozen(Optional.of(node)),
            frozen(Optional.empty()))) {
      List<Member> members = List.of(frozen, busy("g2"), busy("g3"));

      assertThat(chosen(choose(members, 1, PoolSpec.ScaleDownStrategy.PREFER_IDLE))).isEmpty();
      assertThat(chosen(choose(members, 2, PoolSpec.ScaleDownStrategy.PREFER_IDLE)))
          .containsExactly("g2");
    }
  }

  private static Member frozen(Optional<Node> node) {
    return Given.member(
        running("g1"),
        node,
        Workload.NONE,
        Optional.empty(),
        Fixtures.findings(
            Optional.empty(), Optional.of("no tenancy"), Optional.empty(), Optional.empty()));
  }
}
