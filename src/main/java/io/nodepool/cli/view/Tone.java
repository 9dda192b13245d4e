package io.nodepool.cli.view;

/** The role of a piece of text, which determines its style. */
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
