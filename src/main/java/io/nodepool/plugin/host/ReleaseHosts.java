package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Releases Hosts that are set aside, and records on them who did it, when and why. */
@Command(
    name = "release",
    description = {
      "Put Hosts back into service that were set aside: they may be assigned again.",
      "Their failures are counted anew. The Host records who released it, when, and the reason."
    })
final class ReleaseHosts extends NamedHostsCommand {
  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why the Hosts may be assigned again, such as what was repaired.")
  private Optional<String> reason = Optional.empty();

  /** The annotation of all Hosts of the command; empty before the first write. */
  private Optional<ObjectNode> record = Optional.empty();

  @Override
  protected void check() {
    requireText("--reason", reason);
  }

  @Override
  protected int run(ClusterClient client) {
    var _ = each(name -> release(client, name));
    return exitCode();
  }

  private String release(ClusterClient client, String name) {
    JsonNode host = client.host(name);
    String first = setAside(host);
    for (int attempt = 1; ; attempt++) {
      if (setAside(host).isEmpty()) {
        return "is not set aside; nothing was written";
      }
      if (!setAside(host).equals(first)) {
        throw new CommandFailure(
            "it was set aside anew meanwhile, and stays so: " + setAside(host));
      }
      Reply reply = client.patchHost(host, patch(client, first));
      if (!reply.isConflict() || attempt == ATTEMPTS) {
        client.succeeded(reply);
        return "released; it was set aside: " + first;
      }
      host = client.host(name);
    }
  }

  private static String setAside(JsonNode host) {
    return host.at("/spec/setAside").asText("");
  }

  /**
   * Removes the failures too: with them, the Host would wait, and be set aside again after the next
   * failure.
   */
  private ObjectNode patch(ClusterClient client, String setAside) {
    ObjectNode ended = record(client).deepCopy().put("setAside", setAside);
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch.putObject("spec").putNull("setAside").putNull("deliveryFailures");
    patch
        .putObject("metadata")
        .putObject("annotations")
        .put(HostAnnotations.SET_ASIDE_ENDED.key(), ended.toString());
    return patch;
  }

  /** When, by whom and why; the same for all Hosts of the command. */
  private ObjectNode record(ClusterClient client) {
    if (record.isEmpty()) {
      ObjectNode next = JsonNodeFactory.instance.objectNode();
      next.put("at", ObjectFacts.seconds(now()));
      client.userName().ifPresent(user -> next.put("by", user));
      reason.ifPresent(why -> next.put("reason", why.strip()));
      record = Optional.of(next);
    }
    return record.get();
  }
}
