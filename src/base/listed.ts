// Names in a sentence: the first ones, and how many more there are.

export function listed(names: readonly string[], most = 6): string {
  const rest = names.length - most;
  return `${names.slice(0, most).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
