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

export const globalOptions: readonly GlobalOption[] = [
  { flags: '--ledger <url>', summary: 'URL of the ledger; beats ICECORE_LEDGER and icecore.config.json' },
  { flags: '--json', summary: 'results as JSON on standard output, errors too' },
  { flags: '-q, --quiet', summary: 'no messages and no progress on standard error' },
  { flags: '-h, --help', summary: 'show help' },
];

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
