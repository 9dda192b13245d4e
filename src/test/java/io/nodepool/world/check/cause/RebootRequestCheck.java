package io.nodepool.world.check.cause;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** Clients request that Nodes be rebooted or verified. */
final class RebootRequestCheck implements CauseCheck {
  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "its reboot was requested", RebootRequestCheck::wasRequested,
        "its reconfiguration was requested", RebootRequestCheck::wasRequested,
        "its verification was requested", RebootRequestCheck::wasRequested);
  }

  private static boolean wasRequested(Moment moment) {
    return Causes.wasOnce(
        moment, node -> !node.metadata().label(NodeLabels.PENDING_STATE).isEmpty());
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its request was taken back",
        (_, moment) -> moment.node(node -> !carriesItsRequest(node)),
        "it is not registered",
        (_, moment) -> moment.node(node -> !node.registered()),
        "its fleet does not offer that any more",
        (_, moment) -> moment.node(RebootRequestCheck::carriesItsRequest));
  }

  /** Whether the Node is still asked for the state that it was to pass through. */
  private static boolean carriesItsRequest(Node node) {
    String state = node.metadata().label(NodeLabels.PENDING_STATE);
    return !state.isEmpty()
        && node.disruption().flatMap(Disruption::active).stream()
            .flatMap(active -> active.causes().stream())
            .anyMatch(cause -> cause.what().reference().startsWith(state));
  }
}
