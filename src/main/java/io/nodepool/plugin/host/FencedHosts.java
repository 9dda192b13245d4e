package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.request.ClusterClient;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Records that failed machines, which their fleet does not report as off, cannot run. */
@Command(
    name = "fenced",
    description = {
      "Say that the machines of Hosts cannot run: you cut their power, or their network and storage.",
      "For machines that failed or stopped, and of which their fleet does not know that they are off: their Nodes are then deleted, and the Hosts released."
          + " It counts for the present tenancy and failure only. A machine that runs after all may write to the volumes of Pods that run elsewhere by then."
    })
final class FencedHosts extends NamedHostsCommand {
  @Mixin private final Consent consent = new Consent();

  @Override
  protected int run(ClusterClient client) {
    var _ = each(name -> fence(client, name));
    return exitCode();
  }

  private String fence(ClusterClient client, String name) {
    JsonNode object = client.host(name);
    Host first = read(object);
    Optional<String> unneeded = unneeded(first);
    if (unneeded.isPresent()) {
      return unneeded.get();
    }
    confirm(client, first);
    for (int attempt = 1; ; attempt++) {
      Reply reply = client.patchHost(object, patch(first));
      if (!reply.isConflict() || attempt == ATTEMPTS) {
        client.succeeded(reply);
        return "is taken for fenced, in tenancy %d".formatted(first.tenancy());
      }
      object = client.host(name);
      Host next = read(object);
      if (next.tenancy() != first.tenancy()
          || !next.report().since().equals(first.report().since())
          || unneeded(next).isPresent()) {
        throw new CommandFailure("it is in another phase by now; look at it again");
      }
    }
  }

  /** Why the Host needs no fence; empty if its machine may still run. */
  private Optional<String> unneeded(Host host) {
    if (host.isFenced()) {
      return Optional.of("is taken for fenced already; nothing was written");
    }
    if (host.assignment().isEmpty()) {
      return Optional.of("is in no NodePool; nothing was written");
    }
    if (host.mayStillRun(now())) {
      return Optional.empty();
    }
    return switch (host.report().phase()) {
      case FAILED, STOPPED ->
          Optional.of("is off, as its fleet says, and needs no fence; nothing was written");
      case FREE, BOOTING, RUNNING, CLEANING ->
          throw new CommandFailure(
              "its fleet reports the phase %s: only a machine that failed or stopped, and is not known to be off, can be said to be fenced"
                  .formatted(host.report().phase().word()));
    };
  }

  private void confirm(ClusterClient client, Host host) {
    String name = host.id().name();
    String power =
        host.report()
            .power()
            .map(Host.PowerReading::state)
            .filter(Host.PowerReading.State.ON::equals)
            .map(_ -> ", although its fleet says that it is powered on")
            .orElse("");
    consent.confirm(
        client,
        () ->
            client.nodesOf(host.assignment().orElseThrow().pool().name()).stream()
                .filter(node -> node.name().equals(name))
                .toList(),
        "host/%s will be taken for a machine that cannot run%s: its Node is deleted"
            .formatted(name, power),
        false);
  }

  private static Host read(JsonNode object) {
    try {
      return HostReading.of(object)
          .orElseThrow(() -> new CommandFailure("its fleet has not reported about it yet"));
    } catch (UnreadableObjectException e) {
      throw new CommandFailure("it cannot be read: " + e.getMessage());
    }
  }

  /** Writes the instant of the phase as it was read: it identifies the failure. */
  private ObjectNode patch(Host host) {
    Host.Fenced said =
        new Host.Fenced(
            host.tenancy(), host.report().since(), now().truncatedTo(ChronoUnit.SECONDS));
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    patch
        .putObject("spec")
        .set(
            "fenced",
            ApiSerialization.shared().convertValue(HostConversion.fenced(said), JsonNode.class));
    return patch;
  }
}
