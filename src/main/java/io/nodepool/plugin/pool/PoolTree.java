package io.nodepool.plugin.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Branch;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A NodePool with all deviations from its spec.
 *
 * @param nodes its Nodes
 * @param hosts the Hosts that are assigned to it; none if the user may not read them
 */
record PoolTree(PoolReading pool, List<NodeReading> nodes, List<JsonNode> hosts) {
  /** The greatest number of Nodes, and of Hosts, that are shown by name. */
  private static final int SHOWN = 20;

  /** The tree. */
  Branch root() {
    Optional<JsonNode> atTarget = pool.condition(PoolCondition.AT_TARGET);
    List<Branch> children = new ArrayList<>();
    pool.json().at("/status/conditions").forEach(each -> children.add(condition(each)));
    children.add(configuration());
    repairs().ifPresent(children::add);
    children.add(ofNodes());
    delivery().ifPresent(children::add);
    return new Branch(
        "NodePool/" + pool.name(),
        atTarget.map(each -> each.path("status").asText("")).orElse("Unknown"),
        pool.standing(),
        atTarget.map(PoolTree::since).orElse(""),
        "%s, %s: target %d, %d current, %d in progress, %d queued. %s"
            .formatted(
                pool.instanceType(),
                pool.computeClass(),
                pool.target(),
                pool.currentNodes(),
                pool.inProgress(),
                pool.queued(),
                pool.standingText())
            .strip(),
        children);
  }

  private static Branch condition(JsonNode condition) {
    return Branch.leaf(
        condition.path("type").asText(""),
        condition.path("status").asText(""),
        condition.path("reason").asText(""),
        since(condition),
        condition.path("message").asText(""));
  }

  private static String since(JsonNode condition) {
    return condition.path("lastTransitionTime").asText("");
  }

  private Branch configuration() {
    List<Branch> children = new ArrayList<>();
    pool.pending()
        .ifPresent(each ->
            children.add(
                Branch.leaf(
                    "Pending/" + each.profile(),
                    "",
                    "",
                    each.createdAt(),
                    String.join(", ", each.summary()))));
    if (!pool.rolloutPhase().isEmpty()) {
      children.add(
          Branch.leaf(
              "Rollout", "", pool.rolloutPhase(), pool.rolloutSince(), pool.rolloutReason()));
    }
    return new Branch(
        "Configuration/" + pool.active(),
        "",
        pool.isDisabled() ? "Disabled" : "",
        pool.revision(pool.active()).map(PoolReading.Revision::activatedAt).orElse(""),
        "booted by " + pool.upToDateText(),
        children);
  }

  private Optional<Branch> repairs() {
    if (pool.repairsWaiting() > 0) {
      return Optional.of(
          Branch.leaf(
              "Repairs",
              "",
              "Waiting",
              "",
              "%d: %s".formatted(pool.repairsWaiting(), pool.repairsHeldBy())));
    }
    return Optional.ofNullable(pool.annotations().get(PoolAnnotations.REPAIR.key()))
        .filter(mode -> !mode.equals(PoolAnnotations.ACT))
        .map(mode ->
            Branch.leaf(
                "Repairs",
                "",
                "Observing",
                "",
                "no machine is repaired: annotation %s is \"%s\""
                    .formatted(PoolAnnotations.REPAIR.key(), UserText.printable(mode))));
  }

  private Branch ofNodes() {
    List<Branch> shown =
        nodes.stream()
            .filter(node -> !isAsItShouldBe(node))
            .sorted(Comparator.comparing(NodeReading::name))
            .map(PoolTree::node)
            .toList();
    int alerting = pool.count("alerting");
    return Branch.group(
        "Nodes",
        "%d, %d of them ready for new work with nothing pending%s"
            .formatted(
                nodes.size(),
                nodes.size() - shown.size(),
                alerting == 0
                    ? ""
                    : "; alerts about %d: kubectl nodepool health %s"
                        .formatted(alerting, pool.name())),
        first(shown));
  }

  private static List<Branch> first(List<Branch> all) {
    if (all.size() <= SHOWN) {
      return all;
    }
    List<Branch> first = new ArrayList<>(all.subList(0, SHOWN));
    first.add(Branch.group("and %d more".formatted(all.size() - SHOWN), "", List.of()));
    return first;
  }

  private static boolean isAsItShouldBe(NodeReading node) {
    return node.isReady()
        && !node.isCordoned()
        && node.label(NodeLabels.STATE).equals(LifecycleState.PRODUCTION.word())
        && node.active().isEmpty()
        && node.pendingState().isEmpty();
  }

  private static Branch node(NodeReading node) {
    Optional<DisruptionView> disruption = node.disruption();
    String cordon = node.annotation(NodeAnnotations.CORDON_REASON);
    String cordoned =
        node.isCordoned()
            ? "cordoned" + (cordon.isEmpty() ? " by others" : " (" + cordon + ")")
            : "";
    return Branch.leaf(
        "Node/" + node.name(),
        node.readyWord(),
        disruption.map(DisruptionView::stage).orElse(node.label(NodeLabels.STATE)),
        disruption.map(each -> each.since().toString()).orElse(""),
        Stream.of(
                disruption
                    .map(each -> "%s; waits for %s".formatted(each.why(), each.waitText()))
                    .orElse(cordoned),
                node.pendingState().map("pending: "::concat).orElse(""))
            .filter(text -> !text.isEmpty())
            .collect(Collectors.joining("; ")));
  }

  /** A machine whose Node does not exist; a phase of an earlier tenancy is ignored. */
  private static Branch awaited(JsonNode host) {
    String name = "Host/" + host.at("/metadata/name").asText("");
    long tenancy = host.at("/spec/tenancy").asLong(0);
    return host.at("/status/tenancy").asLong(tenancy) == tenancy
        ? Branch.leaf(
            name,
            "",
            host.at("/status/phase").asText("Unknown"),
            host.at("/status/since").asText(""),
            host.at("/status/message").asText(""))
        : Branch.leaf(name, "", "Assigned", "", "its fleet has not begun to deliver it");
  }

  /** The machines whose Nodes do not exist, with the phases that the fleet reports. */
  private Optional<Branch> delivery() {
    Set<String> here = nodes.stream().map(NodeReading::name).collect(Collectors.toSet());
    List<Branch> awaited =
        hosts.stream()
            .filter(host -> !here.contains(host.at("/metadata/name").asText("")))
            .map(PoolTree::awaited)
            .sorted(Comparator.comparing(Branch::name))
            .toList();
    return awaited.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Branch.group(
                "Delivery",
                awaited.size() == 1
                    ? "1 machine without its Node"
                    : "%d machines without their Nodes".formatted(awaited.size()),
                first(awaited)));
  }
}
