package io.nodepool.world.cluster;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolStatus;
import java.util.Optional;

/**
 * What the API server checks of an object before it stores it: schemas and limits of size. Each
 * method returns why the object is invalid, or nothing.
 */
public interface ObjectValidation {
  /** Accepts every object. */
  ObjectValidation NONE =
      new ObjectValidation() {
        @Override
        public Optional<String> host(Host before, Host next) {
          return Optional.empty();
        }

        @Override
        public Optional<String> status(PoolStatus next) {
          return Optional.empty();
        }

        @Override
        public Optional<String> node(Node next) {
          return Optional.empty();
        }
      };

  /** Checks the parts of a Host that a write changes. */
  Optional<String> host(Host before, Host next);

  /** Checks a pool's status. */
  Optional<String> status(PoolStatus next);

  /** Checks a Node's metadata. */
  Optional<String> node(Node next);
}
