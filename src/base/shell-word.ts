// Quotes paths in hints, so that they can be typed as shown.

/** A whole command line. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}

/** The text quoted as one word for the shell of the platform. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === 'win32';
  if ((isWindows ? /^[\w@+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/).test(text)) return text;
  return isWindows ? `"${text.replaceAll('"', '\\"')}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
