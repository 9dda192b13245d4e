package io.nodepool.plan;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.PoolStatus;
import java.time.Duration;
import java.util.List;
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

  /**
   * Changes a Node, in one request.
   *
   * @param nodeUid its UID, so that no other Node of that name is changed
   * @param precondition what must still hold of the Node
   */
  record WriteNode(
      String node,
      String nodeUid,
      NodePrecondition precondition,
      NodeChange change,
      NodePurpose purpose)
      implements Action {
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

    /** Conditions of this Node, which are written whatever else has changed. */
    public static WriteNode report(Node node, NodePurpose purpose, List<ConditionChange> says) {
      NodeChange change = new NodeChange.OfStatus(MetadataChange.NONE, says);
      return of(node, new NodePrecondition.Uid(), change, purpose);
    }

    /** CWNodeRemoval of this Node; False if it is empty. */
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
    public Subject subject() {
      return new Subject.OfNode(node, nodeUid);
    }

    @Override
    public ActionTraits traits() {
      return purpose.traits(this);
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
    public ActionTraits traits() {
      return HostWords.traits(operation);
    }

    @Override
    public Object kind() {
      return HostWords.kind(operation);
    }
  }

  /** Lists the Pods bound to a Node. */
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
   * Reads whether a Node of the Host's name exists, and lists the Pods bound to that name if it
   * does not.
   */
  record ReadMachine(HostId host, int tenancy) implements Read {
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

  /** Reads who set that label on a Namespace. */
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

  /** Reads when the request on a Node and its policy were set. */
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
   * Creates the Job that verifies the machine of a Node; one that exists stays as it is.
   *
   * @param namespace where the Job is created and the ConfigMap is read
   * @param job its name
   * @param configMap the ConfigMap that has its template
   * @param deadline how long it may run
   */
  record RunJob(
      Subject.OfNode subject, String namespace, String job, String configMap, Duration deadline)
      implements Action {
    @Override
    public ActionTraits traits() {
      return ActionTraits.of("run Job", "its verification Job", job);
    }
  }

  /** Reads what became of that Job. */
  record ReadJob(Subject.OfNode subject, String namespace, String job) implements Read {
    @Override
    public ActionTraits traits() {
      return ActionTraits.read("read Job", "a look at its verification Job");
    }
  }

  /**
   * Reads whether an object exists.
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

  /** Reads whether any Host or Node still belongs to the pool. */
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
