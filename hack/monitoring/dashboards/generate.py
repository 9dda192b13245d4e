"""Generates the dashboards of deploy/monitoring/dashboards, into the folder that is given.

The queries are written once, here. Metrics of pools come from the replica that leads; max by (...) leaves one series of
each, whichever replica it came from.
"""

import pathlib
import sys

from grafana_foundation_sdk.builders import (
    bargauge,
    dashboard,
    heatmap,
    prometheus,
    stat,
    statetimeline,
    table,
    timeseries,
)
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import BigValueGraphMode
from grafana_foundation_sdk.models.dashboard import (
    DashboardLink,
    DashboardLinkType,
    DataSourceRef,
    DynamicConfigValue,
    Threshold,
    ThresholdsMode,
    ValueMap,
    ValueMappingResult,
    VariableRefresh,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
TAG = "nodepool"
COUNT = "short"
SECONDS = "s"


def query(expr, legend="", instant=False):
    target = prometheus.Dataquery().expr(expr).legend_format(legend or "__auto")
    return target.instant().format(PromQueryFormat.TABLE) if instant else target.range()


def quantiles(histogram, label, legend):
    """The median and the 90 % quantile of a histogram over the time that is shown, by a label."""
    return [
        query(
            f"histogram_quantile({part}, sum by ({label}, le) (increase({histogram}[$__range])))",
            f"{legend} {percent} %",
        )
        for part, percent in ((0.5, 50), (0.9, 90))
    ]


def panel(kind, title, description, targets, unit=COUNT, width=12, height=8):
    built = (
        kind.Panel()
        .title(title)
        .description(description)
        .datasource(SOURCE)
        .unit(unit)
        .span(width)
        .height(height)
    )
    for number, target in enumerate(targets):
        built = built.with_target(target.ref_id(chr(ord("A") + number)))
    return built


def thresholds(warn, bad=None):
    """Green below the first value, orange from it on, red from the second."""
    steps = [Threshold(color="green"), Threshold(color="orange", value=warn)]
    if bad is not None:
        steps.append(Threshold(color="red", value=bad))
    return dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)


def mapping(words):
    """What stands for a value: its text and its colour."""
    return [
        ValueMap(
            options={
                value: ValueMappingResult(text=text, color=color, index=index)
                for index, (value, (text, color)) in enumerate(words.items())
            }
        )
    ]


YES_NO = mapping({"0": ("no", "green"), "1": ("yes", "orange")})


def linked(built):
    """A table in which the name of a NodePool leads to its page."""
    link = DashboardLink(
        title="Page of this NodePool",
        url="/d/nodepool-pool?var-pool=${__data.fields.pool}&var-datasource=${datasource}&${__url_time_range}",
        type_val=DashboardLinkType.LINK,
    )
    return built.override_by_name("pool", [DynamicConfigValue(id_val="links", value=[link])])


def lines(title, description, *targets, **layout):
    return panel(timeseries, title, description, targets, **layout)


def number(title, description, target, **layout):
    layout = {"width": 4, "height": 4} | layout
    return panel(stat, title, description, [target], **layout).graph_mode(
        BigValueGraphMode.NONE
    )


def rows(title, description, target, **layout):
    return panel(table, title, description, [target], **layout)


def base(uid, title, description):
    return (
        dashboard.Dashboard(title)
        .uid(uid)
        .description(description)
        .tags([TAG])
        .refresh("30s")
        .time("now-6h", "now")
        .timezone("browser")
        .readonly()
        .with_variable(
            dashboard.DatasourceVariable("datasource")
            .label("Prometheus")
            .type("prometheus")
        )
        .link(
            dashboard.DashboardLink("Dashboards of node pools")
            .type(DashboardLinkType.DASHBOARDS)
            .tags([TAG])
            .as_dropdown(True)
            .keep_time(True)
        )
    )


def row(title):
    return dashboard.Row(title)


def fleet():
    return (
        base("nodepool-fleet", "Node pools: fleet", "All NodePools, and the machines of the fleet.")
        .with_row(row("NodePools"))
        .with_panel(
            number(
                "At their target",
                "NodePools whose condition AtTarget is True.",
                query('count(max by (pool) (nodepool_pool_condition{type="AtTarget",status="True"}) == 1) or vector(0)'),
            )
        )
        .with_panel(
            number(
                "Not at their target",
                "The table names them.",
                query('count(max by (pool) (nodepool_pool_condition{type="AtTarget",status!="True"}) == 1) or vector(0)'),
            ).thresholds(thresholds(1))
        )
        .with_panel(
            number(
                "Nodes",
                "Nodes of all NodePools.",
                query('sum(max by (pool) (nodepool_pool_nodes{state="current"}))'),
            )
        )
        .with_panel(
            number(
                "Queued",
                "Nodes that wait for a machine.",
                query('sum(max by (pool) (nodepool_pool_nodes{state="queued"}))'),
            ).thresholds(thresholds(1))
        )
        .with_panel(
            number(
                "Repairs that wait",
                "Nodes that a limit keeps from being repaired.",
                query("sum(max by (pool, reason) (nodepool_pool_repairs_waiting)) or vector(0)"),
            ).thresholds(thresholds(1, 10))
        )
        .with_panel(
            number(
                "Alerts about machines",
                "Machines and alerts that stand about them, but for those that only inform.",
                query('sum(max by (alert, grade) (nodepool_alerts_standing{grade!~"none|watch"})) or vector(0)'),
            ).thresholds(thresholds(1, 10))
        )
        .with_panel(
            number(
                "Not ready",
                "Nodes whose Ready condition is not True, of all NodePools.",
                query('sum(max by (pool) (nodepool_pool_nodes{state="not_ready"}))'),
            ).thresholds(thresholds(1, 10))
        )
        .with_panel(
            number(
                "With alerts",
                "Nodes that show an alert about their machine.",
                query('sum(max by (pool) (nodepool_pool_nodes{state="alerting"}))'),
            ).thresholds(thresholds(1, 10))
        )
        .with_panel(
            number(
                "Brakes",
                "How many brakes hold something in NodePools; the table names them.",
                query("sum(max by (pool, brake) (nodepool_pool_brake))"),
            ).thresholds(thresholds(1))
        )
        .with_panel(
            number(
                "Repairs in flight",
                "Of all NodePools together, in percent of the limit.",
                query("100 * max(nodepool_limit_use) / max(nodepool_limit)"),
                unit="percent",
            ).thresholds(thresholds(80, 100))
        )
        .with_panel(
            number(
                "Oldest alert",
                "Since when the oldest thing to act on stands.",
                query("max(nodepool_matters_oldest_age_seconds)"),
                unit=SECONDS,
            ).thresholds(thresholds(86400, 604800))
        )
        .with_panel(
            linked(
                rows(
                    "What matters most",
                    "The word of the column STATUS of each NodePool; a click on its name leads to its page.",
                    query("max by (pool, status) (nodepool_pool_status) == 1", instant=True),
                )
            )
        )
        .with_panel(
            linked(
                rows(
                    "Which brake holds",
                    "Of each NodePool; what each is: docs/reference/metrics.md, nodepool_pool_brake.",
                    query("max by (pool, brake) (nodepool_pool_brake) == 1", instant=True),
                )
            )
        )
        .with_panel(
            lines(
                "Nodes that are not in order",
                "Of all NodePools; a Node may be in several states.",
                query(
                    'sum by (state) (max by (pool, state) (nodepool_pool_nodes{state=~"not_ready|not_in_service|alerting|in_disruption"}))',
                    "{{state}}",
                ),
            )
        )
        .with_panel(
            lines(
                "Nodes of all NodePools",
                "How many there are, are in progress, and wait for a machine.",
                query(
                    'sum by (state) (max by (pool, state) (nodepool_pool_nodes{state=~"current|ready|in_progress|queued"}))',
                    "{{state}}",
                ),
                query("sum(max by (pool) (nodepool_pool_target))", "target"),
            )
        )
        .with_panel(
            linked(
                rows(
                    "NodePools that are not at their target",
                    "With the conditions that say why.",
                    query(
                        'max by (pool, type, reason) (nodepool_pool_condition{type!="NodeReconfigurationRequired",status="False"}) == 1',
                        instant=True,
                    ),
                )
            )
        )
        .with_row(row("Capacity"))
        .with_panel(
            panel(
                bargauge,
                "Free machines",
                "By instance type.",
                [query('max by (instance_type) (nodepool_hosts{state="free"})', "{{instance_type}}")],
            )
        )
        .with_panel(
            lines(
                "Left of the quota",
                "What NodePools may still ask for, by instance type.",
                query(
                    "max by (instance_type) (nodepool_quota_nodes) - on (instance_type) (sum by (instance_type) (max by (pool) (nodepool_pool_target)"
                    " * on (pool) group_left (instance_type) max by (pool, instance_type) (nodepool_pool_info)))",
                    "{{instance_type}}",
                ),
            )
        )
        .with_panel(
            lines(
                "Machines that are not assigned, and cannot be",
                "Set aside, waiting after a failed delivery, or with a name that another object has.",
                query('sum by (state) (max by (instance_type, state) (nodepool_hosts{state!="free"}))', "{{state}}"),
            )
        )
        .with_panel(
            lines(
                "Spot Nodes",
                "Nodes of spot NodePools, which others may take machines from.",
                query(
                    'sum by (pool) (max by (pool) (nodepool_pool_nodes{state="current"}) * on (pool) max by (pool) (nodepool_pool_info{compute_class="spot"}))',
                    "{{pool}}",
                ),
            )
        )
        .with_row(row("What is happening"))
        .with_panel(
            lines(
                "Nodes to which something is happening",
                "By its cause and how far it is.",
                query(
                    "sum by (cause, stage) (max by (pool, cause, stage) (nodepool_pool_nodes_in_work))",
                    "{{cause}} {{stage}}",
                ),
            )
        )
        .with_panel(
            linked(
                rows(
                    "What has taken longest",
                    "The oldest Node in each stage: kubectl nodepool describe POOL names it.",
                    query("topk(20, max by (pool, cause, stage) (nodepool_pool_nodes_in_work_oldest_age_seconds))", instant=True),
                    unit=SECONDS,
                ).thresholds(thresholds(3600, 7200))
            )
        )
        .with_panel(
            lines(
                "Disruptions that ended",
                "By cause and outcome, within the window of each point.",
                query(
                    "sum by (cause, outcome) (increase(nodepool_disruptions_total[$__rate_interval])) > 0",
                    "{{cause}} {{outcome}}",
                ),
            )
        )
        .with_panel(
            lines(
                "How long disruptions take",
                "From the first write to the last: median and 90 %, by cause.",
                *quantiles("nodepool_disruption_duration_seconds_bucket", "cause", "{{cause}}"),
                unit=SECONDS,
            )
        )
        .with_panel(
            lines(
                "Pods cut off",
                "Pods that were still on a Node when its machine ended, by the cause for which it left.",
                query("sum by (cause) (increase(nodepool_disruption_pods_cut_off_total[$__rate_interval]))", "{{cause}}"),
            )
        )
        .with_row(row("Health of machines"))
        .with_panel(
            lines(
                "Alerts that stand",
                "Machines on which each alert stands.",
                query("max by (alert, grade) (nodepool_alerts_standing)", "{{alert}} ({{grade}})"),
            )
        )
        .with_panel(
            panel(
                heatmap,
                "Racks",
                "Things to act on in each rack; the 50 racks with the most.",
                [query("max by (rack) (nodepool_rack_matters)", "{{rack}}")],
            )
        )
        .with_panel(
            lines(
                "Signals from which nothing follows",
                "Unreadable or about an unknown Host, older than a boot, or lost by a full HostSignals object to others.",
                query("max by (reason) (nodepool_signals_unusable)", "unusable: {{reason}}"),
                query("sum by (reason) (increase(nodepool_signals_dropped_total[$__rate_interval]))", "dropped: {{reason}}"),
                query("sum by (reason) (increase(nodepool_receiver_displaced_total[$__rate_interval])) or vector(0)", "displaced: {{reason}}"),
            )
        )
    )


def pool():
    one = '{pool="$pool"}'
    return (
        base("nodepool-pool", "Node pools: one NodePool", "One NodePool: its size, what happens to its Nodes, and why.")
        .with_variable(
            dashboard.QueryVariable("pool")
            .label("NodePool")
            .datasource(SOURCE)
            .query("label_values(nodepool_pool_target, pool)")
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        )
        .with_row(row("One look"))
        .with_panel(
            panel(
                statetimeline,
                "What matters most",
                "The word of the column STATUS.",
                [query(f"max by (status) (nodepool_pool_status{one})", "{{status}}")],
                width=8,
            ).mappings(mapping({"1": ("is so", "blue")}))
        )
        .with_panel(
            panel(
                statetimeline,
                "Which brake holds",
                "What each is: docs/reference/metrics.md, nodepool_pool_brake.",
                [query(f"max by (brake) (nodepool_pool_brake{one})", "{{brake}}")],
                width=8,
            ).mappings(YES_NO)
        )
        .with_panel(
            lines(
                "Nodes that are not in order",
                "A Node may be in several states.",
                query(
                    'max by (state) (nodepool_pool_nodes{pool="$pool",state=~"not_ready|not_in_service|alerting|in_disruption"})',
                    "{{state}}",
                ),
                width=8,
            )
        )
        .with_row(row("Size"))
        .with_panel(
            lines(
                "Nodes",
                "Target, and the Nodes that are there, in progress and queued.",
                query(f"max(nodepool_pool_target{one})", "target"),
                query('max by (state) (nodepool_pool_nodes{pool="$pool",state=~"current|ready|in_progress|queued"})', "{{state}}"),
                width=16,
            )
        )
        .with_panel(
            rows(
                "Conditions",
                "As they are now.",
                query(f"max by (type, status, reason) (nodepool_pool_condition{one}) == 1", instant=True),
                width=8,
            )
        )
        .with_panel(
            panel(
                statetimeline,
                "Why it is not at its target",
                "Each condition that was False, with its reason.",
                [
                    query(
                        'max by (type, reason) (nodepool_pool_condition{pool="$pool",type!="NodeReconfigurationRequired",status="False"})',
                        "{{type}} {{reason}}",
                    )
                ],
            )
        )
        .with_panel(
            lines(
                "How long Nodes take to come",
                "Until they are registered, from the request, the assignment of a machine, and its boot: median and 90 %.",
                *quantiles('nodepool_delivery_duration_seconds_bucket{pool="$pool"}', "from", "from {{from}}"),
                unit=SECONDS,
            )
        )
        .with_panel(
            number(
                "Place in the queue",
                "Among the NodePools that wait for machines of its type, from 1; 0 if it does not wait.",
                query(f"max(nodepool_pool_queue_position{one}) or vector(0)"),
            ).thresholds(thresholds(1))
        )
        .with_panel(
            number(
                "Waits for machines",
                "Since its request to grow.",
                query(f"max(nodepool_pool_queue_age_seconds{one}) or vector(0)"),
                unit=SECONDS,
            ).thresholds(thresholds(3600, 86400))
        )
        .with_row(row("Nodes to which something is happening"))
        .with_panel(
            lines(
                "How many",
                "By cause and stage.",
                query(f"max by (cause, stage) (nodepool_pool_nodes_in_work{one})", "{{cause}} {{stage}}"),
            )
        )
        .with_panel(
            lines(
                "For how long",
                "The oldest in each stage.",
                query(f"max by (cause, stage) (nodepool_pool_nodes_in_work_oldest_age_seconds{one})", "{{cause}} {{stage}}"),
                unit=SECONDS,
            )
        )
        .with_panel(
            lines(
                "Drains that budgets block",
                "By the kind of the owners of the Pods; CWNodeRemoval of the Node names them.",
                query(f"max by (kind) (nodepool_pool_drains_blocked{one}) or vector(0)", "{{kind}}"),
            )
        )
        .with_panel(
            lines(
                "Limits and their use",
                "In Nodes, or racks. At its limit a rollout begins no Node, and no Node is cordoned for a repair.",
                query(f"max by (limit) (nodepool_pool_limit{one})", "{{limit}}: limit"),
                query(f"max by (limit) (nodepool_pool_limit_use{one})", "{{limit}}: use"),
            )
        )
        .with_row(row("Configuration and rollout"))
        .with_panel(
            panel(
                statetimeline,
                "Rollout",
                "Its phase.",
                [query(f"max by (phase) (nodepool_pool_rollout{one})", "{{phase}}")],
            ).mappings(YES_NO)
        )
        .with_panel(
            lines(
                "Nodes of the rollout",
                "Up to date, under way, and those that it could begin but for what keeps it from them.",
                query(f"max by (state) (nodepool_pool_rollout_nodes{one}) or vector(0)", "{{state}}"),
            )
        )
        .with_panel(
            number(
                "In its phase",
                "For how long the rollout has been in its phase; 0 without one.",
                query(f"max(nodepool_pool_rollout_age_seconds{one}) or vector(0)"),
                unit=SECONDS,
            )
        )
        .with_panel(
            number(
                "Kubelets behind",
                "Minor versions that the oldest kubelet is behind the API server.",
                query(f"max(nodepool_pool_kubelet_skew{one})"),
            ).thresholds(thresholds(2, 3))
        )
        .with_panel(
            lines(
                "Not up to date",
                "Nodes that are not booted into the active configuration.",
                query('max(nodepool_pool_nodes{pool="$pool",state="outdated"})', "outdated"),
            )
        )
        .with_row(row("Repairs"))
        .with_panel(
            lines(
                "What waits",
                "Nodes that a limit keeps from being repaired, Nodes that may not leave yet after failed reboots, and suspected alerts.",
                query(f"max by (reason) (nodepool_pool_repairs_waiting{one}) or vector(0)", "repairs: {{reason}}"),
                query(f"max(nodepool_pool_failed_reboots{one})", "failed reboots"),
                query(f"max(nodepool_pool_alerts_suspected{one})", "suspected alerts"),
            )
        )
        .with_panel(
            lines(
                "How long repairs take",
                "Of machines that were booted for one: in all, and from the first boot on; median and 90 %.",
                query(
                    'histogram_quantile(0.5, sum by (of, le) (increase(nodepool_repair_duration_seconds_bucket{pool="$pool"}[$__range]))) or vector(0)',
                    "{{of}} 50 %",
                ),
                query(
                    'histogram_quantile(0.9, sum by (of, le) (increase(nodepool_repair_duration_seconds_bucket{pool="$pool"}[$__range]))) or vector(0)',
                    "{{of}} 90 %",
                ),
                unit=SECONDS,
            )
        )
        .with_panel(
            lines(
                "How long a repair lasts",
                "Until the same machine had to be booted for a repair again: the median.",
                query(
                    'histogram_quantile(0.5, sum by (le) (increase(nodepool_repair_interval_seconds_bucket{pool="$pool"}[$__range]))) or vector(0)',
                    "50 %",
                ),
                unit=SECONDS,
            )
        )
        .with_row(row("Spot"))
        .with_panel(
            number(
                "Node hours",
                "Of a spot NodePool, in the time that is shown.",
                query('sum(increase(nodepool_pool_spot_node_seconds_total{pool="$pool"}[$__range])) / 3600'),
            )
        )
        .with_panel(
            number(
                "Preemptions",
                "Of a spot NodePool, in the time that is shown.",
                query('sum(increase(nodepool_pool_preemptions_total{pool="$pool"}[$__range]))'),
            )
        )
        .with_panel(
            number(
                "Pods cut off",
                "Pods that were still on preempted Nodes when their machines were taken.",
                query('sum(increase(nodepool_pool_preemption_pods_cut_off_total{pool="$pool"}[$__range]))'),
            )
        )
    )


def operator():
    return (
        base("nodepool-operator", "Node pools: operator", "The operator itself: leadership, decisions and requests.")
        .with_row(row("Leadership"))
        .with_panel(
            lines(
                "Leads, and plans",
                "1 on the replica that leads, and once it has listed everything.",
                query("nodepool_leader", "leads {{instance}}"),
                query("nodepool_planning", "plans {{instance}}"),
            ).mappings(YES_NO)
        )
        .with_panel(
            rows("Version", "Of each replica.", query("max by (instance, version) (nodepool_build)", instant=True))
        )
        .with_row(row("Decisions"))
        .with_panel(
            lines(
                "How late decisions are",
                "The longest that an observation or answer waited in the last minutes.",
                query("max(nodepool_decision_lag_seconds_max)", "longest"),
                unit=SECONDS,
            ).thresholds(thresholds(1, 5))
        )
        .with_panel(lines("Waiting", "Observations and answers that wait.", query("max(nodepool_decisions_waiting)", "waiting")))
        .with_panel(
            lines(
                "Runs of the loops",
                "A second.",
                query("sum by (loop) (rate(nodepool_loop_seconds_count[$__rate_interval]))", "{{loop}}"),
                unit="ops",
            )
        )
        .with_panel(
            lines(
                "Time of a run",
                "The mean.",
                query(
                    "sum by (loop) (rate(nodepool_loop_seconds_sum[$__rate_interval])) / sum by (loop) (rate(nodepool_loop_seconds_count[$__rate_interval]))",
                    "{{loop}}",
                ),
                unit=SECONDS,
            )
        )
        .with_row(row("Requests"))
        .with_panel(
            lines(
                "Requests to the API server",
                "A second, by verb and resource.",
                query(
                    "sum by (verb, resource) (rate(nodepool_api_requests_total[$__rate_interval]))",
                    "{{verb}} {{resource}}",
                ),
                unit="ops",
            )
        )
        .with_panel(
            lines(
                "Writes that wait",
                "By why.",
                query("max by (state) (nodepool_writes)", "{{state}}"),
            )
        )
        .with_panel(
            lines(
                "Requests that wait",
                "To be sent, or to be answered.",
                query("max(nodepool_requests_pending)", "requests"),
            )
        )
        .with_panel(
            lines(
                "Notifications of Alertmanager",
                "Answers a second, by code.",
                query("sum by (code) (rate(nodepool_receiver_answers_seconds_count[$__rate_interval])) or vector(0)", "{{code}}"),
                unit="ops",
            )
        )
        .with_panel(
            lines(
                "Oldest notification without an answer",
                "Of all replicas.",
                query("max(nodepool_receiver_oldest_pending_seconds) or vector(0)", "oldest"),
                unit=SECONDS,
            )
        )
        .with_panel(lines("Events lost", "Since the start.", query("max(nodepool_events_lost_total)", "lost")))
        .with_panel(
            lines(
                "Memory",
                "Heap in use.",
                query('sum by (instance) (jvm_memory_used_bytes{area="heap"})', "{{instance}}"),
                query('sum by (instance) (jvm_memory_peak_bytes{area="heap"})', "{{instance}} peak"),
                unit="bytes",
            )
        )
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, built in {"fleet": fleet(), "pool": pool(), "operator": operator()}.items():
        text = JSONEncoder(sort_keys=True, indent=2).encode(built.build())
        (folder / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
