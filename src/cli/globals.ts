// The options every command understands. They may stand before the command's name as well as after it; this finds the
// name among them without a parser.

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
  { flags: noConfig, summary: 'look at no icecore.config file' },
  { flags: '--json', summary: 'results as JSON on standard output, errors too' },
  { flags: '-q, --quiet', summary: 'no messages and no progress on standard error' },
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

/** A command line parted at the command's name. */
export interface Parted {
  readonly before: readonly string[];
  /** Null where there is none. */
  readonly name: string | null;
  readonly after: readonly string[];
}

export function partAtName(argv: readonly string[]): Parted {
  let i = 0;
  while (i < argv.length && argv[i]?.startsWith('-') === true && argv[i] !== '-') i += argv[i] === '--ledger' ? 2 : 1;
  const name = argv[i];
  return { before: argv.slice(0, i), name: name ?? null, after: argv.slice(i + 1) };
}
