package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The virtual world's Namespaces, with the actions of clients and of the operator. */
public final class WorldNamespaces {
  private final WorldStore store;

  /** UIDs of Namespaces whose label the operator wrote last. */
  private final Set<String> ours = new HashSet<>();

  WorldNamespaces(WorldStore store) {
    this.store = store;
    create("default");
    create("kube-system");
  }

  /** Creates a Namespace without the organization's label. */
  public Namespace create(String name) {
    if (store.namespaces.containsKey(name)) {
      throw new IllegalStateException("Namespace " + name + " exists");
    }
    return store.put(
        new Namespace(name, store.newUid("namespace"), store.next(), false, Optional.empty()));
  }

  /** Sets the organization's label by hand, or removes it. */
  public void label(String name, Optional<String> organization) {
    Namespace namespace = find(name).orElseThrow();
    ours.remove(namespace.uid());
    put(namespace, organization);
  }

  /** Sets the label as an earlier version of the operator did. */
  public void labelAsOperator(String name, String organization) {
    Namespace namespace = find(name).orElseThrow();
    ours.add(namespace.uid());
    put(namespace, Optional.of(organization));
  }

  private Namespace put(Namespace namespace, Optional<String> organization) {
    return store.put(
        new Namespace(
            namespace.name(),
            namespace.uid(),
            store.next(),
            namespace.terminating(),
            organization));
  }

  /** Requests a Namespace's deletion, which does not complete. */
  public void terminate(String name) {
    Namespace namespace = find(name).orElseThrow();
    store.put(new Namespace(name, namespace.uid(), store.next(), true, namespace.organization()));
  }

  /** Deletes a Namespace by hand, with its Pods. */
  public void delete(String name) {
    find(name).ifPresent(store::removeNamespace);
  }

  /** The Namespace of this name. */
  public Optional<Namespace> find(String name) {
    return Optional.ofNullable(store.namespaces.get(name));
  }

  Answer<Observation> label(Action.LabelNamespace action) {
    Namespace namespace = store.namespaces.get(action.namespace());
    if (namespace == null) {
      return new Answer.Missing<>();
    }
    if (!namespace.uid().equals(action.uid()) || namespace.organization().isPresent()) {
      return new Answer.Refused<>("it is another one, or has the label");
    }
    ours.add(namespace.uid());
    return new Answer.Done<>(
        new Observation.NamespaceSeen(put(namespace, Optional.of(action.organization()))));
  }

  Answer<Observation> relabel(Action.RelabelNamespace action) {
    Namespace namespace = store.namespaces.get(action.namespace());
    if (namespace == null) {
      return new Answer.Missing<>();
    }
    if (!namespace.uid().equals(action.uid()) || namespace.version() != action.version()) {
      return new Answer.Refused<>("it is another one, or not as it was seen");
    }
    ours.add(namespace.uid());
    return new Answer.Done<>(new Observation.NamespaceSeen(put(namespace, action.organization())));
  }

  Answer<Observation> author(Action.AskLabelAuthor action) {
    Namespace namespace = store.namespaces.get(action.namespace());
    if (namespace == null || !namespace.uid().equals(action.uid())) {
      return new Answer.Missing<>();
    }
    return new Answer.Done<>(
        new Observation.NamespaceAuthored(
            namespace, ours.contains(namespace.uid()) ? LabelAuthor.OURS : LabelAuthor.OTHERS));
  }

  Answer<Observation> read(String name, String uid) {
    return new Answer.Done<>(
        find(name)
            .filter(namespace -> namespace.uid().equals(uid))
            .<Observation>map(Observation.NamespaceSeen::new)
            .orElseGet(() -> new Observation.NamespaceGone(name, uid, store.last())));
  }
}
