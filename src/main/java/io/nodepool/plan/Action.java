package io.nodepool.plan;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One intended write or live read of one object, with the parts that it sets and its texts. The
 * writer turns it into a request.
 */
public sealed interface Action {
  /**
   * The object of the action. No second action on an object starts before the first one is
   * answered.
   */
  Subject subject();

  /** The parts that it sets, and its texts for messages. */
  default ActionTraits traits() {
    return ActionText.traits(this);
  }

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

  /** Changes nothing: a live read, which bypasses every cache, or an Event alone. */
  sealed interface Read extends Action {}

  /** An action on a Node. */
  sealed interface OnNode extends Action {
    /** The name of the Node. */
    String node();

    /** Its UID: the action never applies to another Node of that name. */
    String nodeUid();

    @Override
    default Subject subject() {
      return new Subject.OfNode(node(), nodeUid());
    }
  }

  /** An action on a Namespace. */
  sealed interface OnNamespace extends Action {
    /** The name of the Namespace. */
    String namespace();

    /** Its UID. */
    String uid();

    @Override
    default Subject subject() {
      return new Subject.OfNamespace(namespace(), uid());
    }
  }

  /** An action on a pool. */
  sealed interface OnPool extends Action {
    /** The pool. */
    PoolId pool();

    @Override
    default Subject subject() {
      return new Subject.OfPool(pool());
    }
  }

  /**
   * Changes a Node, in one request.
   *
   * @param precondition what must still hold of the Node
   */
  record WriteNode(
      String node,
      String nodeUid,
      NodePrecondition precondition,
      NodeChange change,
      NodePurpose purpose)
      implements OnNode {
    public WriteNode {
      boolean isOfVersion =
          precondition instanceof NodePrecondition.Uid
              || precondition instanceof NodePrecondition.UidAndVersion;
      if (change instanceof NodeChange.OfStatus && !isOfVersion) {
        throw new IllegalArgumentException("a write of the status cannot test " + precondition);
      }
    }

    /** A write of this Node. */
    public static WriteNode of(
        Node node, NodePrecondition precondition, NodeChange change, NodePurpose purpose) {
      return new WriteNode(node.name(), node.uid(), precondition, change, purpose);
    }

    /** Writes these conditions, whatever else has changed on the Node. */
    public static WriteNode report(Node node, NodePurpose purpose, List<ConditionChange> says) {
      NodeChange change = new NodeChange.OfStatus(MetadataChange.NONE, says);
      return of(node, new NodePrecondition.Uid(), change, purpose);
    }

    /** Writes CWNodeRemoval: False if {@code says} is empty. */
    public static WriteNode reportRemoval(Node node, Optional<Node.Removing> says) {
      return report(node, NodePurpose.REPORT_REMOVAL, List.of(ConditionChange.removal(node, says)));
    }

    /** Whether it is for one of these purposes. */
    public boolean isFor(NodePurpose... any) {
      return List.of(any).contains(purpose);
    }

    /** The disruption that it records; empty if it records none, or removes the record. */
    public Optional<Disruption> next() {
      return change.metadata().disruption();
    }

    @Override
    public Object kind() {
      return purpose;
    }
  }

  /** An operation on a Host. */
  record OnHost(HostOperation operation) implements Action {
    @Override
    public Subject subject() {
      return new Subject.OfHost(operation.host());
    }

    @Override
    public Object kind() {
      return HostWords.kind(operation);
    }
  }

  /** Lists the Pods bound to a Node. */
  record ListPods(String node, String nodeUid, long nodeVersion) implements Read, OnNode {}

  /**
   * Reads whether a Node of the Host's name exists, and lists the Pods bound to that name if it
   * does not.
   */
  record ReadMachine(HostId host, int tenancy) implements Read {
    @Override
    public Subject subject() {
      return new Subject.OfHost(host);
    }
  }

  /**
   * Evicts a Pod, if its PodDisruptionBudgets allow it.
   *
   * @param grace the grace period; empty for the Pod's own
   */
  record EvictPod(Subject.OfPod subject, Optional<Duration> grace) implements Action {}

  /**
   * Deletes a Pod regardless of PodDisruptionBudgets, once its status shows that it is disrupted.
   *
   * @param grace the grace period; empty for the Pod's own
   */
  record DeletePod(Subject.OfPod subject, Optional<Duration> grace) implements Action {}

  /** Deletes the Node object with this UID and no other. */
  record DeleteNode(String node, String nodeUid) implements OnNode {}

  /**
   * Labels a Namespace with its owner (decision D17). Refused if the Namespace already has the
   * label, whatever its value, because another client set it.
   */
  record LabelNamespace(String namespace, String uid, String organization) implements OnNamespace {}

  /**
   * Changes or removes the owner label of a Namespace. Refused if the Namespace has changed since
   * the label was found to be the operator's.
   *
   * @param before the current value
   * @param organization the new value; empty removes the label
   */
  record RelabelNamespace(
      String namespace, String uid, long version, String before, Optional<String> organization)
      implements OnNamespace {}

  /** Reads who set the owner label of a Namespace. */
  record AskLabelAuthor(String namespace, String uid) implements Read, OnNamespace {}

  /** Reads when the request on a Node and its policy were set. */
  record AskRequestTimes(String node, String nodeUid, long nodeVersion) implements Read, OnNode {}

  /**
   * Creates the Job that verifies the machine of a Node; an existing Job stays as it is.
   *
   * @param namespace where the Job is created and the ConfigMap is read
   * @param job its name
   * @param configMap the ConfigMap that has its template
   * @param deadline how long it may run
   */
  record RunJob(
      Subject.OfNode subject, String namespace, String job, String configMap, Duration deadline)
      implements Action {}

  /** Reads the state of the verification Job. */
  record ReadJob(Subject.OfNode subject, String namespace, String job) implements Read {}

  /**
   * Reads whether an object exists.
   *
   * @param subject the object
   */
  record Confirm(Subject subject) implements Read {}

  /**
   * Emits an Event about what has happened to a Node, and changes nothing.
   *
   * @param occasion the occasion of the Event; with the reason it identifies the Event
   */
  record Announce(Subject.OfNode subject, EventReason reason, String occasion) implements Read {
    /** The answer once the Event is emitted. */
    public Answer<Observation> answer() {
      return new Answer.Done<>(
          new Observation.Announced(subject.name(), subject.uid(), reason, occasion));
    }
  }

  /** Publishes a pool's status. Conditions of other owners stay. */
  record PublishStatus(PoolId pool, PoolStatus status) implements OnPool {}

  /**
   * Accepts a command about a pool's configurations: removes its annotations and records the
   * request. Refused if the annotations have changed since they were observed.
   *
   * @param before the commands that were observed
   * @param handled the number of the last command that was carried out, as observed
   */
  record AcceptCommand(
      PoolId pool,
      ConfigurationCommands before,
      int handled,
      ConfigurationCommands.Accepted accepted)
      implements OnPool {}

  /** Reads whether any Host or Node still belongs to the pool. */
  record ConfirmEmpty(PoolId pool) implements Read, OnPool {}
}
