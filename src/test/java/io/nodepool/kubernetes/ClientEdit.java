package io.nodepool.kubernetes;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.nodepool.kubernetes.client.Reply;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A change of an object that others write too. {@code Resource.edit} sends the version that it
 * read, so each write of another client between its two requests is a conflict.
 */
public final class ClientEdit {
  private static final Duration SOON = Duration.ofSeconds(30);

  private ClientEdit() {}

  /** Changes an object as a client does, and retries after a conflict. */
  public static <T extends HasMetadata> T edited(Resource<T> object, Consumer<T> change) {
    return replaced(
        object,
        stored -> {
          change.accept(stored);
          return stored;
        });
  }

  /** The same for a change that returns the new object. */
  public static <T extends HasMetadata> T replaced(Resource<T> object, UnaryOperator<T> change) {
    return await()
        .atMost(SOON)
        .ignoreExceptionsMatching(ClientEdit::isConflict)
        .until(() -> object.edit(change), _ -> true);
  }

  private static boolean isConflict(Throwable thrown) {
    return thrown instanceof KubernetesClientException refused
        && refused.getCode() == Reply.CONFLICT;
  }
}
