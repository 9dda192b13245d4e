package io.nodepool.plan;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.Optional;

/**
 * One intended write or live read, on one object, with what it sets and how it is said. The writer
 * turns it into a request.
 */
public sealed interface Action {
  /**
   * The object of the action. No second action on an object starts before the first one is
   * answered.
   */
  Subject subject();

  /** What it sets, and how it is said. */
  ActionTraits traits();

  /** Actions of one kind on one object fail for the same cause, whatever values they set. */
  default Object kind() {
    return getClass();
  }

  /** The object of an action. */
  sealed interface Subject {
    /** Its name for messages. */
    default String text() {
      return switch (this) {
        case OfHost(HostId host) -> host.name();
        case OfNode(String name, String _) -> name;
        case OfPool(PoolId pool) -> pool.name();
        case OfPod(String namespace, String name, String _, String _) -> namespace + "/" + name;
        case OfNamespace(String name, String _) -> name;
      };
    }

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

  /** A live read, which bypasses every cache and changes nothing. */
  sealed interface Read extends Action {}

  /** A write of a Node. */
  sealed interface NodeWrite extends Action {
    /** The name of the Node. */
    String node();

    /** The UID of the Node, so that no other one of that name is changed. */
    String nodeUid();

    /** What the write is for. */
    NodePurpose purpose();

    @Override
    default Subject subject() {
      return new Subject.OfNode(node(), nodeUid());
    }

    @Override
    default ActionTraits traits() {
      return Effects.traits(this);
    }

    @Override
    default Object kind() {
      return purpose();
    }
  }

  /** An operation on a Host. */
  record OnHost(HostOperation operation) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfHost(operation.host());
    }

    @Override
    public ActionTraits traits() {
      return HostWords.traits(operation);
    }

    @Override
    public Object kind() {
      return HostWords.kind(operation);
    }
  }

  /**
   * Sets conditions on a Node: CWActive, and CWRegistered when the Node is being registered.
   * Conditions of other owners stay.
   *
   * @param before CWActive when this was decided
   */
  record ReportNode(
      String node,
      String nodeUid,
      boolean register,
      Optional<Node.Activity> before,
      Node.Activity activity)
      implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.REPORT_ACTIVITY;
    }
  }

  /**
   * Records the disruption of a Node before it is committed, with the cordon, labels and
   * annotations that belong to it. Refused if the Node has changed since it was observed, so it
   * never takes effect after the drain has begun. To cordon a Node again that is being drained is
   * refused only if its record changed or it is cordoned, because its other parts change often.
   *
   * @param nodeVersion the version that was observed
   * @param tested the record that the Node must have, if that is tested instead of its version
   * @param next what is recorded; empty removes the record
   */
  record RecordDisruption(
      String node,
      String nodeUid,
      long nodeVersion,
      Optional<Disruption> tested,
      NodePurpose purpose,
      Optional<Disruption> next,
      DisruptionMarks marks)
      implements NodeWrite {
    /** A change that is refused if the Node's version is another one. */
    public RecordDisruption(
        String node,
        String nodeUid,
        long nodeVersion,
        NodePurpose purpose,
        Optional<Disruption> next,
        DisruptionMarks marks) {
      this(node, nodeUid, nodeVersion, Optional.empty(), purpose, next, marks);
    }
  }

  /**
   * Records that a disruption is committed, or that a committed one is tightened, and sets
   * CWNodeRemoval; after this it is not withdrawn. Refused if the Node has changed since its Pods
   * were listed.
   *
   * @param says CWNodeRemoval while it is True; empty leaves the condition as it is
   * @param turns whether CWNodeRemoval changes to True
   * @param marks labels and annotations that change with it; with the state of the Node, PhaseState
   *     is set to it too
   */
  record CommitDisruption(
      String node,
      String nodeUid,
      long nodeVersion,
      Disruption.Committed next,
      Optional<Node.Removing> says,
      boolean turns,
      DisruptionMarks marks)
      implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.COMMIT;
    }

    /** The state that it sets the Node to; empty if that stays. */
    public Optional<String> state() {
      return marks.labels().getOrDefault(NodeLabels.STATE.key(), Optional.empty());
    }
  }

  /**
   * Sets CWNodeRemoval.
   *
   * @param says its reason and message while it is True; empty sets it to False
   * @param turns whether its status changes
   */
  record ReportRemoval(String node, String nodeUid, Optional<Node.Removing> says, boolean turns)
      implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.REPORT_REMOVAL;
    }
  }

  /**
   * Sets the conditions of a Node about its lifecycle; one that is empty afterwards is removed, and
   * one that was in the list several times is there once.
   *
   * @param before the conditions when this was decided
   */
  record ReportLifecycle(String node, String nodeUid, Node.Lifecycle before, Node.Lifecycle next)
      implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.REPORT_LIFECYCLE;
    }
  }

  /** Lists the Pods bound to a Node, live and bypassing every cache. A read, not a write. */
  record ListPods(String node, String nodeUid, long nodeVersion) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.read("list Pods", Effects.PODS).removing("listing the Pods of " + node);
    }
  }

  /**
   * Reads, live and bypassing every cache, whether a Node of the Host's name exists, and lists the
   * Pods bound to that name if it does not. A read, not a write.
   */
  record LookAtMachine(HostId host, int tenancy) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfHost(host);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.read("look at machine", "a look at its machine")
          .removing("looking at machine " + host.name());
    }
  }

  /**
   * Evicts a Pod, if its PodDisruptionBudgets allow it.
   *
   * @param grace the grace period; empty for the Pod's own
   */
  record EvictPod(Subject.OfPod subject, Optional<Duration> grace) implements Action {
    @Override
    public ActionTraits traits() {
      return ActionTraits.of("evict Pod", "its eviction", grace)
          .removing("evicting Pod " + subject.text());
    }
  }

  /**
   * Deletes a Pod regardless of PodDisruptionBudgets.
   *
   * @param grace the grace period; empty for the Pod's own
   */
  record DeletePod(Subject.OfPod subject, Optional<Duration> grace) implements Action {
    @Override
    public ActionTraits traits() {
      return ActionTraits.of("delete Pod", "its deletion", grace)
          .removing("deleting Pod " + subject.text());
    }
  }

  /**
   * Changes a Node's labels, annotations and taints. Refused if they have changed since they were
   * observed.
   */
  record ApplyMetadata(String node, String nodeUid, NodeChange change) implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.APPLY_METADATA;
    }
  }

  /** Deletes the Node object with this UID and no other. */
  record DeleteNode(String node, String nodeUid) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.of("delete Node", "its deletion", true)
          .removing("deleting Node " + node)
          .deciding(Optional.of("is deleted"));
    }
  }

  /**
   * Labels a Namespace with its owner (decision D17). Refused if the Namespace already has the
   * label, whatever its value, because another client set it.
   */
  record LabelNamespace(String namespace, String uid, String organization) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }

    @Override
    public ActionTraits traits() {
      return Effects.ofOrganization("label Namespace", namespace, uid, Optional.of(organization));
    }
  }

  /**
   * Changes the value of that label, or removes it. Refused if the Namespace has changed since the
   * label was found to be the operator's.
   *
   * @param before the current value
   * @param organization the new value; empty removes the label
   */
  record RelabelNamespace(
      String namespace, String uid, long version, String before, Optional<String> organization)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }

    @Override
    public ActionTraits traits() {
      return Effects.ofOrganization("relabel Namespace", namespace, uid, organization);
    }
  }

  /**
   * Reads, live and bypassing every cache, who set that label on a Namespace. A read, not a write.
   */
  record AskLabelAuthor(String namespace, String uid) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfNamespace(namespace, uid);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.read("ask label author", "a look at who labelled it");
    }
  }

  /**
   * Reads, live and bypassing every cache, when the request on a Node and its policy were set. A
   * read, not a write.
   */
  record AskRequestTimes(String node, String nodeUid, long nodeVersion) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.read("ask request times", "a look at its request");
    }
  }

  /**
   * Takes the policy of a request off a Node. Refused if the Node has changed since it was
   * observed.
   */
  record DropRebootPolicy(String node, String nodeUid, long nodeVersion) implements NodeWrite {
    @Override
    public NodePurpose purpose() {
      return NodePurpose.DROP_REBOOT_POLICY;
    }
  }

  /**
   * Reads, live and bypassing every cache, whether an object exists. A read, not a write.
   *
   * @param subject what is read
   */
  record Confirm(Subject subject) implements Read {
    @Override
    public ActionTraits traits() {
      return ActionTraits.read("confirm", "a look at it");
    }
  }

  /** Publishes a pool's status. Conditions of other owners stay. */
  record PublishStatus(PoolId pool, PoolStatus status) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfPool(pool);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.of("publish status", "the status", status)
          .about(EventDraft.Regarding.of(pool));
    }
  }

  /**
   * Accepts a command about a pool's configurations: removes its annotations and records what they
   * asked for. Refused if they have changed since they were observed.
   *
   * @param before the commands that were observed
   * @param handled the number of the last command that was carried out, as observed
   */
  record AcceptCommand(
      PoolId pool,
      ConfigurationCommands before,
      int handled,
      ConfigurationCommands.Accepted accepted)
      implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfPool(pool);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.of("accept command", "the accepted command", accepted)
          .about(EventDraft.Regarding.of(pool));
    }
  }

  /**
   * Reads, live and bypassing every cache, whether any Host or Node still belongs to the pool. A
   * read, not a write.
   */
  record ConfirmEmpty(PoolId pool) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfPool(pool);
    }

    @Override
    public ActionTraits traits() {
      return ActionTraits.read("confirm empty", "a look at what is left of it");
    }
  }
}
