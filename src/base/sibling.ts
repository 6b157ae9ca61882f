// Threads are started from a module of their own, and its file is named otherwise in a clone than in a package.

/** A module beside the one that asks with its `import.meta.url`: source in a clone, built code in a package. */
export function sibling(name: string, asker: string): URL {
  return new URL(`./${name}${asker.endsWith('.ts') ? '.ts' : '.js'}`, asker);
}
