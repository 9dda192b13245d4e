package io.nodepool.simulated.cluster.document;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the spec of a SimulatedFleet: a data centre, or the first mistake in the spec. */
public final class DataCentreDocument {
  private static final String DEFAULT_KUBELET = "v1.34.4";
  private static final String DEFAULT_ORGANIZATION = "local";
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,8}");

  /** The result of reading a spec. */
  public sealed interface Reading {
    /**
     * A data centre.
     *
     * @param kubeletVersion the version of Kubernetes that kubelets of whole configurations report
     */
    record Valid(DataCentre dataCentre, String kubeletVersion) implements Reading {}

    /** An invalid spec: one sentence that names the field, its value and what is valid. */
    record Invalid(String why) implements Reading {}
  }

  /** The fields of {@code spec.timings}, by their names, each with its default. */
  private enum Timing {
    BOOT_MIN("bootMin", timings -> timings.bootMin, Duration.ofMinutes(5)),
    BOOT_MAX("bootMax", timings -> timings.bootMax, Duration.ofMinutes(15)),
    CLEAN("clean", timings -> timings.clean, Duration.ofMinutes(1)),
    RECLAIM_WINDOW(
        "reclaimWindow", timings -> timings.reclaimWindow, DataCentre.Timings.RECLAIM_WINDOW),
    REBOOT("reboot", timings -> timings.reboot, DataCentre.Timings.REBOOT),
    VERIFICATION("verification", timings -> timings.verification, DataCentre.Timings.VERIFICATION);

    private final String field;
    private final Function<SimulatedFleetSpec.Timings, @Nullable String> value;
    private final Duration otherwise;

    Timing(
        String field,
        Function<SimulatedFleetSpec.Timings, @Nullable String> value,
        Duration otherwise) {
      this.field = field;
      this.value = value;
      this.otherwise = otherwise;
    }
  }

  private final InstanceCatalogue catalogue;
  private final SimulatedFleetSpec spec;
  private final List<DataCentre.Rack> racks;
  private final MishapsDocument mishaps;
  private final ReleasesDocument releases;

  private DataCentreDocument(InstanceCatalogue catalogue, SimulatedFleetSpec spec) {
    this.catalogue = catalogue;
    this.spec = spec;
    this.mishaps = new MishapsDocument(spec);
    this.releases = new ReleasesDocument(spec);
    this.racks = spec.racks.stream().flatMap(DataCentreDocument::racks).toList();
  }

  /** Reads a spec. */
  public static Reading read(SimulatedFleetSpec spec, InstanceCatalogue catalogue) {
    DataCentreDocument document = new DataCentreDocument(catalogue, spec);
    Stream<Supplier<Optional<String>>> checks =
        Stream.of(
            document::wrongPlace,
            document::wrongDuration,
            document::wrongQuota,
            document::wrongUnqueued,
            document::wrongRack,
            document.releases::problem,
            document::wrongLabel,
            document::wrongMishap);
    return checks
        .map(Supplier::get)
        .flatMap(Optional::stream)
        .findFirst()
        .<Reading>map(Reading.Invalid::new)
        .orElseGet(() ->
            new Reading.Valid(
                document.withFaults(), orElse(spec.kubernetesVersion, DEFAULT_KUBELET)));
  }

  private DataCentre dataCentre() {
    TreeMap<String, Integer> quotas = new TreeMap<>();
    spec.quotas.forEach(quota -> quotas.put(quota.instanceType, quota.nodes));
    return new DataCentre(
        new DataCentre.Site(
            spec.zone,
            orElse(spec.region, spec.zone),
            orElse(spec.organization, DEFAULT_ORGANIZATION),
            orElse(spec.cluster, orElse(spec.organization, DEFAULT_ORGANIZATION))),
        spec.seed,
        racks,
        new DataCentre.Terms(
            quotas,
            new TreeSet<>(spec.unqueuedInstanceTypes),
            releases.releases(),
            releases.schedule()),
        new DataCentre.Timings(
            duration(Timing.BOOT_MIN),
            duration(Timing.BOOT_MAX),
            duration(Timing.CLEAN),
            duration(Timing.RECLAIM_WINDOW),
            duration(Timing.REBOOT),
            duration(Timing.VERIFICATION)),
        mishaps.mishaps());
  }

  /** The racks of an entry: one, or as many as its machines fill. */
  private static Stream<DataCentre.Rack> racks(SimulatedFleetSpec.Rack entry) {
    int perRack = Objects.requireNonNullElse(entry.slotsPerRack, Math.max(1, entry.hosts));
    if (perRack < 1 || entry.hosts <= perRack) {
      return Stream.of(
          new DataCentre.Rack(entry.name, entry.instanceType, entry.hosts, entry.spot));
    }
    List<DataCentre.Rack> racks = new ArrayList<>();
    for (int placed = 0; placed < entry.hosts; placed += perRack) {
      racks.add(
          new DataCentre.Rack(
              name(entry.name, racks.size()),
              entry.instanceType,
              Math.min(perRack, entry.hosts - placed),
              entry.spot));
    }
    return racks.stream();
  }

  /**
   * The name of a further rack: a number is incremented, with the same number of digits; another
   * name is numbered from 1.
   */
  private static String name(String entry, int following) {
    return NUMBER.matcher(entry).matches()
        ? String.format(
            Locale.ROOT, "%0" + entry.length() + "d", Integer.parseInt(entry) + following)
        : entry + "-" + (following + 1);
  }

  private Optional<String> wrongPlace() {
    if (spec.zone.isEmpty()) {
      return Optional.of("spec.zone is missing.");
    }
    return Stream.of(
            labelProblem("spec.zone", spec.zone),
            labelProblem("spec.region", orElse(spec.region, "")),
            labelProblem("spec.organization", orElse(spec.organization, "")),
            labelProblem("spec.cluster", orElse(spec.cluster, "")))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Optional<String> wrongDuration() {
    Optional<String> unreadable =
        Stream.concat(
                Stream.of(Timing.values()).flatMap(timing -> durationProblem(timing).stream()),
                wrongReclaimWindow().stream())
            .findFirst();
    if (unreadable.isPresent()
        || duration(Timing.BOOT_MIN).compareTo(duration(Timing.BOOT_MAX)) <= 0) {
      return unreadable;
    }
    return Optional.of(
        "spec.timings.bootMin (%s) is more than bootMax (%s)."
            .formatted(
                text(Timing.BOOT_MIN).orElse("5m, the default"),
                text(Timing.BOOT_MAX).orElse("15m, the default")));
  }

  private Optional<String> wrongReclaimWindow() {
    return duration(Timing.RECLAIM_WINDOW).isZero()
        ? Optional.of("spec.timings.reclaimWindow must be more than 0s.")
        : Optional.empty();
  }

  private Optional<String> durationProblem(Timing timing) {
    return text(timing)
        .filter(value -> DurationText.parse(value).isEmpty())
        .map(value ->
            "spec.timings.%s: \"%s\" is not a duration; write it like 90s, 5m or 1h30m."
                .formatted(timing.field, value));
  }

  private Optional<String> wrongQuota() {
    Set<String> seen = new HashSet<>();
    return spec.quotas.stream()
        .flatMap(quota ->
            typeProblem("spec.quotas", quota.instanceType)
                .or(() ->
                    seen.add(quota.instanceType)
                        ? Optional.empty()
                        : Optional.of(
                            "spec.quotas: %s is there twice.".formatted(quota.instanceType)))
                .stream())
        .findFirst();
  }

  private Optional<String> wrongUnqueued() {
    return spec.unqueuedInstanceTypes.stream()
        .flatMap(type -> typeProblem("spec.unqueuedInstanceTypes", type).stream())
        .findFirst();
  }

  private Optional<String> wrongRack() {
    Set<String> seen = new HashSet<>();
    return racks.stream().flatMap(rack -> rackProblem(rack, seen).stream()).findFirst();
  }

  private Optional<String> rackProblem(DataCentre.Rack rack, Set<String> seen) {
    if (rack.name().isEmpty() || !LabelValue.isValid(rack.name())) {
      return Optional.of(
          "spec.racks: \"%s\" cannot be the name of a rack, since it becomes the value of a label."
              .formatted(rack.name()));
    }
    if (!seen.add(rack.name())) {
      return Optional.of("spec.racks: there are two racks named %s.".formatted(rack.name()));
    }
    if (rack.hosts() < 0) {
      return Optional.of("spec.racks: rack %s has %d hosts.".formatted(rack.name(), rack.hosts()));
    }
    return typeProblem("spec.racks: rack " + rack.name(), rack.instanceType())
        .or(() ->
            catalogue
                .find(rack.instanceType())
                .filter(InstanceType::isRack)
                .filter(type -> rack.hosts() != type.rackSize())
                .map(type ->
                    "spec.racks: rack %s has %d hosts; a rack of %s has %d. Several racks in one entry: hosts %d and slotsPerRack %d."
                        .formatted(
                            rack.name(),
                            rack.hosts(),
                            type.name(),
                            type.rackSize(),
                            2 * type.rackSize(),
                            type.rackSize())));
  }

  private Optional<String> typeProblem(String where, String type) {
    if (catalogue.find(type).isPresent()) {
      return Optional.empty();
    }
    String hint =
        catalogue.closest(type).map(near -> "; did you mean " + near.name() + "?").orElse(".");
    return Optional.of("%s: there is no instance type \"%s\"%s".formatted(where, type, hint));
  }

  /** The name of a rack is also a part of longer label values, which must be valid. */
  private Optional<String> wrongLabel() {
    DataCentre described = dataCentre();
    for (DataCentre.Slot slot : described.slots(catalogue)) {
      var machine = slot.machine();
      Optional<String> wrong =
          Stream.of(
                  machine.location().rackName(),
                  machine.interconnect().nvlinkDomain(),
                  machine.interconnect().fabric())
              .filter(value -> !LabelValue.isValid(value))
              .findFirst();
      if (wrong.isPresent()) {
        return Optional.of(
            "spec.racks: the name %s is too long, since %s cannot be the value of a label."
                .formatted(machine.rack(), wrong.get()));
      }
    }
    return Optional.empty();
  }

  private Optional<String> wrongMishap() {
    List<DataCentre.Slot> slots = dataCentre().slots(catalogue);
    Set<String> hosts = new HashSet<>();
    slots.forEach(slot -> hosts.add(slot.host()));
    return mishaps.problem(hosts).or(() -> faults(slots).problem());
  }

  private FaultsDocument faults(List<DataCentre.Slot> slots) {
    return new FaultsDocument(spec.mishaps == null ? List.of() : spec.mishaps.faults, slots);
  }

  private DataCentre withFaults() {
    DataCentre described = dataCentre();
    return described.withMishaps(
        described.mishaps().withFaults(faults(described.slots(catalogue)).faults()));
  }

  private static Optional<String> labelProblem(String field, String value) {
    return LabelValue.isValid(value)
        ? Optional.empty()
        : Optional.of("%s: \"%s\" cannot be the value of a label.".formatted(field, value));
  }

  private Duration duration(Timing timing) {
    return text(timing).flatMap(DurationText::parse).orElse(timing.otherwise);
  }

  private Optional<String> text(Timing timing) {
    return Optional.ofNullable(spec.timings).map(timing.value);
  }

  private static String orElse(@Nullable String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }
}
