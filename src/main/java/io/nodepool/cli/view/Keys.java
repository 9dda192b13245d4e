package io.nodepool.cli.view;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a user chose to see, with keys.
 *
 * @param find the search text; empty text for none
 * @param isTyping whether keys add to the search text
 * @param help whether the keys and the marks are explained
 * @param opened the pool that is shown in full; empty text for none
 */
public record Keys(String find, boolean isTyping, boolean help, String opened) {
  /** No choice: everything is shown. */
  public static final Keys NONE = new Keys("", false, false, "");

  private static final int BACKSPACE = 8;
  private static final int NEW_LINE = 10;
  private static final int ENTER = 13;
  private static final int ESCAPE = 27;
  private static final int DELETE = 127;

  /**
   * The choice after this key.
   *
   * @param view the present view of the cluster
   */
  public Keys after(int key, ClusterView view) {
    if (isTyping) {
      return typed(key);
    }
    return switch (key) {
      case '?' -> new Keys(find, false, !help, opened);
      case '/' -> new Keys("", true, false, "");
      case ESCAPE -> NONE;
      case ENTER, NEW_LINE -> new Keys(find, false, false, next(of(view).pools(), view.pools()));
      default -> this;
    };
  }

  private Keys typed(int key) {
    return switch (key) {
      case ESCAPE -> NONE;
      case ENTER, NEW_LINE -> new Keys(find, false, false, "");
      case BACKSPACE, DELETE ->
          new Keys(find.isEmpty() ? "" : find.substring(0, find.length() - 1), true, false, "");
      default -> key < ' ' || key > '~' ? this : new Keys(find + (char) key, true, false, "");
    };
  }

  /** The pool after the opened pool; the first pool if none is opened, and none after the last. */
  private String next(List<PoolView> shown, List<PoolView> all) {
    List<String> names =
        (opened.isEmpty() ? shown : all)
            .stream().filter(this::isFound).map(PoolView::name).toList();
    int at = names.indexOf(opened) + 1;
    return at < names.size() ? names.get(at) : "";
  }

  /** The part of the cluster that is chosen. */
  ClusterView of(ClusterView view) {
    Optional<PoolView> pool =
        view.pools().stream().filter(each -> each.name().equals(opened)).findFirst();
    if (pool.isPresent()) {
      return new ClusterView(
          List.of(pool.get()),
          view.machines().stream()
              .filter(each -> each.place().instanceType().equals(pool.get().instanceType()))
              .toList(),
          view.events().stream().filter(each -> each.name().equals(opened)).toList());
    }
    return find.isEmpty()
        ? view
        : new ClusterView(
            view.pools().stream().filter(this::isFound).toList(),
            view.machines().stream()
                .filter(each ->
                    has(each.place().name())
                        || has(each.place().instanceType())
                        || has(each.place().rack())
                        || has(each.state().word()))
                .toList(),
            view.events().stream()
                .filter(each -> has(each.name()) || has(each.reason()) || has(each.message()))
                .toList());
  }

  private boolean isFound(PoolView pool) {
    return has(pool.name()) || has(pool.instanceType()) || has(pool.summary().reason());
  }

  private boolean has(String text) {
    return text.toLowerCase(Locale.ROOT).contains(find.toLowerCase(Locale.ROOT));
  }
}
