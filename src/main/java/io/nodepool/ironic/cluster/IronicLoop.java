package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.control.write.BackOff;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.ironic.EngineRequest;
import io.nodepool.ironic.EngineStep;
import io.nodepool.ironic.IronicMachine;
import io.nodepool.ironic.IronicNode;
import io.nodepool.ironic.MachineKubelet;
import io.nodepool.ironic.ProvisionState;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.thread.Timers;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The loop of the fleet: for one machine at a time it does what the pure core returns, at most one
 * request. After a request nothing is decided about the machine until its node was read again. All
 * state is on the objects. Confined to one thread.
 */
final class IronicLoop {
  private static final Logger log = LoggerFactory.getLogger(IronicLoop.class);

  /** How often the nodes are listed while no work is in progress. */
  static final Duration REST = Duration.ofSeconds(10);

  /** How often the nodes are listed while work is in progress. */
  static final Duration BUSY = Duration.ofSeconds(5);

  /** The wait after a lost answer: Ironic may have taken the request and be slow. */
  private static final Duration DOUBT = Duration.ofSeconds(40);

  /** The number of lists in a row that must lack a node before it counts as gone. */
  private static final int GONE = 2;

  private static final BackOff WAITS = new BackOff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /** A name that an object of Kubernetes can have. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?");

  /** Sends requests; each is answered on the loop's thread. */
  interface Sender {
    /** Sends a request about the machine of this name. */
    <T> void send(String name, Supplier<Answer<T>> request, Consumer<Answer<T>> answer);
  }

  private final IronicClient ironic;
  private final IronicRequests requests;
  private final JoinDrive delivered;
  private final FleetOffer offer;
  private final HostNode nodes;
  private final Sender sender;
  private final Timers<String> timers;
  private final InstantSource clock;
  private final Map<String, Tended> machines = new TreeMap<>();

  /** Why nodes have no Host, by their UUID, as logged last. */
  private final Map<String, String> hostless = new TreeMap<>();

  private boolean listed;
  private volatile boolean reachable = true;

  /** A loop without observations. */
  IronicLoop(
      IronicClient ironic,
      IronicRequests requests,
      JoinDrive delivered,
      HostNode nodes,
      Sender sender,
      Timers<String> timers,
      InstantSource clock) {
    this.ironic = ironic;
    this.requests = requests;
    this.delivered = delivered;
    this.offer = nodes.offer();
    this.nodes = nodes;
    this.sender = sender;
    this.timers = timers;
    this.clock = clock;
  }

  /** Called when every kind was listed once; nothing is done before. */
  void listed() {
    listed = true;
    machines.values().forEach(this::reconcile);
  }

  /** Whether Ironic answered the last list. */
  boolean isReachable() {
    return reachable;
  }

  /** The wait before the nodes are listed again. */
  Duration nextList() {
    return machines.values().stream().anyMatch(IronicLoop::isUnderWay) ? BUSY : REST;
  }

  private static boolean isUnderWay(Tended machine) {
    Host host = machine.host;
    IronicNode node = machine.node;
    if (host == null || node == null || node.isWithItsOwner() || node.hasLostBmc()) {
      return false;
    }
    return node.isBusy()
        || node.state().actsNext() == ProvisionState.ActsNext.ENGINE
        || host.report().phase() == HostPhase.BOOTING
        || host.report().phase() == HostPhase.CLEANING
        || host.report().boot().cycle().isPresent()
        || (host.power() == Host.Power.OFF
            && !host.is(HostPhase.STOPPED)
            && !host.is(HostPhase.FAILED));
  }

  /** Observes all nodes, or why they cannot be listed. */
  void nodesSeen(Answer<List<IronicNode>> answer, Instant asked) {
    if (answer instanceof Answer.Done<List<IronicNode>>(List<IronicNode> seen)) {
      if (!reachable) {
        log.info("Ironic answers again.");
      }
      reachable = true;
      seen.forEach(this::nodeSeen);
      Set<String> names = seen.stream().map(IronicNode::name).collect(Collectors.toSet());
      machines.values().stream()
          .filter(each -> !names.contains(each.name))
          .forEach(each -> each.lacked(asked));
      hostless.keySet().retainAll(seen.stream().map(IronicNode::uuid).toList());
      machines.values().forEach(this::reconcile);
    } else if (reachable && answer instanceof Answer.Failed<List<IronicNode>> failed) {
      reachable = false;
      log.warn("The nodes cannot be listed; nothing is begun until they can: {}", failed.why());
    }
  }

  private void nodeSeen(IronicNode node) {
    Tended known = machines.get(node.name());
    Optional<String> unfit = unfit(node);
    if (known != null || unfit.isEmpty()) {
      machine(node.name()).read(node);
    }
    String why = known != null && known.host != null ? "" : unfit.orElseGet(() -> waiting(node));
    if (!why.equals(hostless.getOrDefault(node.uuid(), ""))) {
      hostless.put(node.uuid(), why);
      if (!why.isEmpty()) {
        log.info("Node {} ({}) is no Host: {}", node.uuid(), node.name(), why);
      }
    }
  }

  /** Why a node is not a machine of the fleet, for its owner; empty if it is. */
  private Optional<String> unfit(IronicNode node) {
    if (!NAME.matcher(node.name()).matches()) {
      return Optional.of("a Node cannot have its name");
    }
    return node.kind().instanceType(offer).isPresent()
        ? Optional.empty()
        : Optional.of(
            "neither its resource class %s nor one of its traits alone is an instance type of the offer"
                .formatted(UserText.quoted(node.kind().resourceClass())));
  }

  /** Why a machine of the fleet gets no Host now; empty text if it does. */
  private static String waiting(IronicNode node) {
    return node.state() == ProvisionState.AVAILABLE
        ? ""
        : "it is %s, not available".formatted(node.state().word());
  }

  private Tended machine(String name) {
    return machines.computeIfAbsent(name, Tended::new);
  }

  /** Observes a Host of this fleet. */
  void hostSeen(HostResource object) {
    boolean unreported = object.getStatus() == null || object.getStatus().phase == null;
    if (unreported) {
      HostStatus first = new HostStatus();
      first.phase = HostStatus.Phase.CLEANING;
      object.setStatus(first);
    }
    try {
      HostConversion.host(object).ifPresent(host -> hostSeen(host, unreported));
    } catch (UnreadableObjectException e) {
      log.warn("Host {} cannot be read: {}", object.getMetadata().getName(), e.getMessage());
    }
  }

  private void hostSeen(Host host, boolean unreported) {
    Tended machine = machine(host.id().name());
    Host last = machine.host;
    if (last != null && last.id().equals(host.id()) && last.version() > host.version()) {
      return;
    }
    machine.host = host;
    machine.unreported = unreported;
    reconcile(machine);
  }

  /** Observes the deletion of a Host. */
  void hostGone(HasMetadata object) {
    Tended machine = machine(object.getMetadata().getName());
    if (machine.host != null && machine.host.id().uid().equals(object.getMetadata().getUid())) {
      machine.host = null;
      reconcile(machine);
    }
  }

  /** Observes a Node. */
  void kubeletSeen(Node object) {
    Tended machine = machines.get(object.getMetadata().getName());
    if (machine != null || !listed) {
      Map<String, String> annotations = ObjectFacts.orNone(object.getMetadata().getAnnotations());
      Tended of = machine(object.getMetadata().getName());
      boolean told = object.getStatus() != null && object.getStatus().getNodeInfo() != null;
      of.kubelet =
          new MachineKubelet(
              ObjectFacts.uid(object),
              object.getMetadata().getResourceVersion(),
              annotations.getOrDefault(NodeAnnotations.HOST_UID.key(), ""),
              annotations.getOrDefault(NodeAnnotations.TENANCY.key(), ""),
              told ? ObjectFacts.orEmpty(object.getStatus().getNodeInfo().getBootID()) : "",
              told ? ObjectFacts.orEmpty(object.getStatus().getNodeInfo().getSystemUUID()) : "",
              object.getMetadata().getDeletionTimestamp() != null);
      reconcile(of);
    }
  }

  /** Observes the deletion of a Node. */
  void kubeletGone(HasMetadata object) {
    Tended machine = machines.get(object.getMetadata().getName());
    if (machine != null) {
      machine.kubelet = null;
      reconcile(machine);
    }
  }

  /** The Host of this name as last seen, if it has a status. */
  Optional<Host> host(String name) {
    return Optional.ofNullable(machines.get(name))
        .filter(each -> !each.unreported)
        .flatMap(each -> Optional.ofNullable(each.host));
  }

  /** Reconciles the machine of this name. */
  void reconcile(String name) {
    Tended machine = machines.get(name);
    if (machine != null) {
      reconcile(machine);
    }
  }

  private void reconcile(Tended machine) {
    Instant now = clock.instant();
    if (!listed || machine.inFlight) {
      return;
    }
    if (now.isBefore(machine.notBefore)) {
      timers.at(machine.name, machine.notBefore);
      return;
    }
    Host host = machine.host;
    IronicNode node = machine.node;
    if (host == null) {
      if (node != null && node.state() == ProvisionState.AVAILABLE) {
        send(machine, () -> requests.create(node.name(), machine(node)), this::hostSeen);
      }
    } else if (node != null && !node.seenAt().isBefore(machine.answeredAt)) {
      follow(
          machine,
          host,
          node,
          IronicMachine.next(host, node, Optional.ofNullable(machine.kubelet), offer, now));
    } else if (machine.missing >= GONE) {
      follow(machine, host, node, IronicMachine.gone(host, now));
    }
  }

  private void follow(Tended machine, Host host, @Nullable IronicNode node, EngineStep step) {
    switch (step) {
      case EngineStep.Wait _ -> {}
      case EngineStep.Report(Host.Report report) -> {
        if (node != null && failsWithoutReason(host, node, report)) {
          send(machine, () -> new Answer.Done<>(ironic.explained(node)), machine::read);
        } else {
          report(machine, host, report);
        }
      }
      case EngineStep.Ask(EngineRequest request) -> ask(machine, host, node, request);
      case EngineStep.Join _ ->
          send(machine, () -> requests.join(nodes.created(host)), this::kubeletSeen);
      case EngineStep.Identify(MachineKubelet kubelet) ->
          send(
              machine,
              () -> {
                Answer<Node> identified = requests.identify(host, kubelet, nodes);
                if (identified instanceof Answer.Done<Node>) {
                  Answer<String> _ = delivered.ended(host);
                }
                return identified;
              },
              this::kubeletSeen);
      case EngineStep.DeleteHost _ -> send(machine, () -> requests.delete(host), _ -> {});
    }
  }

  private static boolean failsWithoutReason(Host host, IronicNode node, Host.Report report) {
    boolean fails = report.phase() == HostPhase.FAILED && !host.is(HostPhase.FAILED);
    return fails
        && node.lastError().isEmpty()
        && (node.state().actsNext() == ProvisionState.ActsNext.BROKEN
            || node.state().actsNext() == ProvisionState.ActsNext.UNCLEAN);
  }

  private void report(Tended machine, Host host, Host.Report report) {
    boolean another = host.report().phase() != report.phase();
    if (another || machine.unreported) {
      log.info(
          "{}: {} -> {} (tenancy {}){}",
          machine.name,
          machine.unreported ? "new" : host.report().phase().word(),
          report.phase().word(),
          host.tenancy(),
          report.message().isEmpty() ? "" : ": " + report.message());
    }
    // Before Free is reported, since nothing looks later for remains of a tenancy.
    boolean over = another && report.phase() == HostPhase.FREE;
    send(
        machine,
        () ->
            over && !(delivered.ended(host) instanceof Answer.Done<String>)
                ? new Answer.Unavailable<>("the credential of its last tenancy cannot be ended")
                : requests.report(host, report),
        this::hostSeen);
  }

  private void ask(Tended machine, Host host, @Nullable IronicNode node, EngineRequest request) {
    if (node == null) {
      return;
    }
    log.info("{}: asks Ironic for {}", machine.name, words(request));
    Supplier<Answer<IronicNode>> sent =
        () -> {
          Answer<JsonNode> answer =
              switch (delivered.drive(host, request)) {
                case Answer.Done<ObjectNode>(var drive) -> ironic.send(node.uuid(), request, drive);
                case Answer<ObjectNode> failed -> failed.map(drive -> drive);
              };
          Instant asked = clock.instant();
          return answer instanceof Answer.Done<JsonNode>
              ? ironic.read(node.uuid(), asked)
              : answer.map(_ -> node);
        };
    send(machine, sent, machine::read);
  }

  private static String words(EngineRequest request) {
    return switch (request) {
      case EngineRequest.ClaimNode claim -> "instance " + claim.instance();
      case EngineRequest.Unclaim _ -> "no instance";
      case EngineRequest.Deploy deploy -> "active with " + deploy.configuration();
      case EngineRequest.Undeploy _ -> "deleted";
      case EngineRequest.Mark(IronicNode.Note note) ->
          "the note of boot \"%s\", before: \"%s\"".formatted(note.boot(), note.before());
      case EngineRequest.Manage _ -> "manageable";
      case EngineRequest.Provide _ -> "cleaned and available";
      case EngineRequest.SetPower(EngineRequest.Target target) -> target.word();
    };
  }

  private <T> void send(Tended machine, Supplier<Answer<T>> request, Consumer<T> done) {
    machine.inFlight = true;
    sender.send(
        machine.name,
        request,
        answer -> {
          machine.inFlight = false;
          answered(machine, answer, done);
          reconcile(machine);
        });
  }

  private <T> void answered(Tended machine, Answer<T> answer, Consumer<T> done) {
    Instant now = clock.instant();
    switch (answer) {
      case Answer.Done<T>(T object) -> {
        machine.failures = 0;
        done.accept(object);
      }
      case Answer.Missing<T> _ -> failed(machine, "it does not exist", WAITS.after(3), now);
      case Answer.Unknown<T>(String why) -> {
        log.warn("{}: {}; what became of it is read", machine.name, why);
        failed(machine, why, DOUBT, now);
      }
      case Answer.Failed<T> failed ->
          failed(machine, failed.why(), WAITS.after(++machine.failures), now);
    }
  }

  private void failed(Tended machine, String why, Duration wait, Instant now) {
    // Readings from before the answer no longer count.
    machine.answeredAt = now;
    machine.notBefore = now.plus(wait);
    if (machine.failures > 2) {
      log.warn("{}: {}; it is tried again", machine.name, why);
    } else {
      log.debug("{}: {}", machine.name, why);
    }
    if (machine.host != null) {
      Host host = machine.host;
      sender.send(
          machine.name,
          () -> requests.read(host),
          answer -> {
            if (answer instanceof Answer.Done<HostResource>(HostResource found)) {
              hostSeen(found);
            }
          });
    }
  }

  /** The facts of a machine as its node describes them. */
  private Machine machine(IronicNode node) {
    Map<String, String> extra = node.extra();
    String slot = extra.getOrDefault("slot", "");
    return new Machine(
        node.kind().instanceType(offer).orElse(node.kind().resourceClass()),
        new Machine.Location(
            offer.zone(),
            offer.region(),
            extra.getOrDefault("rack", ""),
            extra.getOrDefault("rack_name", ""),
            slot.matches("[0-9]{1,9}") ? Integer.parseInt(slot) : 0),
        new Machine.Interconnect(
            extra.getOrDefault("nvlink_domain", ""),
            extra.getOrDefault("fabric", ""),
            new Machine.LeafGroup(
                extra.getOrDefault("leafgroup", ""),
                extra.getOrDefault("leafgroup_name", ""),
                extra.getOrDefault("leaf_port", "")),
            extra.getOrDefault("superpod", "")));
  }
}
