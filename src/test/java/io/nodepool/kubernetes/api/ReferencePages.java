package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.code;
import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.NotActedOn;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.RegistrationReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import io.nodepool.vocabulary.metadata.KeyWriter;
import io.nodepool.vocabulary.metadata.LabelDomains;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeInterfaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import io.nodepool.vocabulary.metadata.PodLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The reference pages, generated from the vocabulary, the instance catalogue and the CRDs, so that
 * they always agree with the code.
 */
final class ReferencePages {
  private ReferencePages() {}

  /** The text of every page, and of what pages link to, by its file. */
  static Map<Path, String> texts() {
    Map<Path, String> texts = new TreeMap<>(NodesPage.nodes());
    pages().forEach((name, text) -> texts.put(Path.of("docs", "reference", name), text));
    return texts;
  }

  private static Map<String, String> pages() {
    return Map.ofEntries(
        Map.entry("alerts.md", AlertsPage.text()),
        Map.entry("conditions.md", conditions()),
        Map.entry("configurations.md", ConfigurationsPage.text()),
        Map.entry("disruptions.md", DisruptionsPage.text()),
        Map.entry("events.md", events()),
        Map.entry("labels-annotations-taints.md", keys()),
        Map.entry("instance-types.md", instanceTypes()),
        Map.entry("fields.md", FieldsPage.text()),
        Map.entry("metrics.md", metrics()),
        Map.entry("names.md", NamesPage.text()),
        Map.entry("nodes.md", NodesPage.text()),
        Map.entry("rules.md", RulesPage.text()));
  }

  private static String conditions() {
    Markdown page =
        new Markdown("Conditions")
            .paragraph(
                "A condition of a NodePool carries one of the reasons below, and the reason determines the status. All conditions are good when"
                    + " `True`, except `NodeReconfigurationRequired`, which is good when `False`. The table of `kubectl get nodepools` shows"
                    + " the reasons. Reasons with `no` under \"acted on yet\" are defined but not used yet.");
    for (PoolCondition condition : PoolCondition.values()) {
      page.heading(code(condition.type()))
          .paragraph(
              condition.meaning()
                  + (condition.isCurrent()
                      ? ""
                      : " Of the oldest reference: only with `--reference-generation oldest`."))
          .table(
              row("Reason", "Status", "Acted on yet", "Meaning", "Message"),
              condition.reasons().stream()
                  .map(reason ->
                      row(
                          code(reason.word()),
                          code(reason.status().word()),
                          actedOn((Enum<?>) reason),
                          reason.meaning(),
                          reason.message().map(Markdown::code).orElse("")))
                  .toList());
    }
    return page.heading("What matters most")
        .paragraph(
            "The column `STATUS` of `kubectl get nodepools`, `status.summary` with its sentence, the live view, `kubectl nodepool get` and the"
                + " metric `nodepool_pool_status` have one of these words: the first that holds. It is specific to this operator.")
        .table(
            row("Word", "Meaning"),
            Arrays.stream(SummaryReason.values())
                .map(r -> row(code(r.word()), r.meaning()))
                .toList())
        .heading("Conditions of Nodes")
        .paragraph(
            "These are the conditions that have a meaning for the operator, or that it sets. Conditions of other clients on a Node or a NodePool are kept.")
        .table(
            row("Type", "Written by", "Meaning"),
            Arrays.stream(NodeCondition.values())
                .map(c -> row(code(c.type()), KeyWriter.text(c.writers()), meaning(c, c.meaning())))
                .toList())
        .heading("Reasons of CWRegistered")
        .paragraph(
            "All but `Registered` stand beside the status `False`, and are specific to this operator.")
        .table(
            row("Reason", "Meaning"),
            Arrays.stream(RegistrationReason.values())
                .map(r -> row(code(r.word()), r.meaning()))
                .toList())
        .heading("Reasons of CWNodeRemoval")
        .paragraph(
            "The reasons of `CWNodeRemoval` while it is `True`. They are specific to this operator.")
        .table(
            row("Reason", "Meaning"),
            Arrays.stream(NodeRemovalReason.values())
                .map(r -> row(code(r.word()), r.meaning()))
                .toList())
        .heading("Why a Node is disrupted")
        .paragraph(
            "The causes in the annotations `nodepool.io/removal` and `node.coreweave.cloud/cordonReason` of a Node; several may stand there at"
                + " once. They are specific to this operator.")
        .table(
            row("Cause", "Meaning"),
            KnownCause.Catalogue.ALL.stream().map(c -> row(code(c.word()), c.meaning())).toList())
        .heading("Why a Node is chosen")
        .paragraph(
            "Which Nodes are removed when a pool has too many: earlier ranks first. The rank is in the annotation `nodepool.io/removal` of"
                + " the Node and in its Events. The ranks are specific to this operator.")
        .table(
            row("Rank", "Meaning"),
            Arrays.stream(CandidateRank.values())
                .map(c -> row(code(c.word()), c.meaning()))
                .toList())
        .text();
  }

  private static String events() {
    return new Markdown("Events")
        .paragraph(
            "Events about a NodePool are in the namespace `default`, since NodePools have none; one Event counts and names the first few Nodes."
                + " Events about a Node are emitted once per occurrence.")
        .paragraph(
            "The three reasons of spot preemption contain blanks: compare the whole reason. Events with `no` under \"acted on yet\" are"
                + " not emitted yet.")
        .table(
            row("Reason", "Type", "About", "Acted on yet", "When"),
            Arrays.stream(EventReason.values())
                .filter(e -> !isOldest(e))
                .map(e -> row(code(e.word()), e.type().word(), targets(e), actedOn(e), e.meaning()))
                .toList())
        .heading("Of the oldest reference")
        .paragraph(
            "Emitted with `--reference-generation oldest` only, with the occasion, the count and the text of the newer Event; `NPOCWOverQuota` has the"
                + " first sentence of its text, which is the reference's.")
        .table(
            row("Reason", "Type", "About", "When"),
            Arrays.stream(EventReason.values())
                .filter(ReferencePages::isOldest)
                .map(e ->
                    row(
                        code(e.word()),
                        e.type().word(),
                        targets(e),
                        e.beside()
                            .map(newer -> "With %s.".formatted(code(newer.word())))
                            .orElse(e.meaning())))
                .toList())
        .text();
  }

  private static boolean isOldest(EventReason event) {
    return event.beside().isPresent() || event == EventReason.OLDEST_NODE_ACTIVE;
  }

  private static String targets(EventReason event) {
    return Arrays.stream(EventTarget.values())
        .filter(event.on()::contains)
        .map(EventTarget::kind)
        .collect(Collectors.joining(", "));
  }

  private static final List<String> KEYS = row("Key", "Sample", "Written by", "Meaning");

  private static String keys() {
    return new Markdown("Labels, annotations and taints")
        .heading("Reserved domains")
        .paragraph(
            "Keys under "
                + LabelDomains.RESERVED_DOMAINS.stream()
                    .map(Markdown::code)
                    .collect(Collectors.joining(" and "))
                + " belong to the provider. In `spec.nodeLabels` and `spec.nodeAnnotations` of a NodePool they are refused, with the"
                + " exception of "
                + LabelDomains.ALLOWED_IN_SPEC.stream()
                    .sorted()
                    .map(Markdown::code)
                    .collect(Collectors.joining(", "))
                + " and the keys that `--allow-reserved-key` names:")
        .paragraph("> " + LabelDomains.REFUSAL)
        .paragraph(
            "Taints in `spec.nodeTaints` are refused under these domains, under "
                + LabelDomains.KUBERNETES_DOMAINS.stream()
                    .map(Markdown::code)
                    .collect(Collectors.joining(", "))
                + " and `nodepool.io`, and with the keys "
                + LabelDomains.AUTOSCALER_TAINTS.stream()
                    .sorted()
                    .map(Markdown::code)
                    .collect(Collectors.joining(" and "))
                + ", without exception: their owners set and remove them. The same holds for the annotations "
                + LabelDomains.KUBERNETES_ANNOTATIONS.stream()
                    .sorted()
                    .map(Markdown::code)
                    .collect(Collectors.joining(", "))
                + ", which Kubernetes keeps on Nodes or reads itself.")
        .paragraph(
            "On Nodes users can neither add nor change them, with the exception of "
                + LabelDomains.ALLOWED_ON_NODES.stream()
                    .sorted()
                    .map(Markdown::code)
                    .collect(Collectors.joining(", "))
                + " and everything under "
                + Markdown.code(LabelDomains.ALLOWED_DOMAIN_ON_NODES)
                + ". Only the operator and the fleet can write annotations of Nodes under `nodepool.io` and `fleet.nodepool.io`. Both rules need the admission policies.")
        .heading("Labels of Nodes")
        .table(KEYS, rows(NodeLabels.values()))
        .heading("Labels of Nodes for each network interface")
        .paragraph("`{interface}` is the name of the interface, such as `ibp0`.")
        .table(
            row("Key", "Sample", "Meaning"),
            Arrays.stream(NodeInterfaceLabels.values())
                .map(l -> row(code(l.pattern()), code(l.sample()), l.meaning()))
                .toList())
        .heading("Annotations of Nodes")
        .table(KEYS, rows(NodeAnnotations.values()))
        .heading("Taints of Nodes")
        .table(
            row("Key", "Value", "Effect", "Meaning"),
            Arrays.stream(NodeTaints.values())
                .map(t ->
                    row(
                        code(t.key()),
                        t.value().map(Markdown::code).orElse(""),
                        code(t.effect().word()),
                        t.meaning()))
                .toList())
        .heading("Annotations of NodePools")
        .table(KEYS, rows(PoolAnnotations.values()))
        .heading("Annotations of Hosts")
        .table(KEYS, rows(HostAnnotations.values()))
        .heading("Labels of Pods")
        .table(KEYS, rows(PodLabels.values()))
        .heading("Annotations of Pods")
        .table(KEYS, rows(PodAnnotations.values()))
        .heading("Labels of Namespaces")
        .table(KEYS, rows(NamespaceLabels.values()))
        .text();
  }

  private static List<List<String>> rows(MetadataKey[] keys) {
    return Arrays.stream(keys)
        .map(k ->
            row(
                code(k.key()),
                code(k.sample()),
                KeyWriter.text(k.writers()),
                meaning((Enum<?>) k, k.meaning())))
        .toList();
  }

  /** Whether a word is acted on, according to its marker. */
  private static String actedOn(Enum<?> word) {
    return isActedOn(word) ? "yes" : "no";
  }

  static boolean isActedOn(Enum<?> word) {
    try {
      return !word.getDeclaringClass().getField(word.name()).isAnnotationPresent(NotActedOn.class);
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String meaning(Enum<?> word, String meaning) {
    return isActedOn(word) ? meaning : meaning + CrdSchema.NOT_ACTED_ON;
  }

  private static String metrics() {
    return new Markdown("Metrics")
        .paragraph(
            "Served on `/metrics` in Prometheus' text format. Metrics of pools, loops, decisions and writes come from the process that"
                + " leads; if several processes are scraped, use the maximum. Metrics of a NodePool exist from its first observation until it is"
                + " deleted.")
        .table(
            row("Metric", "Type", "Labels", "Meaning"),
            Arrays.stream(Metric.values())
                .map(m ->
                    row(
                        m.names().stream().map(Markdown::code).collect(Collectors.joining(" ")),
                        m.kind().name().toLowerCase(Locale.ROOT),
                        m.labels().stream().map(Markdown::code).collect(Collectors.joining(" ")),
                        m.meaning()))
                .toList())
        .paragraph(
            "A timer has three values: the count, the total in seconds, and the maximum of the last minutes. Metrics whose names begin"
                + " with `jvm_`, `process_` and `system_` describe the Java runtime: memory, garbage collection, threads, processor.")
        .text();
  }

  private static String instanceTypes() {
    return new Markdown("Instance types")
        .paragraph(
            "Memory and storage are what a Node of the type reports. A type with a rack size is assigned in whole racks only: its pools are"
                + " sized in multiples of it. Superchips are not offered as spot. A type without zones is not published for any zone.")
        .table(
            row(
                "Name",
                "GPUs",
                "vCPUs",
                "Memory",
                "Storage",
                "Architecture",
                "Processors",
                "Pods",
                "Rack",
                "Superchip",
                "Network",
                "`rdma/ib`",
                "Zones"),
            InstanceCatalogue.bundled().all().stream().map(ReferencePages::typeRow).toList())
        .text();
  }

  private static List<String> typeRow(InstanceType type) {
    return row(
        code(type.name()),
        type.gpus()
            .model()
            .map(m -> type.gpus().count() + " × " + m + " (" + type.gpus().memoryGb() + " GB)")
            .orElse("none"),
        String.valueOf(type.resources().processor().vcpus()),
        type.resources().memoryKi()
            + "Ki ("
            + Math.round(type.resources().memoryKi() / 1024.0 / 1024.0)
            + " GiB)",
        type.resources().ephemeralStorageKi()
            + "Ki ("
            + String.format(
                Locale.ROOT, "%.2f", type.resources().ephemeralStorageKi() * 1024 / 1e12)
            + " TB)",
        type.resources().processor().architecture(),
        type.resources().processor().family(),
        String.valueOf(type.resources().maxPods()),
        type.isRack() ? String.valueOf(type.rackSize()) : "",
        type.superchip() ? "yes" : "",
        type.network().word(),
        type.resources().rdmaIb() > 0 ? String.valueOf(type.resources().rdmaIb()) : "",
        String.join(" ", type.zones()));
  }
}
