package io.nodepool.world.check;

import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorProcess;
import io.nodepool.world.operator.Request;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/** What each process of the operator has observed, and had when it made its requests. */
final class OperatorViews {
  private final WorldCluster cluster;
  private final IdentityHashMap<OperatorProcess, OperatorView> operators = new IdentityHashMap<>();
  private final IdentityHashMap<Request, OperatorView.View> requests = new IdentityHashMap<>();

  OperatorViews(WorldCluster cluster) {
    this.cluster = cluster;
  }

  void observed(OperatorProcess operator, Observation seen) {
    of(operator).note(seen);
  }

  void requested(Request request, Action action) {
    OperatorView view = of(request.sender);
    if (action instanceof Action.PublishStatus publish && view.isPublished(publish)) {
      cluster.appliedWrites().empty();
    }
    requests.put(request, view.of(action, cordoning(request.sender)));
  }

  /** Names of the Nodes whose cordon is written and not answered. */
  private static Set<String> cordoning(OperatorProcess operator) {
    Set<String> names = new HashSet<>();
    for (Request request : operator.requests) {
      if (request.pieces.peekLast() instanceof Request.Piece.Act(Action.WriteNode write)
          && write.isFor(NodePurpose.ADMIT)) {
        names.add(write.node());
      }
    }
    return names;
  }

  /** What an operator has observed. */
  OperatorView of(OperatorProcess operator) {
    return operators.computeIfAbsent(operator, _ -> new OperatorView(cluster));
  }

  /** What the sender of a request had observed of its object when it made it. */
  OperatorView.View of(Request request) {
    return requests.getOrDefault(request.original, OperatorView.View.NONE);
  }
}
