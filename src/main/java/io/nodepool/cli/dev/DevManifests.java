package io.nodepool.cli.dev;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.programs.Packaged;
import io.nodepool.plan.Messages;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The manifests of {@code nodepool dev}, checked as far as possible without a cluster. */
public final class DevManifests {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String DEFAULT_FLEET = "/deploy/data-centre.yaml";

  /** A valid data centre. */
  public record Fleet(Manifests.Manifest manifest, SimulatedFleetSpec spec) {
    /** The number of machines. */
    int machines() {
      return spec.racks.stream().mapToInt(rack -> rack.hosts).sum();
    }

    /** The data centre in one line. */
    public String inWords(int speed) {
      int types = (int) spec.racks.stream().map(rack -> rack.instanceType).distinct().count();
      return "Simulated data centre %s: %s of %s in %s%s."
          .formatted(
              manifest.name(),
              Messages.count(machines(), "machine"),
              Messages.count(types, "instance type"),
              spec.zone,
              speed == 1 ? "" : ", " + speed + " times faster");
    }
  }

  private DevManifests() {}

  /** Reads the objects of several files, in their order. */
  public static List<Manifests.Manifest> objects(List<Path> files) {
    return files.stream().flatMap(file -> Manifests.read(file).stream()).toList();
  }

  /** The goal that the NodePools among these objects are at their targets. */
  static Goal goal(List<Manifests.Manifest> objects) {
    return new Goal(
        objects.stream()
            .filter(each -> each.is("compute.coreweave.com/v1alpha1", "NodePool"))
            .map(Manifests.Manifest::name)
            .collect(Collectors.toSet()));
  }

  /**
   * Reads the data centre of a file, or the default one.
   *
   * @throws CommandFailure if it is not valid
   */
  public static Fleet fleet(Optional<Path> file) {
    String apiVersion = "fleet.nodepool.io/v1alpha1";
    String kind = "SimulatedFleet";
    List<Manifests.Manifest> found =
        file.map(path -> Manifests.read(path, apiVersion, kind))
            .orElseGet(() ->
                Manifests.parse(
                    "data-centre.yaml", Packaged.text(DEFAULT_FLEET), apiVersion, kind));
    Manifests.Manifest manifest = found.getFirst();
    if (found.size() > 1) {
      throw CommandFailure.wrongInput(
          "%s contains more than one %s.".formatted(manifest.source(), kind));
    }
    SimulatedFleet fleet;
    try {
      fleet = MAPPER.convertValue(manifest.object(), SimulatedFleet.class);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.wrongInput(
          "%s: the %s cannot be read: %s."
              .formatted(
                  manifest.source(),
                  kind,
                  e.getCause() instanceof JsonProcessingException known
                      ? Manifests.inWords(known)
                      : e.getMessage()),
          e);
    }
    if (fleet.getSpec() == null) {
      throw CommandFailure.wrongInput("%s: the %s has no spec.".formatted(manifest.source(), kind));
    }
    SimulatedFleetController.mistake(fleet)
        .ifPresent(why -> {
          throw CommandFailure.wrongInput(manifest.source() + ": " + why);
        });
    return new Fleet(manifest, fleet.getSpec());
  }
}
