package io.nodepool.plan;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Removal;
import io.nodepool.model.pool.PoolStatus;
import java.time.Duration;
import java.util.Optional;

/** One intent: at most one write on one object. The writer turns it into a request. */
public sealed interface Action {
  /**
   * The object that it is about; no second action on it starts before the first one is answered.
   */
  Subject subject();

  /** An object that actions are about. */
  sealed interface Subject {
    /** A Host. */
    record OfHost(HostId host) implements Subject {}

    /** A Node. */
    record OfNode(String name, String uid) implements Subject {}

    /** A pool. */
    record OfPool(PoolId pool) implements Subject {}

    /** A Pod bound to a Node. */
    record OfPod(String namespace, String name, String uid, String node) implements Subject {}

    /** A Namespace. */
    record OfNamespace(String name, String uid) implements Subject {}
  }

  /** An operation on a Host. */
  record OnHost(HostOperation operation) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfHost(operation.host());
    }
  }

  /**
   * Sets conditions on a Node: CWActive, and with it CWRegistered when the Node is being
   * registered. Foreign conditions stay.
   *
   * @param before what CWActive said when this was decided
   */
  record ReportNode(
      String node,
      String nodeUid,
      boolean register,
      Optional<Node.Activity> before,
      Node.Activity activity)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * Makes a Node unschedulable whose removal is on record; refused if it already is, because then
   * it is somebody else's cordon, and if another removal is on record than was seen, or none:
   * without the record nobody would know whose cordon it is.
   */
  record Cordon(String node, String nodeUid, Optional<Removal> recorded) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * Records on a Node that its removal was asked for, or that it is chosen; the latter cordons it.
   * Refused if the Node is not as it was seen.
   *
   * @param nodeVersion the version that was seen
   */
  record MarkRemoval(String node, String nodeUid, long nodeVersion, Removal.Revocable removal)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }

    /** Whether it makes the Node unschedulable. */
    public boolean cordons() {
      return removal instanceof Removal.Marked marked && marked.ownCordon();
    }
  }

  /**
   * Takes such a record off again; refused if the Node is not as it was seen, so never after its
   * drain has begun.
   *
   * @param uncordon whether the cordon goes with it
   * @param instead what is recorded in its place
   */
  record UnmarkRemoval(
      String node,
      String nodeUid,
      long nodeVersion,
      boolean uncordon,
      Optional<Removal.PassedOver> instead)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * The point of no return: records that the Node is drained from now on and sets CWNodeRemoval.
   * Refused if the Node is not as it was seen when its Pods were listed.
   *
   * @param turns whether CWNodeRemoval was not True before
   */
  record BeginRemoval(
      String node,
      String nodeUid,
      long nodeVersion,
      Removal.Draining removal,
      Node.Removing says,
      boolean turns)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * Sets what CWNodeRemoval says.
   *
   * @param says what it says while it is True; empty makes it False
   * @param turns whether it said the opposite before
   */
  record ReportRemoval(String node, String nodeUid, Optional<Node.Removing> says, boolean turns)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /** Lists the Pods bound to a Node, live and past every cache. A read, not a write. */
  record ListPods(String node, String nodeUid, long nodeVersion) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * Looks, live and past every cache, whether there is a Node of the Host's name, and lists the
   * Pods bound to that name if there is not. A read, not a write.
   */
  record LookAtMachine(HostId host, int tenancy) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfHost(host);
    }
  }

  /**
   * Evicts a Pod, if the budgets that cover it allow.
   *
   * @param grace how long it may take to end; empty for its own
   */
  record EvictPod(Subject.OfPod subject, Optional<Duration> grace) implements Action {}

  /**
   * Deletes a Pod without asking budgets.
   *
   * @param grace how long it may take to end; empty for its own
   */
  record DeletePod(Subject.OfPod subject, Optional<Duration> grace) implements Action {}

  /** Changes a Node's labels, annotations and taints; refused if it is not as it was seen. */
  record ApplyMetadata(String node, String nodeUid, NodeChange change) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /** Deletes the Node object with this UID and no other. */
  record DeleteNode(String node, String nodeUid) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }
  }

  /**
   * Labels a Namespace with whom it belongs to (decision D17); refused if it carries the label
   * already, whatever its value, because then it is somebody else's.
   */
  record LabelNamespace(String namespace, String uid, String organization) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }
  }

  /**
   * Writes another value over that label of a Namespace, or takes it off; refused if the Namespace
   * is not as it was seen when it was found to be ours.
   *
   * @param before the value that stands there
   * @param organization the value that is to stand there; empty for none
   */
  record RelabelNamespace(
      String namespace, String uid, long version, String before, Optional<String> organization)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }
  }

  /** Looks, live and past every cache, who put that label on a Namespace. A read, not a write. */
  record AskLabelAuthor(String namespace, String uid) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }
  }

  /**
   * Reads an object live and past every cache, to know whether it exists. A read, not a write.
   *
   * @param subject what is read
   */
  record Confirm(Subject subject) implements Action {}

  /** Publishes a pool's status. Conditions of other owners stay. */
  record PublishStatus(PoolId pool, PoolStatus status) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfPool(pool);
    }
  }

  /**
   * Looks, live and past every cache, whether any Host or Node still belongs to the pool. A read,
   * not a write.
   */
  record ConfirmEmpty(PoolId pool) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfPool(pool);
    }
  }
}
