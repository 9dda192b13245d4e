package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.BootRequest;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How often a machine was repaired, as far as its Host remembers: the last {@value
 * BootRequest#REMEMBERED} boots, and the last repair of a component for each alert.
 *
 * @param place its location, and its pool
 * @param isSetAside whether it is not assigned any more
 */
record RepairedMachine(Place place, List<Repair> repairs, boolean isSetAside) {
  /**
   * The location of a machine, and its pool.
   *
   * @param leaf the leaf switches that it is connected to
   */
  record Place(String host, String rack, String leaf, String pool) {
    private static Place of(JsonNode host) {
      JsonNode machine = host.at("/spec/machine");
      String group = machine.path("leafgroup").asText("");
      return new Place(
          host.at("/metadata/name").asText(""),
          machine.path("rack").asText(""),
          machine.path("leafgroupName").asText(group),
          host.at("/spec/assignment/pool").asText(""));
    }
  }

  /**
   * One repair, or several tries for one alert; only the last try is remembered.
   *
   * @param ofComponent whether a component was repaired while the machine ran
   * @param tries the number of tries; 0 if the machine was set aside instead
   * @param isFailed whether the machine did not come back, or did not pass its verification
   */
  record Repair(String alert, Instant at, boolean ofComponent, int tries, boolean isFailed) {}

  /** Reads a Host, without the repairs before this instant. */
  static RepairedMachine of(JsonNode host, Instant since) {
    List<Repair> repairs = new ArrayList<>();
    JsonNode last = host.at("/spec/boot");
    Stream.concat(last.path("history").valueStream(), Stream.of(last))
        .forEach(boot -> ofBoot(boot).ifPresent(repairs::add));
    host.at("/spec/repairs")
        .properties()
        .forEach(repair -> ofComponent(repair).ifPresent(repairs::add));
    boolean isSetAside = !host.at("/spec/setAside").asText("").isEmpty();
    if (isSetAside) {
      host.at("/spec/pastRepairs").forEach(past -> ofTakenOut(past).ifPresent(repairs::add));
    }
    repairs.removeIf(repair -> repair.at().isBefore(since));
    return new RepairedMachine(Place.of(host), List.copyOf(repairs), isSetAside);
  }

  private static Optional<Repair> ofBoot(JsonNode boot) {
    String alert = boot.path("alert").asText("");
    String outcome = boot.path("outcome").asText("");
    boolean isFailed = !outcome.isEmpty() && !outcome.equals(BootRequest.Outcome.VERIFIED.word());
    boolean boots = !boot.path("kind").asText("").equals(BootKind.VERIFICATION.word());
    return alert.isEmpty() || !boots
        ? Optional.empty()
        : instant(boot, "requestedAt").map(at -> new Repair(alert, at, false, 1, isFailed));
  }

  private static Optional<Repair> ofComponent(Map.Entry<String, JsonNode> repair) {
    int tries = Math.max(1, repair.getValue().path("try").asInt());
    return instant(repair.getValue(), "requestedAt")
        .map(at -> new Repair(repair.getKey(), at, true, tries, false));
  }

  private static Optional<Repair> ofTakenOut(JsonNode past) {
    return past.path("out").asBoolean()
        ? instant(past, "at")
            .map(at -> new Repair(past.path("alert").asText(""), at, false, 0, false))
        : Optional.empty();
  }

  /** An object that bypassed its validation may contain another text; it is not counted. */
  private static Optional<Instant> instant(JsonNode repair, String field) {
    return ObjectFacts.readableTime(repair.path(field).asText(""));
  }
}
