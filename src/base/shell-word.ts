// A hint that names a path can be typed as it is.

/** A whole command line. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => shellWord(word)).join(' ');
}

/** The text as the shell of the platform reads one word. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  const isWindows = platform === 'win32';
  if ((isWindows ? /^[\w@+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/).test(text)) return text;
  return isWindows ? `"${text.replaceAll('"', '\\"')}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
