// Root ignores permissions, so tests of permissions run without the capability to override them.

const withoutOverride = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'];

/** The command as run by a user without special rights. */
export function unprivileged(command: readonly string[]): readonly [program: string, ...args: string[]] {
  const isRoot = process.getuid?.() === 0;
  const [program = '', ...args] = isRoot ? [...withoutOverride, ...command] : command;
  return [program, ...args];
}
