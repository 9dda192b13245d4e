package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * A form of text that may be written for a reason, with the check whether such a text is true. Its
 * places {@code {node}}, {@code {pool}} and {@code {names~}} hold the objects that it is about or
 * that belong to its pool.
 *
 * @param counts the place of the number that must be the count of its Event; empty text if the
 *     Event is about one occurrence
 * @param check what else must be true
 */
public record Wording(Untruth.About about, TextForm form, String counts, Check check) {
  /** Reports what is not true of a text. */
  public interface Check {
    /** Only its form, its lists, its count and its objects are checked. */
    Check FORM = (read, moment) -> {};

    void check(TextForm.Statement read, Moment moment);

    /** This check, to which others are joined. */
    static Check of(Check check) {
      return check;
    }

    /** This is so. */
    static Check that(Untruth.Kind kind, BiPredicate<TextForm.Statement, Moment> is, String what) {
      return (read, moment) -> moment.require(kind, is.test(read, moment), what);
    }

    /** The Node that the text is about was such a one. */
    static Check node(Predicate<Node> is, String what) {
      return node((_, node) -> is.test(node), what);
    }

    /** The Node was such a one as the text says. */
    static Check node(BiPredicate<TextForm.Statement, Node> is, String what) {
      return that(STATE, (read, moment) -> moment.node(node -> is.test(read, node)), what);
    }

    /** The machine of this Node was such a one. */
    static Check host(Predicate<Host> is, String what) {
      return host((_, host) -> is.test(host), what);
    }

    /** The machine was such a one as the text says. */
    static Check host(BiPredicate<TextForm.Statement, Host> is, String what) {
      return that(STATE, (read, moment) -> moment.host(host -> is.test(read, host)), what);
    }

    /** The pool that the text is about was such a one. */
    static Check pool(Predicate<Pool> is, String what) {
      return pool((_, pool) -> is.test(pool), what);
    }

    /** The pool was such a one as the text says. */
    static Check pool(BiPredicate<TextForm.Statement, Pool> is, String what) {
      return that(STATE, (read, moment) -> moment.pool(pool -> is.test(read, pool)), what);
    }

    /** This and another check. */
    default Check and(Check other) {
      return (read, moment) -> {
        check(read, moment);
        other.check(read, moment);
      };
    }

    /** Each object that the text lists at this place is such a one. */
    static Check each(String list, Untruth.Kind kind, String what, BiPredicate<String, Moment> is) {
      return (read, moment) ->
          read.names(list).forEach(name -> moment.require(kind, is.test(name, moment), what, name));
    }
  }

  /** Each machine that is named belongs to the pool. */
  static final Check OWN =
      Check.each("names", OBJECT, "it is the pool's", (name, moment) -> moment.isOwn(name));

  private static final Check OWN_ONCE =
      Check.each(
          "names",
          OBJECT,
          "it was the pool's",
          (name, moment) -> once(name, moment, _ -> true) || heldOnce(name, moment, _ -> true));

  /** A text about a pool. */
  public static Wording ofPool(String form, Check check) {
    return counting("", form, check);
  }

  /** A text about a pool whose Event counts what is at this place. */
  static Wording counting(String counts, String form, Check check) {
    return new Wording(Untruth.About.POOL, TextForm.of(form), counts, check);
  }

  /**
   * The texts about a pool that count Nodes, and those that count how often it happened to a Node:
   * one may be disrupted several times while others are.
   */
  static List<Wording> disrupted(String before, String after, Check check) {
    return List.of(
        counting("nodes", before + "{nodes#Node}[ ({names~nodes})]" + after, check),
        counting(
            "times",
            before + "Nodes ([{names~}[ and others]; ]{times#} times in all)" + after,
            check.and(Wording::noMoreNamesThanTimes)));
  }

  private static void noMoreNamesThanTimes(TextForm.Statement read, Moment moment) {
    int names = read.has("names") ? read.names("names").size() : 0;
    moment.require(
        Untruth.Kind.NAMES,
        names < read.number("times"),
        "a Node is named once, to which it happened more than once",
        read.number("times"));
  }

  /**
   * A text about a pool of a Node whose machine it does not hold, which says what one of these
   * texts says of the Node.
   */
  private static Wording withoutMachine(List<Wording> ofNode) {
    return ofPool(
        "Node {node} has no machine of the pool any more. {text*}",
        (read, moment) -> {
          String name = read.word("node");
          moment.require(
              Untruth.Kind.STATE,
              moment.noHost(name, host -> host.isHeldBy(moment.text().uid())),
              "the pool does not hold its machine");
          String text = read.word("text");
          boolean isKnown =
              moment
                  .ofNode(name, moment.since())
                  .map(node -> check(ofNode, text, node))
                  .orElseGet(
                      () -> ofNode.stream().anyMatch(each -> each.form().read(text).isPresent()));
          moment.require(Untruth.Kind.FORM, isKnown, "the text has a registered form");
        });
  }

  /** These texts about a Node, and that of its pool once it does not hold the machine any more. */
  static List<Wording> alsoWithoutMachine(Wording... ofNode) {
    List<Wording> texts = List.of(ofNode);
    return all(texts, List.of(withoutMachine(texts)));
  }

  /** All these texts. */
  @SafeVarargs
  static List<Wording> all(List<Wording>... texts) {
    List<Wording> all = new ArrayList<>();
    for (List<Wording> each : texts) {
      all.addAll(each);
    }
    return List.copyOf(all);
  }

  /** Checks a text by the first of these forms that it has; false if it has none. */
  static boolean check(List<Wording> wordings, String text, Moment moment) {
    for (Wording wording : wordings) {
      Optional<TextForm.Statement> said = wording.form().read(text);
      if (wording.about() == moment.text().about() && said.isPresent()) {
        wording.check(said.get(), moment);
        return true;
      }
    }
    return false;
  }

  /** A text about a Node. */
  public static Wording ofNode(String form, Check check) {
    return new Wording(Untruth.About.NODE, TextForm.of(form), "", check);
  }

  /** Reports what is not true of a text of this form. */
  void check(TextForm.Statement read, Moment moment) {
    read.miscounted()
        .forEach((wrong, what) -> moment.require(Untruth.Kind.NAMES, false, what, wrong));
    int count = counts.isEmpty() ? 1 : read.number(counts);
    moment.require(
        Untruth.Kind.COUNT,
        count == moment.text().count(),
        "the number is the count of the Event",
        moment.text().count());
    switch (about) {
      case POOL -> ofPool(read, moment);
      case NODE -> ofNode(read, moment);
      case NAMESPACE -> {}
    }
    check.check(read, moment);
  }

  /** The pool is named that the text is about, and what belongs to it, or once did. */
  private static void ofPool(TextForm.Statement read, Moment moment) {
    if (read.has("pool")) {
      moment.require(OBJECT, read.word("pool").equals(moment.name()), "it names the pool");
    }
    if (read.has("node")) {
      moment.require(OBJECT, moment.isOwn(read.word("node")), "the Node is the pool's");
    }
    OWN_ONCE.check(read, moment);
  }

  /** The Node is named that the text is about, and the pool that this belongs to. */
  private static void ofNode(TextForm.Statement read, Moment moment) {
    String node = read.has("node") ? read.word("node") : moment.name();
    if (read.has("pool")) {
      moment.names(node, read.word("pool"));
    } else {
      moment.names(node);
    }
  }

  /** Whether a Node of the pool of this name was such a one at any time in the run. */
  static boolean once(String name, Moment moment, Predicate<Node> is) {
    Predicate<Node> own = node -> node.poolUid().equals(moment.text().uid());
    return moment.chronicle().node(name).was(own.and(is));
  }

  /** Whether the pool held the machine of this name while it was such a one, at any time. */
  static boolean heldOnce(String name, Moment moment, Predicate<Host> is) {
    Predicate<Host> held = host -> host.isHeldBy(moment.text().uid());
    return moment.chronicle().host(name).was(held.and(is));
  }
}
