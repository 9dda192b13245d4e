package io.nodepool.drill.document;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.drill.Scenario;
import io.nodepool.drill.script.Deed;
import io.nodepool.drill.script.Deed.Fault;
import io.nodepool.drill.script.MachineSelection;
import io.nodepool.drill.script.ScriptEntry;
import io.nodepool.drill.script.When;
import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.whatif.Question;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the script of a scenario. */
final class ScriptDocument {
  /** The fields for the time of an entry. */
  static final Set<String> TIMES = Set.of("at", "every", "from", "chance");

  private static final Pattern CHANCE = Pattern.compile("([0-9]{1,6}) in ([0-9a-z.]+)");
  private static final Set<String> MACHINES =
      Set.of("machines", "pool", "rack", "leafGroup", "state", "count");

  private static final Map<String, MachineSelection.State> STATES =
      Map.of(
          "busy", MachineSelection.State.BUSY,
          "idle", MachineSelection.State.IDLE,
          "setAside", MachineSelection.State.SET_ASIDE);

  private static final Map<String, LifecycleState> REBOOTS =
      Map.of(
          "reboot", LifecycleState.REBOOT,
          "power-reset", LifecycleState.POWER_RESET,
          "reconfigure", LifecycleState.RECONFIGURE);

  /** How each deed is read, by its name. */
  private final SortedMap<String, Function<Fields, Deed>> deeds = new TreeMap<>();

  private final Map<String, Set<String>> known = new TreeMap<>();
  private final Scenario.Objects objects;
  private final Map<String, PoolSpec> pools;
  private final ManifestFiles files;

  ScriptDocument(Scenario.Objects objects, ManifestFiles files) {
    this.objects = objects;
    this.files = files;
    this.pools =
        objects.pools().stream()
            .collect(
                Collectors.toMap(
                    Question.Wanted::name, Question.Wanted::spec, (a, _) -> a, TreeMap::new));
    ofPools();
    ofMachines();
    ofOthers();
  }

  /** The fields of each deed, by its name. */
  static Map<String, Set<String>> fields() {
    Scenario.Objects none =
        new Scenario.Objects(
            List.of(), new TreeMap<>(), List.of(), Optional.empty(), new TreeMap<>());
    return new ScriptDocument(none, (_, _) -> List.of()).known;
  }

  private void deed(String name, Set<String> fields, Function<Fields, Deed> read) {
    deeds.put(name, read);
    known.put(name, fields);
  }

  private void ofPools() {
    deed(
        "scale",
        Set.of("pool", "to"),
        fields ->
            new Deed.Ask(
                new Question.Scale(
                    pool(fields), fields.requiredNumber("to", 0, "scale: {pool: a, to: 4}"))));
    deed("upgrade", Set.of("pool"), fields -> new Deed.Ask(new Question.Upgrade(pool(fields))));
    deed(
        "rollout",
        Set.of("pool"),
        fields -> {
          String pool = pool(fields);
          PoolSpec spec = Objects.requireNonNull(pools.get(pool));
          return new Deed.Ask(new Question.RolloutStart(pool, spec.configuration().rollout()));
        });
    deed("deletePool", Set.of("pool"), fields -> new Deed.DeletePool(pool(fields)));
    deed(
        "quota",
        Set.of("instanceType", "nodes"),
        fields -> {
          String type = fields.required("instanceType", "quota: {instanceType: T, nodes: 8}");
          if (InstanceCatalogue.bundled().find(type).isEmpty()) {
            throw new ScenarioMistake(
                fields.at("instanceType"), "%s is no instance type".formatted(type));
          }
          return new Deed.Ask(
              new Question.OtherQuota(
                  type, fields.requiredNumber("nodes", 0, "quota: {instanceType: T, nodes: 8}")));
        });
    deed(
        "apply",
        Set.of("file", "nodePool"),
        fields -> {
          JsonNode manifest =
              fields.has("file")
                  ? files
                      .manifests(fields.at("file"), fields.required("file", "file: pool.yaml"))
                      .getFirst()
                  : fields.get("nodePool");
          ApiSerialization json = ApiSerialization.shared();
          Question.Wanted wanted =
              ObjectsDocument.wanted(
                  fields.path(), json.unmarshal(manifest.toString(), NodePool.class));
          pools.putIfAbsent(wanted.name(), wanted.spec());
          return new Deed.Ask(new Question.Apply(List.of(wanted)));
        });
  }

  private String pool(Fields fields) {
    String name = fields.required("pool", "pool: a");
    if (!pools.containsKey(name)) {
      throw new ScenarioMistake(
          fields.at("pool"),
          "no NodePool %s is in objects or was applied before%s"
              .formatted(name, pools.isEmpty() ? "" : Fields.hint(name, pools.keySet())));
    }
    return name;
  }

  private void ofMachines() {
    fault("cordon", Set.of(), _ -> new Fault.Cordon());
    fault("uncordon", Set.of(), _ -> new Fault.Uncordon());
    fault("drain", Set.of(), _ -> new Fault.DrainByHand());
    fault("preempt", Set.of("for"), fields -> new Fault.Preempt(fields.duration("for")));
    fault("release", Set.of(), _ -> new Fault.Release());
    fault(
        "reboot",
        Set.of("kind", "immediate"),
        fields ->
            new Fault.Reboot(
                word(fields, "kind", REBOOTS).orElse(LifecycleState.REBOOT),
                fields.flag("immediate")));
    fault("losePower", Set.of("for"), fields -> new Fault.LosePower(fields.duration("for")));
    fault("fail", Set.of("for"), fields -> new Fault.Fail(fields.duration("for")));
    fault(
        "silence",
        Set.of("for"),
        fields -> new Fault.Silence(fields.requiredDuration("for", "silence: {for: 10m}")));
    fault(
        "maintain",
        Set.of("for"),
        fields -> new Fault.Maintain(fields.requiredDuration("for", "maintain: {for: 2h}")));
    fault(
        "alert",
        Set.of("name", "false", "for"),
        fields -> {
          String name = fields.required("name", "alert: {name: GPUFallenOffBus}");
          if (AlertCatalogue.shipped().find(name).isEmpty()) {
            throw new ScenarioMistake(
                fields.at("name"),
                "no alert %s is in the catalogue%s".formatted(name, Fields.hint(name, alerts())));
          }
          return new Fault.ReportAlert(name, fields.flag("false"), fields.duration("for"));
        });
  }

  private static Set<String> alerts() {
    return AlertCatalogue.shipped().all().stream().map(Alert::name).collect(Collectors.toSet());
  }

  private void fault(String name, Set<String> own, Function<Fields, Fault> read) {
    Set<String> all = new TreeSet<>(own);
    all.addAll(MACHINES);
    deed(name, all, fields -> new Deed.ToMachines(selection(fields), read.apply(fields)));
  }

  private MachineSelection selection(Fields fields) {
    if (MACHINES.stream().noneMatch(fields::has)) {
      throw new ScenarioMistake(
          fields.path(),
          "names no machines, as {pool: a, count: 2}, {rack: \"101\"} or {machines: [g1]} do");
    }
    return new MachineSelection(
        fields.texts("machines"),
        fields.has("pool") ? Optional.of(pool(fields)) : Optional.empty(),
        fields.text("rack"),
        fields.text("leafGroup"),
        word(fields, "state", STATES).orElse(MachineSelection.State.ANY),
        fields.number("count", 1));
  }

  private static <T> Optional<T> word(Fields fields, String name, Map<String, T> words) {
    return fields
        .text(name)
        .map(text -> {
          if (!words.containsKey(text)) {
            throw new ScenarioMistake(
                fields.at(name),
                "unknown %s %s%s".formatted(name, text, Fields.hint(text, words.keySet())));
          }
          return words.get(text);
        });
  }

  private void ofOthers() {
    deed(
        "scaleWorkload",
        Set.of("workload", "replicas"),
        fields -> {
          String name =
              fields.required("workload", "scaleWorkload: {workload: default/web, replicas: 4}");
          WorkloadManifest workload = objects.workloads().get(name);
          if (workload == null) {
            throw new ScenarioMistake(
                fields.at("workload"),
                "no workload %s is in objects%s"
                    .formatted(
                        name,
                        objects.workloads().isEmpty()
                            ? ""
                            : Fields.hint(name, objects.workloads().keySet())));
          }
          if (!workload.kind().isScaled()) {
            throw new ScenarioMistake(
                fields.at("workload"),
                "%s is a %s; only Deployments and StatefulSets are scaled"
                    .formatted(name, workload.kind().word()));
          }
          return new Deed.ScaleWorkload(
              workload,
              fields.requiredNumber(
                  "replicas", 0, "scaleWorkload: {workload: default/web, replicas: 4}"));
        });
    deed(
        "restartOperator",
        Set.of("down"),
        fields ->
            new Deed.RestartOperator(
                fields.requiredDuration("down", "restartOperator: {down: 30s}")));
    deed(
        "pauseOperator",
        Set.of("for"),
        fields ->
            new Deed.PauseOperator(fields.requiredDuration("for", "pauseOperator: {for: 5m}")));
    deed(
        "apiOutage",
        Set.of("for"),
        fields -> new Deed.ApiOutage(fields.requiredDuration("for", "apiOutage: {for: 2m}")));
  }

  /** The entries, in order. */
  List<ScriptEntry> read(String path, List<JsonNode> items) {
    List<ScriptEntry> entries = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      entries.add(entry("%s[%d]".formatted(path, i), items.get(i)));
    }
    return entries;
  }

  private ScriptEntry entry(String path, JsonNode item) {
    Set<String> all =
        Stream.concat(TIMES.stream(), deeds.keySet().stream()).collect(Collectors.toSet());
    Fields fields = Fields.of(path, item, all);
    List<String> named = deeds.keySet().stream().filter(fields::has).toList();
    if (named.size() != 1) {
      throw new ScenarioMistake(
          path,
          "must say one thing that happens (%s), not %d"
              .formatted(String.join(", ", deeds.keySet()), named.size()));
    }
    String name = named.getFirst();
    Fields deed =
        Fields.of(path + "." + name, fields.get(name), known.getOrDefault(name, Set.of()));
    return new ScriptEntry(
        when(fields), Objects.requireNonNull(deeds.get(name)).apply(deed), text(name, deed));
  }

  private static When when(Fields fields) {
    long times = Stream.of("at", "every", "chance").filter(fields::has).count();
    if (times != 1 || (fields.has("from") && !fields.has("every"))) {
      throw new ScenarioMistake(
          fields.path(),
          "must say when, in one of these ways: at: 2h; every: 6h, perhaps with from: 1h; chance: 10 in 55d");
    }
    if (fields.has("at")) {
      return new When.At(fields.requiredDuration("at", "at: 2h"));
    }
    if (fields.has("every")) {
      Duration every = fields.requiredDuration("every", "every: 6h");
      if (every.isZero()) {
        throw new ScenarioMistake(fields.at("every"), "must be above 0");
      }
      return new When.Every(every, fields.duration("from").orElse(every));
    }
    String chance = fields.required("chance", "chance: 10 in 55d");
    Matcher match = CHANCE.matcher(chance);
    if (!match.matches() || Integer.parseInt(match.group(1)) == 0) {
      throw new ScenarioMistake(
          fields.at("chance"), "\"%s\" is no number in a time, as in 10 in 55d".formatted(chance));
    }
    Duration within = Fields.duration(fields.at("chance"), match.group(2));
    if (within.isZero()) {
      throw new ScenarioMistake(fields.at("chance"), "the time must be above 0");
    }
    return new When.Chance(Integer.parseInt(match.group(1)), within);
  }

  private static String text(String name, Fields deed) {
    String values =
        deed.node()
            .propertyStream()
            .filter(each -> !each.getKey().equals("nodePool"))
            .map(each ->
                "%s %s"
                    .formatted(
                        each.getKey(),
                        each.getValue().isValueNode()
                            ? each.getValue().asText()
                            : each.getValue().toString()))
            .collect(Collectors.joining(", "));
    return values.isEmpty() ? name : name + " " + values;
  }
}
