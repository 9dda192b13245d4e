package io.nodepool.world;

import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults in the choice and order of Nodes and pools. */
final class ChoiceMutations {
  private ChoiceMutations() {}

  static Stream<Mutation> all() {
    return Stream.of(
        seen(
            33,
            "A client's request for removal is ignored when Nodes are chosen",
            snapshot -> members(snapshot, ChoiceMutations::unasked),
            "chosen by clients"),
        seen(
            34,
            "Busy Nodes are not ranked after idle ones",
            snapshot -> members(snapshot, ChoiceMutations::idle),
            "least busy"),
        seen(
            35,
            "Quota is granted without regard to priority",
            ChoiceMutations::unranked,
            "priorities"),
        seen(
            36,
            "The live list of a deleted pool's remaining objects is left out",
            ChoiceMutations::foundEmpty,
            "deleted while it grows",
            "delete"));
  }

  private static Mutation seen(
      int number, String name, UnaryOperator<PoolSnapshot> change, String... first) {
    return Mutation.of(
        number, name, OperatorOverrides.AS_BUILT.withPlanner(Seams.poolSeen(change)), first);
  }

  private static PoolSnapshot members(PoolSnapshot seen, UnaryOperator<Member> change) {
    return seen.withMembers(Members.of(seen.members().stream().map(change).toList()));
  }

  private static Member with(Member member, Optional<Node> node, Workload workload) {
    return Fixtures.member(
        member.host(), node, workload, member.underWay(), member.waiting(), member.findings());
  }

  private static Member unasked(Member member) {
    return with(member, member.node().map(ChoiceMutations::unasked), member.workload());
  }

  private static Node unasked(Node node) {
    NodeMetadata metadata = node.metadata();
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.remove(NodeLabels.REMOVE_NODE.key());
    return node.withMetadata(metadata.withLabels(labels));
  }

  private static Member idle(Member member) {
    return with(
        member,
        member
            .node()
            .map(node -> node.withStatus(NodeConditions.activity(node.status(), Optional.empty()))),
        Workload.NONE);
  }

  private static PoolSnapshot unranked(PoolSnapshot seen) {
    Pool pool = seen.pool();
    return Fixtures.withPool(seen, pool.withSpec(pool.spec().withPriority(0)))
        .withAvailability(
            seen.availability()
                .withOthers(
                    seen.others().stream()
                        .map(claim ->
                            claim.withRank(
                                new Claim.Rank(claim.rank().spot(), 0, claim.rank().askedAt())))
                        .toList()));
  }

  private static PoolSnapshot foundEmpty(PoolSnapshot seen) {
    return seen.withConfirmedEmpty(seen.pool().isTerminating());
  }
}
