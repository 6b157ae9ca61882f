// A command line for a message: readable, and not too long.

const longestName = 120;

export function nameOf(command: readonly string[]): string {
  const name = command.map((word) => (/^[\w./:=@+-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}
