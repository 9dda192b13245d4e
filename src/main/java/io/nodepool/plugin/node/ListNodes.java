package io.nodepool.plugin.node;

import picocli.CommandLine.Command;

/** Lists Nodes, by the word of other clients. */
@Command(name = "nodes", description = "List Nodes: the same as node get.")
public final class ListNodes extends GetNodes {}
