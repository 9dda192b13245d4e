package io.nodepool.control.state;

import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Member;
import java.util.LinkedHashSet;
import java.util.Set;

/** The loops that must run, collected while a change is folded. Confined to the decision thread. */
final class Wakeups {
  private Set<ReconcileKey> keys = new LinkedHashSet<>();

  /** The loop of the pool of this name must run. */
  void pool(String name) {
    keys.add(new ReconcileKey.OfPool(name));
  }

  /** The loop of the machine of this name must run. */
  void machine(String name) {
    keys.add(new ReconcileKey.OfMachine(name));
  }

  /** The loop of this member's machine must run. */
  void machine(Member member) {
    machine(member.host().id().name());
  }

  /** The loop of the Namespace of this name must run. */
  void namespace(String name) {
    keys.add(new ReconcileKey.OfNamespace(name));
  }

  /** Returns the keys that were collected since the last call, in their order. */
  Set<ReconcileKey> taken() {
    Set<ReconcileKey> taken = keys;
    keys = new LinkedHashSet<>();
    return taken;
  }
}
