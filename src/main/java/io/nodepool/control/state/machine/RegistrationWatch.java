package io.nodepool.control.state.machine;

import io.nodepool.model.node.Node;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Whether it has to be said that a Node is registered: once, and only after it is. */
public final class RegistrationWatch {
  /**
   * How old a registration may be that a new process says once more, because the one before may
   * have ended between the registration and its Event.
   */
  private static final Duration SAID_ANEW = Duration.ofMinutes(2);

  private String untold = "";

  /** Folds a change of the Node. */
  public void changed(@Nullable Node last, @Nullable Node node, Instant now) {
    if (node == null || !node.registered()) {
      untold = "";
      return;
    }
    boolean isKnown = last != null && last.uid().equals(node.uid());
    boolean begins = isKnown ? !isRegistered(last) : isRecent(node, now);
    if (begins) {
      untold = node.uid();
    }
  }

  private static boolean isRegistered(@Nullable Node node) {
    return node != null && node.registered();
  }

  private static boolean isRecent(Node node, Instant now) {
    return node.status()
        .registration()
        .since()
        .filter(since -> since.plus(SAID_ANEW).isAfter(now))
        .isPresent();
  }

  /** Records that it was said. */
  public void told() {
    untold = "";
  }

  /** Whether it has to be said of this Node. */
  public boolean isUntold(@Nullable Node node) {
    return node != null && untold.equals(node.uid());
  }
}
