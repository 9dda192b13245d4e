package io.nodepool.world;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.cluster.WorldCluster;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What an earlier version of the operator leaves of what this one has written: it reads and writes
 * whole objects and drops the fields that it does not know. The status of a pool it cannot read,
 * and does not write. {@code earlier-fields.txt} lists the fields of the definitions that it knew:
 * those of the first version with node configurations.
 */
final class EarlierVersion {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> KNOWN = known();

  /** Fields of which there are parts in the list; others are kept with all that is in them. */
  private static final Set<String> PARENTS =
      KNOWN.stream()
          .filter(path -> path.contains("."))
          .map(path -> path.substring(0, path.lastIndexOf('.')))
          .collect(Collectors.toUnmodifiableSet());

  private final WorldCluster cluster;

  /** The fields that were dropped so far. */
  private final Set<String> dropped = new TreeSet<>();

  EarlierVersion(WorldCluster cluster) {
    this.cluster = cluster;
  }

  private static Set<String> known() {
    try (InputStream list =
        Objects.requireNonNull(EarlierVersion.class.getResourceAsStream("/earlier-fields.txt"))) {
      return new HashSet<>(
          new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The fields that were dropped so far, as paths. */
  Set<String> dropped() {
    return Set.copyOf(dropped);
  }

  /** Drops what it does not know from all objects. */
  void rewriteAll() {
    List.copyOf(cluster.pools().values()).forEach(this::forgetCommand);
    for (Host host : List.copyOf(cluster.hosts().values())) {
      Host next = host(host);
      if (!next.equals(host)) {
        cluster.fleetOwner().replaceSpec(next);
      }
    }
  }

  /** The record of an accepted command said neither what it came after nor whether it evicts. */
  private void forgetCommand(Pool pool) {
    ConfigurationCommands commands = pool.spec().configuration().commands();
    Optional<ConfigurationCommands.Accepted> accepted = commands.accepted();
    accepted
        .filter(ConfigurationCommands.Accepted::evict)
        .ifPresent(_ -> dropped.add("accepted-command.evict"));
    if (accepted.filter(each -> each.evict() || each.after() > 0).isPresent()) {
      ConfigurationCommands.Accepted last = accepted.get();
      cluster.editPool(
          pool.id().name(),
          spec ->
              spec.withConfiguration(
                  spec.configuration()
                      .withCommands(
                          commands.afterAccepting(
                              new ConfigurationCommands.Accepted(
                                  last.number(),
                                  0,
                                  last.promote(),
                                  last.rollback(),
                                  last.rollout(),
                                  false)))));
    }
  }

  private Host host(Host host) {
    HostSpec spec = new HostSpec();
    spec.machine = HostConversion.machine(host.machine());
    spec.tenancy = host.tenancy();
    spec.assignment = host.assignment().map(HostConversion::assignment).orElse(null);
    spec.configuration = host.configuration().isEmpty() ? null : host.configuration();
    spec.power = host.power() == Host.Power.OFF ? HostSpec.Power.OFF : HostSpec.Power.ON;
    spec.boot = host.boot().map(HostConversion::boot).orElse(null);
    spec.deliveryFailures = host.deliveries().failure().map(HostConversion::failures).orElse(null);
    spec.setAside = host.deliveries().setAside().isEmpty() ? null : host.deliveries().setAside();
    spec.pastRepairs = HostConversion.past(host.past());
    JsonNode tree = JSON.valueToTree(spec);
    prune("Host.spec", tree);
    HostResource object = new HostResource();
    object.setMetadata(
        new ObjectMetaBuilder()
            .withName(host.id().name())
            .withUid(host.id().uid())
            .withResourceVersion(Long.toString(host.version()))
            .build());
    object.setSpec(read(tree, HostSpec.class));
    object.setStatus(HostReportConversion.status(host.report()));
    return HostConversion.host(object).orElseThrow().withReport(host.report());
  }

  private void prune(String path, JsonNode tree) {
    if (tree.isArray()) {
      tree.forEach(item -> prune(path, item));
    } else if (tree instanceof ObjectNode object && PARENTS.contains(path)) {
      List<String> names = object.properties().stream().map(entry -> entry.getKey()).toList();
      for (String name : names) {
        String field = path + "." + name;
        if (KNOWN.contains(field)) {
          prune(field, object.get(name));
        } else {
          if (!object.get(name).isNull()) {
            dropped.add(field);
          }
          object.remove(name);
        }
      }
    }
  }

  private static <T> T read(JsonNode tree, Class<T> type) {
    try {
      return JSON.treeToValue(tree, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
