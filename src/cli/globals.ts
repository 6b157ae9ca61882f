// The options of every command. They may come before or after the command's name; this finds the name without a parser.

export interface GlobalFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly ledger?: string;
}

export interface GlobalOption {
  readonly flags: string;
  readonly summary: string;
}

const noConfig = '--no-config';

export const globalOptions: readonly GlobalOption[] = [
  { flags: '--ledger <url>', summary: 'URL of the ledger; beats ICECORE_LEDGER and the settings' },
  { flags: noConfig, summary: 'ignore icecore.config files' },
  { flags: '--json', summary: 'print results and errors as JSON' },
  { flags: '-q, --quiet', summary: 'print no messages and no progress' },
  { flags: '-h, --help', summary: 'show help' },
];

/** Read before any other option: a command may have a `--config` of its own. */
export function takeNoConfig(words: readonly string[]): {
  readonly isTyped: boolean;
  readonly others: readonly string[];
} {
  const end = words.indexOf('--');
  const isFlag = (word: string, i: number): boolean => word === noConfig && (end < 0 || i < end);
  return { isTyped: words.some(isFlag), others: words.filter((word, i) => !isFlag(word, i)) };
}

/** A command line split at the command's name. */
export interface Parted {
  readonly before: readonly string[];
  /** Null without a command. */
  readonly name: string | null;
  readonly after: readonly string[];
}

export function partAtName(argv: readonly string[]): Parted {
  let i = 0;
  while (i < argv.length && argv[i]?.startsWith('-') === true && argv[i] !== '-') i += argv[i] === '--ledger' ? 2 : 1;
  const name = argv[i];
  return { before: argv.slice(0, i), name: name ?? null, after: argv.slice(i + 1) };
}
