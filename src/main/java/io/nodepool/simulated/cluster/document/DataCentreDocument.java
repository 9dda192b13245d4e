package io.nodepool.simulated.cluster.document;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
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

  private final InstanceCatalogue catalogue;
  private final SimulatedFleetSpec spec;
  private final Mistakes mistakes = new Mistakes();

  private DataCentreDocument(InstanceCatalogue catalogue, SimulatedFleetSpec spec) {
    this.catalogue = catalogue;
    this.spec = spec;
  }

  /** Reads a spec. */
  public static Reading read(SimulatedFleetSpec spec, InstanceCatalogue catalogue) {
    return new DataCentreDocument(catalogue, spec).read();
  }

  private Reading read() {
    DataCentre.Site site = site();
    DataCentre.Timings timings = timings();
    SortedMap<String, Integer> quotas = quotas();
    spec.unqueuedInstanceTypes.forEach(type -> checkType("spec.unqueuedInstanceTypes", type));
    List<DataCentre.Rack> racks = racks();
    ReleasesDocument releases = new ReleasesDocument(spec, mistakes);
    releases.check();
    return mistakes
        .first()
        .<Reading>map(Reading.Invalid::new)
        .orElseGet(() ->
            read(
                new DataCentre(
                    site,
                    spec.seed,
                    racks,
                    new DataCentre.Terms(
                        quotas,
                        new TreeSet<>(spec.unqueuedInstanceTypes),
                        releases.releases(),
                        releases.schedule()),
                    timings,
                    DataCentre.Mishaps.NONE)));
  }

  /** Reads the parts about single machines, whose names need a valid description. */
  private Reading read(DataCentre described) {
    List<DataCentre.Slot> slots = described.slots(catalogue);
    slots.forEach(this::checkLabels);
    DataCentre.Mishaps mishaps = new MishapsDocument(spec, slots, mistakes).mishaps();
    return mistakes
        .first()
        .<Reading>map(Reading.Invalid::new)
        .orElseGet(() ->
            new Reading.Valid(
                described.withMishaps(mishaps), orElse(spec.kubernetesVersion, DEFAULT_KUBELET)));
  }

  private DataCentre.Site site() {
    mistakes.check(!spec.zone.isEmpty(), () -> "spec.zone is missing.");
    checkLabel("spec.zone", spec.zone);
    checkLabel("spec.region", spec.region);
    checkLabel("spec.organization", spec.organization);
    checkLabel("spec.cluster", spec.cluster);
    String organization = orElse(spec.organization, DEFAULT_ORGANIZATION);
    return new DataCentre.Site(
        spec.zone,
        orElse(spec.region, spec.zone),
        organization,
        orElse(spec.cluster, organization));
  }

  private void checkLabel(String field, @Nullable String value) {
    mistakes.check(
        value == null || isLabel(value),
        () -> "%s: \"%s\" cannot be the value of a label.".formatted(field, value));
  }

  private static boolean isLabel(String value) {
    return KubernetesNames.wrongLabelValue(value).isEmpty();
  }

  private DataCentre.Timings timings() {
    SimulatedFleetSpec.Timings given =
        Objects.requireNonNullElseGet(spec.timings, SimulatedFleetSpec.Timings::new);
    DataCentre.Timings timings =
        new DataCentre.Timings(
            time("bootMin", given.bootMin, Duration.ofMinutes(5)),
            time("bootMax", given.bootMax, Duration.ofMinutes(15)),
            time("clean", given.clean, Duration.ofMinutes(1)),
            time("reclaimWindow", given.reclaimWindow, DataCentre.Timings.RECLAIM_WINDOW),
            time("reboot", given.reboot, DataCentre.Timings.REBOOT),
            time("verification", given.verification, DataCentre.Timings.VERIFICATION));
    mistakes.check(
        !timings.reclaimWindow().isZero(),
        () -> "spec.timings.reclaimWindow must be more than 0s.");
    mistakes.check(
        timings.bootMin().compareTo(timings.bootMax()) <= 0,
        () ->
            "spec.timings.bootMin (%s) is more than bootMax (%s)."
                .formatted(
                    Objects.requireNonNullElse(given.bootMin, "5m, the default"),
                    Objects.requireNonNullElse(given.bootMax, "15m, the default")));
    return timings;
  }

  private Duration time(String field, @Nullable String text, Duration otherwise) {
    return mistakes.duration("spec.timings." + field, text).orElse(otherwise);
  }

  private SortedMap<String, Integer> quotas() {
    SortedMap<String, Integer> quotas = new TreeMap<>();
    for (SimulatedFleetSpec.QuotaSpec quota : spec.quotas) {
      checkType("spec.quotas", quota.instanceType);
      mistakes.check(
          quotas.put(quota.instanceType, quota.nodes) == null,
          () -> "spec.quotas: %s is there twice.".formatted(quota.instanceType));
    }
    return quotas;
  }

  private void checkType(String where, String type) {
    mistakes.check(
        catalogue.find(type).isPresent(),
        () ->
            "%s: there is no instance type \"%s\"%s"
                .formatted(
                    where,
                    type,
                    catalogue
                        .closest(type)
                        .map(near -> "; did you mean " + near.name() + "?")
                        .orElse(".")));
  }

  private List<DataCentre.Rack> racks() {
    List<DataCentre.Rack> racks = spec.racks.stream().flatMap(DataCentreDocument::racks).toList();
    Set<String> seen = new HashSet<>();
    racks.forEach(rack -> checkRack(rack, seen));
    return racks;
  }

  /** The racks of an entry: one, or the number that its machines fill. */
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

  private void checkRack(DataCentre.Rack rack, Set<String> seen) {
    mistakes.check(
        !rack.name().isEmpty() && isLabel(rack.name()),
        () ->
            "spec.racks: \"%s\" cannot be the name of a rack, since it becomes the value of a label."
                .formatted(rack.name()));
    mistakes.check(
        seen.add(rack.name()),
        () -> "spec.racks: there are two racks named %s.".formatted(rack.name()));
    mistakes.check(
        rack.hosts() >= 0,
        () -> "spec.racks: rack %s has %d hosts.".formatted(rack.name(), rack.hosts()));
    checkType("spec.racks: rack " + rack.name(), rack.instanceType());
    catalogue
        .find(rack.instanceType())
        .filter(InstanceType::isRack)
        .ifPresent(type ->
            mistakes.check(
                rack.hosts() == type.rackSize(),
                () ->
                    "spec.racks: rack %s has %d hosts; a rack of %s has %d. Several racks in one entry: hosts %d and slotsPerRack %d."
                        .formatted(
                            rack.name(),
                            rack.hosts(),
                            type.name(),
                            type.rackSize(),
                            2 * type.rackSize(),
                            type.rackSize())));
  }

  /** The name of a rack is also a part of longer label values, which must be valid. */
  private void checkLabels(DataCentre.Slot slot) {
    var machine = slot.machine();
    Stream.of(
            machine.location().rackName(),
            machine.interconnect().nvlinkDomain(),
            machine.interconnect().fabric())
        .forEach(value ->
            mistakes.check(
                isLabel(value),
                () ->
                    "spec.racks: the name %s is too long, since %s cannot be the value of a label."
                        .formatted(machine.rack(), value)));
  }

  private static String orElse(@Nullable String text, String otherwise) {
    return text == null || text.isEmpty() ? otherwise : text;
  }
}
