package io.nodepool.cli.view;

/** What a piece of text is, from which follows how it looks. */
enum Tone {
  PLAIN,
  TITLE,
  FAINT,
  GOOD,
  CALM,
  WORK,
  WARN,
  BAD
}
