package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.kubernetes.api.NodeStatesStatus;
import io.nodepool.kubernetes.api.NodeStatesStatus.NodesInStateStatus;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.NodesInState;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts the part of a NodePool's status about Nodes that are not Ready, not in service, alerting
 * or in disruption.
 */
final class NodeStatesConversion {
  private NodeStatesConversion() {}

  /** The Nodes in each state. A state without a number or a time counts as absent. */
  static Map<ReportedState, NodesInState> states(@Nullable NodeStatesStatus object) {
    Map<ReportedState, NodesInState> states = new EnumMap<>(ReportedState.class);
    for (ReportedState state : ReportedState.values()) {
      NodesInStateStatus nodes = object == null ? null : field(object, state);
      if (nodes != null && orZero(nodes.count) > 0) {
        readableTime(nodes.since)
            .ifPresent(since ->
                states.put(state, new NodesInState(orZero(nodes.count), nodes.names, since)));
      }
    }
    return states;
  }

  private static @Nullable NodesInStateStatus field(NodeStatesStatus object, ReportedState state) {
    return switch (state) {
      case NOT_READY -> object.notReady;
      case NOT_IN_SERVICE -> object.notInService;
      case ALERTING -> object.alerting;
      case IN_DISRUPTION -> object.inDisruption;
    };
  }

  /** The Nodes in each state, as published: numbers of zero are written. */
  static NodeStatesStatus object(Map<ReportedState, NodesInState> states) {
    NodeStatesStatus object = new NodeStatesStatus();
    object.notReady = object(states.get(ReportedState.NOT_READY));
    object.notInService = object(states.get(ReportedState.NOT_IN_SERVICE));
    object.alerting = object(states.get(ReportedState.ALERTING));
    object.inDisruption = object(states.get(ReportedState.IN_DISRUPTION));
    return object;
  }

  private static NodesInStateStatus object(@Nullable NodesInState nodes) {
    NodesInStateStatus object = new NodesInStateStatus();
    object.count = nodes == null ? 0 : nodes.count();
    if (nodes != null) {
      object.names = nodes.names();
      object.since = ObjectFacts.seconds(nodes.since());
    }
    return object;
  }
}
