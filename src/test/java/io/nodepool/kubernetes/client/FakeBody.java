package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import java.util.concurrent.CompletableFuture;

/** The body of a response that never sends anything. */
final class FakeBody implements AsyncBody {
  final CompletableFuture<Void> done = new CompletableFuture<>();

  /** How often more was requested. */
  int requested;

  @Override
  public void consume() {
    requested++;
  }

  @Override
  public CompletableFuture<Void> done() {
    return done;
  }

  @Override
  public void cancel() {
    done.cancel(false);
  }
}
