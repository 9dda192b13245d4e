package io.nodepool.health.catalogue;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Documents that are refused, each with the message that says why. */
final class WrongAlerts {
  private WrongAlerts() {}

  /**
   * A document that is wrong.
   *
   * @param schema whether the JSON schema can find that too
   */
  record Wrong(String why, String document, String message, boolean schema) {
    @Override
    public String toString() {
      return why;
    }
  }

  private static Wrong form(String why, String document, String message) {
    return new Wrong(why, document.replace("; ", "\n"), message, true);
  }

  private static Wrong reference(String why, String document, String message) {
    return new Wrong(why, document.replace("; ", "\n"), message, false);
  }

  private static final String NEW = "meaning: M, subject: GPU, grade: watch";

  /** All of them. */
  static List<Wrong> all() {
    return List.of(
        form(
            "unknown grade",
            "alerts:;   GPUVeryHot:;     hold: 5m;     grade: warch",
            "alerts.yaml line 4: grade of GPUVeryHot is \"warch\"; write one of: none, watch, manual, rack investigation, repair DPU, reset host when idle, reset host and DPU when idle, reboot when idle, reboot now, out when idle, out now."),
        form(
            "unknown subject",
            "alerts:;   GPUVeryHot:;     subject: gpu",
            "alerts.yaml line 3: subject of GPUVeryHot is \"gpu\"; write one of: Host, DPU, GPU, NVLink, switch, rack, domain."),
        form(
            "unknown field",
            "alerts:;   GPUVeryHot:;     garde: none",
            "alerts.yaml line 3: GPUVeryHot has no field \"garde\"; its fields are aliases, grade, hold, meaning, nodeConditions, overridesEviction, perBoot, reason, subject, symptomOf."),
        form(
            "negative hold",
            "alerts:;   GPUVeryHot:;     hold: -5m",
            "alerts.yaml line 3: hold of GPUVeryHot is \"-5m\"; write a duration that is not negative, such as 90s, 15m or 1h30m."),
        form(
            "hold without a unit",
            "alerts:;   GPUVeryHot: {hold: 5}",
            "alerts.yaml line 2: hold of GPUVeryHot is \"5\"; write a duration that is not negative, such as 90s, 15m or 1h30m."),
        reference(
            "too long a hold",
            "alerts:;   GPUVeryHot: {hold: 721h}",
            "alerts.yaml line 2: hold of GPUVeryHot is 721h; at most 720h are allowed."),
        form(
            "eviction of a grade that waits",
            "alerts:;   GPUVeryHot:;     grade: out when idle;     overridesEviction: true",
            "alerts.yaml line 4: overridesEviction of GPUVeryHot is true, but its grade is out when idle; only \"reboot now\" and \"out now\" can override eviction."),
        form(
            "flag that is none",
            "alerts:;   GPUVeryHot: {perBoot: maybe}",
            "alerts.yaml line 2: perBoot of GPUVeryHot must be true or false."),
        form(
            "text that is none",
            "alerts:;   GPUVeryHot: {meaning: 5}",
            "alerts.yaml line 2: meaning of GPUVeryHot must be a text; put it in quotation marks."),
        form(
            "empty text",
            "alerts:;   GPUVeryHot: {meaning: \"\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot has 0 characters; it must have from 1 to 1000."),
        form(
            "too long a text",
            "alerts:;   GPUVeryHot: {meaning: \"" + "m".repeat(1001) + "\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot has 1001 characters; it must have from 1 to 1000."),
        reference(
            "text that controls a terminal",
            "alerts:;   GPUVeryHot: {meaning: \"\\u202e\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot contains characters that control a terminal."),
        form(
            "no list",
            "alerts:;   GPUVeryHot: {aliases: Hot}",
            "alerts.yaml line 2: aliases of GPUVeryHot must be a list, such as [a, b]."),
        form(
            "list in a list",
            "alerts:;   GPUVeryHot: {aliases: [[Hot]]}",
            "alerts.yaml line 2: an element of aliases of GPUVeryHot must be a single value."),
        form(
            "too many aliases",
            "alerts:;   GPUVeryHot: {aliases: [a, b, c, d, e, f, g, h, i]}",
            "alerts.yaml line 2: aliases of GPUVeryHot has 9 elements; at most 8 are allowed."),
        form(
            "alias twice",
            "alerts:;   GPUVeryHot:;     aliases:;       - Hot;       - Hot",
            "alerts.yaml line 5: aliases of GPUVeryHot has Hot twice."),
        form(
            "alias that cannot be a name",
            "alerts:;   GPUVeryHot: {aliases: [a.b]}",
            "alerts.yaml line 2: aliases of GPUVeryHot has \"a.b\", which is not of the form [A-Za-z]([-_A-Za-z0-9]{0,61}[A-Za-z0-9])?."),
        form(
            "name that is none",
            "alerts:;   9Hot: {" + NEW + "}",
            "alerts.yaml line 2: \"9Hot\" cannot be the name of an alert; it has from 1 to 63 letters, digits, '-' and '_', and begins with a letter."),
        form(
            "entry that is no mapping",
            "alerts:;   GPUVeryHot: out now",
            "alerts.yaml line 2: GPUVeryHot must be a mapping, such as \"name: value\"."),
        form(
            "another field than alerts",
            "alerts: {}; alarms: {}",
            "alerts.yaml line 2: a document has the fields alerts and sources only, not alarms."),
        form(
            "a source that is none",
            "alerts: {}; sources: {A.b: {silence: 1h}}",
            "alerts.yaml line 2: \"A.b\" is no source that can be silent; write the name of a monitor, or conditions for conditions of Nodes."),
        form(
            "a source that has no heartbeat",
            "alerts: {}; sources: {fleet: {silence: 1h}}",
            "alerts.yaml line 2: \"fleet\" is no source that can be silent; write the name of a monitor, or conditions for conditions of Nodes."),
        form(
            "a source without a time",
            "alerts: {}; sources: {dcgm: {quiet: 1h}}",
            "alerts.yaml line 2: a source has the field silence, and no other one; write it as {silence: 1h}."),
        reference(
            "a source that is silent at once",
            "alerts: {}; sources: {dcgm: {silence: 0s}}",
            "alerts.yaml line 2: silence of dcgm is \"0s\"; write a duration above 0s and at most 720h, such as 30m or 12h."),
        form("no alerts", "{}", "alerts.yaml line 1: the document must have the field alerts."),
        form(
            "alerts that are a list",
            "alerts: [GPUVeryHot]",
            "alerts.yaml line 1: alerts of the document must be a mapping, such as \"name: value\"."),
        reference("nothing", "", "alerts.yaml is empty; it must have the field alerts."),
        reference(
            "a source",
            "alerts:;   GPUVeryHot: {source: ours}",
            "alerts.yaml line 2: source of GPUVeryHot is for entries that ship with the operator; leave it out."),
        reference(
            "new alert without a grade",
            "alerts:;   GPUVeryHott:;     meaning: M;     subject: GPU",
            "alerts.yaml line 3: GPUVeryHott is not known, so it needs a meaning, a subject and a grade, and has no grade. Correct the name, or add the field."),
        reference(
            "name that is an alias",
            "alerts:;   DPULinkFlapping: {grade: none}",
            "alerts.yaml line 2: DPULinkFlapping is an alias of DPULinkFlappingCPX; write that name."),
        reference(
            "alias that is a name",
            "alerts:;   GPUVeryHot: {aliases: [NodeMemoryError]}",
            "alerts.yaml line 2: alias NodeMemoryError of GPUVeryHot is the name of an alert; choose another one."),
        reference(
            "alias of another alert",
            "alerts:;   GPUVeryHot: {aliases: [DPULinkFlapping]}",
            "alerts.yaml line 2: alias DPULinkFlapping of GPUVeryHot is an alias of DPULinkFlappingCPX too; an alias belongs to one alert."),
        reference(
            "unknown cause",
            "alerts:;   GPUVeryHot:;     symptomOf: [Sunshine]",
            "alerts.yaml line 3: symptomOf of GPUVeryHot has Sunshine, which is no alert; write the name of one."),
        reference(
            "cause by its alias",
            "alerts:;   GPUVeryHot: {symptomOf: [NVLinkDomainDegraded]}",
            "alerts.yaml line 2: symptomOf of GPUVeryHot has NVLinkDomainDegraded, an alias; write its name, NVLinkDomainProductionNodeCountLow."),
        reference(
            "symptom of itself",
            "alerts:;   GPUVeryHot: {symptomOf: [GPUVeryHot]}",
            "alerts.yaml line 2: GPUVeryHot would be a symptom of itself: GPUVeryHot, of GPUVeryHot. Take one of these out of symptomOf."),
        reference(
            "symptoms in a cycle",
            "alerts:;   GPUVeryHot: {symptomOf: [NodeMemoryError]};   NodeMemoryError: {symptomOf: [MetalDevRedfishError]};   MetalDevRedfishError: {symptomOf: [NodeMemoryError]}",
            "alerts.yaml line 3: NodeMemoryError would be a symptom of itself: NodeMemoryError, of MetalDevRedfishError, of NodeMemoryError. Take one of these out of symptomOf."),
        reference(
            "cycle through a shipped symptom",
            "alerts:;   NodeGPUXID149NVSwitch: {symptomOf: [NodeGPUXID145]}",
            "alerts.yaml line 2: NodeGPUXID149NVSwitch would be a symptom of itself: NodeGPUXID149NVSwitch, of NodeGPUXID145, of NodeGPUXID149NVSwitch. Take one of these out of symptomOf."),
        reference(
            "condition of the kubelet",
            "alerts:;   GPUVeryHot: {nodeConditions: [Ready]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has Ready, which is a condition of Kubernetes; name one that a monitor writes."),
        reference(
            "condition of the operator",
            "alerts:;   GPUVeryHot: {nodeConditions: [CWActive]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has CWActive, which is a condition of the operator; name one that a monitor writes."),
        reference(
            "name of a condition of Kubernetes",
            "alerts:;   MemoryPressure: {" + NEW + "}",
            "alerts.yaml line 2: MemoryPressure is a condition of Nodes that belongs to Kubernetes, so it cannot be the name of an alert; choose another name."),
        reference(
            "name of a condition of the operator",
            "alerts:;   GPUVeryHot: {grade: none};   CWRegistered: {" + NEW + "}",
            "alerts.yaml line 3: CWRegistered is a condition of Nodes that belongs to the operator, so it cannot be the name of an alert; choose another name."),
        form(
            "condition under a domain",
            "alerts:;   GPUVeryHot: {nodeConditions: [example.com/Hot]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has \"example.com/Hot\", which is not of the form [A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?."),
        reference(
            "condition of another alert",
            "alerts:;   GPUVeryHot: {nodeConditions: [GpuXid79]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has GpuXid79, which means GPUFallenOffBus already; a condition means one alert."),
        reference(
            "condition that the operator writes for an alert",
            "alerts:;   GPUVeryHot: {nodeConditions: [NodeMemoryError]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has NodeMemoryError, which the operator writes while the alert of this name stands; name one that a monitor writes."),
        reference(
            "name that is a condition",
            "alerts:;   GpuXid79: {" + NEW + "}",
            "alerts.yaml line 2: GpuXid79 is a condition of Nodes that means GPUFallenOffBus, so it cannot be the name of another alert."),
        reference(
            "name twice",
            "alerts:;   GPUVeryHot: {grade: none};   GPUVeryHot: {grade: watch}",
            "alerts.yaml line 3: \"GPUVeryHot\" is there twice in alerts of the document."),
        reference(
            "field twice",
            "alerts:;   GPUVeryHot:;     grade: none;     grade: watch",
            "alerts.yaml line 4: \"grade\" is there twice in GPUVeryHot."),
        reference(
            "no YAML",
            "alerts:;   GPUVeryHot: {grade: none;   NodeMemoryError: {}",
            "alerts.yaml line 3 is no YAML: while parsing a flow mapping expected ',' or '}', but got :."),
        reference(
            "two documents",
            "alerts: {}; ---; alerts: {}",
            "alerts.yaml line 2 is no YAML: expected a single document in the stream but found another document."),
        reference(
            "anchor",
            "alerts:;   GPUVeryHot: &hot {grade: none};   NodeMemoryError: *hot",
            "alerts.yaml line 2: GPUVeryHot has an anchor; write it out."),
        reference(
            "tag",
            "alerts:;   GPUVeryHot: !java.net.URL {grade: none}",
            "alerts.yaml line 2: GPUVeryHot has a tag; write it without."),
        reference(
            "nested too deeply",
            "alerts: " + "[".repeat(60),
            "alerts.yaml is no YAML: Nesting Depth exceeded max 50."),
        reference(
            "too large",
            "#".repeat(256 * 1024) + "\nalerts: {}",
            "alerts.yaml has 262155 characters; at most 262144 are allowed."),
        reference(
            "too many alerts",
            "alerts:\n"
                + IntStream.range(0, 500)
                    .mapToObj(i -> "  N%d: {%s}".formatted(i, NEW))
                    .collect(Collectors.joining("\n")),
            "alerts.yaml line 2: there would be 555 alerts; at most 500 are allowed."));
  }
}
