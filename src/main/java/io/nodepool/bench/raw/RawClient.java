package io.nodepool.bench.raw;

import io.nodepool.bench.BenchFailure;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A plain client: it sends writes, so many at once, and does nothing else. It watches nothing,
 * decides nothing and reads no answer but its code.
 */
public final class RawClient {
  /** The scratch pool. */
  static final String POOL = "raw";

  /** As many as operator and data centre send at once together. */
  static final int AT_ONCE = 32;

  private final ApiRequests requests;
  private final RawTemplates templates;
  private final Map<String, RawTemplates.Template> firstByKind = new ConcurrentHashMap<>();
  private final Map<String, RawTemplates.Template> furtherByKind = new ConcurrentHashMap<>();

  /** A client that sends the writes made from these templates. */
  public RawClient(ApiRequests requests, RawTemplates templates) {
    this.requests = requests;
    this.templates = templates;
  }

  /** Makes the scratch objects that are about no machine. */
  public void prepare() {
    check(templates.scratchPool().send(requests, POOL, 0));
    check(templates.spare().send(requests, POOL, 0));
  }

  /**
   * Makes the free Hosts that are there before a growth.
   *
   * @param prefix of their names
   */
  public void makeHosts(RawPlan plan, String prefix) {
    Queue<Runnable> hosts = new ConcurrentLinkedQueue<>();
    for (int machine = 0; machine < plan.chains().size(); machine++) {
      String name = prefix + "-" + machine;
      hosts.add(() -> {
        check(templates.freeHost().send(requests, name, 0));
        check(templates.freeHostStatus().send(requests, name, 0));
      });
    }
    run(hosts);
  }

  /** Writes it all about Hosts that were made before, and says how long that took. */
  public Duration write(RawPlan plan, String prefix) {
    Queue<Runnable> work = new ConcurrentLinkedQueue<>();
    work.add(() -> plan.loose().forEach(new Chain(POOL)::write));
    for (int machine = 0; machine < plan.chains().size(); machine++) {
      Chain chain = new Chain(prefix + "-" + machine);
      List<String> kinds = plan.chains().get(machine);
      work.add(() -> kinds.forEach(chain::write));
    }
    long begun = System.nanoTime();
    run(work);
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /** The writes about one object, one after the other; of each kind the number counts up. */
  private final class Chain {
    private final String name;
    private final Map<String, Long> written = new HashMap<>();

    Chain(String name) {
      this.name = name;
    }

    void write(String kind) {
      long number = written.merge(kind, 1L, Long::sum);
      boolean first = number == 1;
      check(
          (first ? firstByKind : furtherByKind)
              .computeIfAbsent(kind, each -> templates.of(each, first))
              .send(requests, name, number));
    }
  }

  private static void check(Reply reply) {
    var _ = done(reply);
  }

  /**
   * The answer of a write that was carried out.
   *
   * @throws BenchFailure if it was not
   */
  public static Reply.Ok done(Reply reply) {
    if (reply instanceof Reply.Ok ok) {
      return ok;
    }
    throw BenchFailure.because("A write of the plain client failed: " + reply);
  }

  /** Takes pieces of work off the queue, so many at once, until it is empty or one failed. */
  public static void run(Queue<Runnable> work) {
    Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads =
        java.util.stream.IntStream.range(0, AT_ONCE)
            .mapToObj(_ -> Thread.ofVirtual().start(() -> runAll(work, failures)))
            .toList();
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      work.clear();
      Thread.currentThread().interrupt();
      throw BenchFailure.because("It was interrupted.");
    }
    Optional.ofNullable(failures.peek())
        .ifPresent(failure -> {
          throw failure;
        });
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
