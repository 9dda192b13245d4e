package io.nodepool.plugin.whatif;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Pool;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.pool.RolloutOptions;
import io.nodepool.whatif.Question;
import io.nodepool.whatif.Scope;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Questions about NodePools. */
final class AboutPools {
  private AboutPools() {}

  /** A question about one pool. */
  abstract static class OnePool extends Asking {
    @Parameters(
        paramLabel = "POOL",
        converter = NameOf.OnePool.class,
        description = "Name of the NodePool.")
    private String name = "";

    abstract Question about(Pool pool);

    @Override
    final Question question(List<Observation> listed) {
      return about(pool(listed, name));
    }
  }

  /** Another size. */
  @Command(name = "scale", description = "If a NodePool had another size.")
  static final class Scale extends OnePool {
    @Option(
        names = "--to",
        paramLabel = "N",
        required = true,
        description = "Nodes, or racks if it is sized in racks.")
    private int size;

    @Override
    protected void check() {
      require(size >= 0, "--to must be at least 0");
    }

    @Override
    Question about(Pool pool) {
      return new Question.Scale(pool.id().name(), size);
    }
  }

  /** The pending configuration. */
  @Command(
      name = "upgrade",
      description = "If the pending configuration of a NodePool became its active one.")
  static final class Upgrade extends OnePool {
    @Override
    Question about(Pool pool) {
      return new Question.Upgrade(pool.id().name());
    }
  }

  /** A rollout. */
  @Command(name = "rollout", description = "If a rollout of the active configuration were started.")
  static final class RolloutQuestion extends OnePool {
    @Mixin private final RolloutOptions options = new RolloutOptions();

    @Override
    Question about(Pool pool) {
      return new Question.RolloutStart(
          pool.id().name(), options.over(pool.spec().configuration().rollout()));
    }
  }

  /** Another quota. */
  @Command(name = "quota", description = "If the quota of an instance type were another one.")
  static final class QuotaQuestion extends Asking {
    @Parameters(index = "0", paramLabel = "TYPE", description = "Instance type.")
    private String type = "";

    @Parameters(index = "1", paramLabel = "N", description = "Nodes.")
    private int nodes;

    @Override
    protected void check() {
      require(nodes >= 0, "a quota must be at least 0");
    }

    @Override
    Question question(List<Observation> listed) {
      if (Scope.hosts(listed).noneMatch(host -> host.machine().instanceType().equals(type))) {
        throw new CommandFailure("no Host of type %s can be read".formatted(type));
      }
      return new Question.OtherQuota(type, nodes);
    }
  }

  /** NodePools of a file. */
  @Command(name = "apply", description = "If the NodePools of a file were applied.")
  static final class Apply extends Asking {
    @Option(
        names = {"-f", "--filename"},
        paramLabel = "FILE",
        required = true,
        description = "File with NodePools.")
    private Path file = Path.of("");

    @Override
    Question question(List<Observation> listed) {
      return new Question.Apply(
          Manifests.read(
                  file,
                  HasMetadata.getApiVersion(NodePool.class),
                  HasMetadata.getKind(NodePool.class))
              .stream()
              .map(Apply::wanted)
              .toList());
    }

    private static Question.Wanted wanted(Manifests.Manifest manifest) {
      ApiSerialization json = ApiSerialization.shared();
      NodePool pool = json.unmarshal(json.asJson(manifest.object()), NodePool.class);
      try {
        return new Question.Wanted(manifest.name(), PoolConversion.ofManifest(pool));
      } catch (UnreadableObjectException e) {
        throw new CommandFailure(
            "%s: NodePool %s: %s".formatted(manifest.source(), manifest.name(), e.getMessage()), e);
      }
    }
  }
}
