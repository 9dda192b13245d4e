package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.NamespaceLabels;
import java.util.Optional;

/** The virtual world's Namespaces: what clients do to them, and the operator. */
public final class WorldNamespaces {
  private final WorldStore store;

  WorldNamespaces(WorldStore store) {
    this.store = store;
    create("default");
    create("kube-system");
  }

  /** Creates a Namespace without the organisation's label. */
  public Namespace create(String name) {
    if (store.namespaces.containsKey(name)) {
      throw new IllegalStateException("Namespace " + name + " exists");
    }
    return store.put(
        new Namespace(name, store.newUid("namespace"), store.next(), Optional.empty()));
  }

  /** Sets the organisation's label by hand, or takes it off. */
  public void label(String name, Optional<String> organization) {
    Namespace namespace = find(name).orElseThrow();
    store.put(new Namespace(name, namespace.uid(), store.next(), organization));
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
    return new Answer.Done<>(
        new Observation.NamespaceSeen(
            store.put(
                new Namespace(
                    namespace.name(),
                    namespace.uid(),
                    store.next(),
                    Optional.of(NamespaceLabels.CONTROL_PLANE)))));
  }

  Answer<Observation> read(String name, String uid) {
    return new Answer.Done<>(
        find(name)
            .filter(namespace -> namespace.uid().equals(uid))
            .<Observation>map(Observation.NamespaceSeen::new)
            .orElseGet(() -> new Observation.NamespaceGone(name, uid, store.last())));
  }
}
