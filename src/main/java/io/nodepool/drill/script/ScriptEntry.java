package io.nodepool.drill.script;

/**
 * An entry of a script.
 *
 * @param text the entry in one line for people
 */
public record ScriptEntry(When when, Deed deed, String text) {}
