package io.nodepool.bench.raw;

import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A plain client that only sends requests, a fixed number at once. It watches nothing, decides
 * nothing, and reads only the status code of each response.
 */
public final class RawClient {
  /** The scratch pool. */
  static final String POOL = "raw";

  /** The number of concurrent requests: as many as operator and data centre have together. */
  static final int AT_ONCE = 32;

  /** From this number on, the requests of a kind on an object are alike. */
  private static final long DISTINCT = 3;

  private final ApiRequests requests;
  private final RawTemplates templates;
  private final Map<Use, RawTemplates.Template> known = new ConcurrentHashMap<>();

  /** The use of a template. */
  private record Use(RawLife life, String kind, long nth) {}

  /** Creates a client that sends writes made from these templates. */
  RawClient(ApiRequests requests, RawTemplates templates) {
    this.requests = requests;
    this.templates = templates;
  }

  /** Creates the scratch objects that belong to no machine. */
  void prepare() {
    check(templates.scratchPool().send(requests, POOL, 0));
    check(templates.spare().send(requests, POOL, 0));
  }

  /**
   * Creates the machines that exist before this part of their life: free Hosts, and for a removal
   * also the results of their growth.
   *
   * @param prefix of their names
   */
  void make(RawLife life, int machines, String prefix) {
    Queue<Runnable> hosts = new ConcurrentLinkedQueue<>();
    for (int machine = 0; machine < machines; machine++) {
      String name = prefix + "-" + machine;
      hosts.add(() -> {
        check(templates.freeHost().send(requests, name, 0));
        check(templates.freeHostStatus().send(requests, name, 0));
      });
    }
    run(hosts);
    if (life == RawLife.REMOVAL) {
      var _ = send(RawPlan.of(RawLife.GROWTH, RawLife.growthOf(machines), machines), prefix);
    }
  }

  /** Sends all requests of a plan, about machines that exist; returns the time that it took. */
  Duration send(RawPlan plan, String prefix) {
    Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    work.add(() -> plan.loose().forEach(new Chain(plan.life(), POOL)::write));
    for (int machine = 0; machine < plan.chains().size(); machine++) {
      Chain chain = new Chain(plan.life(), prefix + "-" + machine);
      List<String> kinds = plan.chains().get(machine);
      work.add(() -> kinds.forEach(chain::write));
    }
    long begun = System.nanoTime();
    run(work);
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /** The sequential requests about one object, numbered by kind. */
  private final class Chain {
    private final RawLife life;
    private final String name;
    private final Map<String, Long> written = new HashMap<>();

    Chain(RawLife life, String name) {
      this.life = life;
      this.name = name;
    }

    void write(String kind) {
      long number = written.merge(kind, 1L, Long::sum);
      check(
          known
              .computeIfAbsent(new Use(life, kind, Math.min(number, DISTINCT)), this::template)
              .send(requests, name, number));
    }

    private RawTemplates.Template template(Use use) {
      return templates.of(use.life(), use.kind(), use.nth());
    }
  }

  /**
   * Checks that a write was carried out.
   *
   * @throws BenchFailure if the write failed
   */
  public static void check(Reply reply) {
    var _ = done(reply);
  }

  /**
   * The response to a write that was carried out.
   *
   * @throws BenchFailure if the write failed
   */
  public static Reply.Ok done(Reply reply) {
    if (reply instanceof Reply.Ok ok) {
      return ok;
    }
    throw BenchFailure.because("A write of the plain client failed: " + reply);
  }

  /** Runs the tasks of a queue concurrently until the queue is empty or a task fails. */
  public static void run(Queue<Runnable> work) {
    Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int thread = 0; thread < AT_ONCE; thread++) {
        threads.execute(() -> runAll(work, failures));
      }
    }
    if (Thread.currentThread().isInterrupted()) {
      throw BenchFailure.interrupted();
    }
    if (!failures.isEmpty()) {
      throw failures.remove();
    }
  }

  private static void runAll(Queue<Runnable> work, Queue<RuntimeException> failures) {
    try {
      for (Runnable next = work.poll(); next != null; next = work.poll()) {
        next.run();
      }
    } catch (RuntimeException e) {
      failures.add(e);
      work.clear();
    }
  }
}
