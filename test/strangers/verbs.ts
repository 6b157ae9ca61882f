// What each command does with untrusted input: a folder, a ledger, a bundle, a settings file. These rows are the table in docs/security.md
// and the command lines of strangers.hostile.test.ts.

/** The kinds of untrusted input: test/strangers/gifts.ts makes one of each. */
export const gifts = [
  'folder',
  'ledger',
  'bundle',
  'settings with hosts elsewhere',
  'settings with a ledger elsewhere',
  'settings with hosts on this machine',
] as const;
export type Gift = (typeof gifts)[number];

export interface Verb {
  /** As it is typed, with its subcommand: `lake solve`. */
  readonly name: string;
  readonly reads: string;
  /** Programs it starts, other than icecore's own processes. */
  readonly runs: string;
  readonly sends: string;
  readonly writes: string;
  /** What it asks for first; empty if it runs, sends and erases nothing. */
  readonly asks: string;
  readonly lines: readonly Line[];
}

export interface Line {
  /** The words after `icecore`. OUT, FILE, CONFIG, EVENT, BUNDLE, LEDGER and COPY are replaced by values of the sandbox. */
  readonly words: readonly string[];
  /** Runs a program of the ledger, or sends to a host of the settings: must be refused without consent. */
  readonly needs?: 'program' | 'host';
  /** The line itself allows the programs of the ledger, which still see no secret. */
  readonly allows?: 'programs';
  readonly stdin?: string;
  /** It would continue; it is stopped after this number of seconds. */
  readonly limit?: number;
}

const nothing = 'nothing';
const ledger = 'ledger';
const tables = 'ledger, its tables';
const program = 'programs';
const questions = 'questions to models';
const consent = 'each program and host';
const caches = 'tables';

function line(typed: string, more: Omit<Line, 'words'> = {}): Line {
  return { words: typed.split(' '), ...more };
}

/** A read-only command: it runs, sends and erases nothing. */
function looking(name: string, reads: string, writes: string, ...lines: readonly Line[]): Verb {
  return { name, reads, runs: nothing, sends: nothing, writes, asks: '', lines };
}

/** A command that appends the user's input to the ledger, and runs nothing. */
function appending(name: string, writes: string, ...lines: readonly Line[]): Verb {
  return { name, reads: ledger, runs: nothing, sends: nothing, writes, asks: '', lines };
}

/** A command that continues an experiment: it asks before using programs and hosts that the ledger names. */
function experimenting(name: string, writes: string, ...lines: readonly Line[]): Verb {
  return { name, reads: ledger, runs: program, sends: questions, writes, asks: consent, lines };
}

const sqlText = "select count(*) from events where run like '%'";
const lake = '{"size":3,"holes":[],"agents":[{"start":[0,0],"goal":[0,2]}]}\n';
const event = '{"type":"RunAnnotated","stream":"notes-x","data":{}}\n';

export const verbs: readonly Verb[] = [
  appending('init', 'workspace, `icecore.config.json`', line('init')),
  experimenting(
    'run',
    'run events, evidence, checkpoints',
    line('run --name mine --stages 1 --budget 200 --suite none --jobs 1', { limit: 4 }),
    line('run --name asked --stages 1 --budget 200 --engineer stranger --jobs 1', { needs: 'host' }),
  ),
  experimenting('resume', 'run events, evidence, checkpoints', line('resume open', { needs: 'program' })),
  experimenting('worker', 'evidence', line('worker shared', { needs: 'program', limit: 6 })),
  experimenting('fork', 'run events, evidence, checkpoints', line('fork evil@2 --name forked', { needs: 'program' })),
  looking('context', ledger, nothing, line('context evil@2'), line('context evil@2 --context failures')),
  experimenting(
    'propose',
    'proposal; with `--output` a file',
    line('propose evil@2 --dry-run', { needs: 'program' }),
    line('propose evil@2 --engineer stranger', { needs: 'host' }),
  ),
  experimenting('adopt', 'run events', line('adopt CONFIG --run person')),
  experimenting(
    'stage start',
    'run events',
    line('stage start byhand'),
    line('stage start person'),
    line('stage start mine --engineer rules'),
  ),
  experimenting(
    'stage finish',
    'run events, evidence',
    line('stage finish byhand --checkpoint FILE', { needs: 'program' }),
  ),
  appending('annotate', 'note', line('annotate evil hello')),
  looking('runs', ledger, nothing, line('runs'), line('runs --json')),
  looking('list ablations', ledger, nothing, line('list ablations'), line('list ablations --json')),
  looking('show', ledger, nothing, line('show evil'), line('show evil@2'), line('show open --all')),
  looking('diff', ledger, nothing, line('diff evil@1 evil@2')),
  looking('audit', tables, caches, line('audit evil'), line('audit evil --format md')),
  looking('why', tables, caches, line('why evil'), line('why evil digits --detail 4')),
  looking('compare', tables, caches, line('compare evil open')),
  looking('report', tables, 'page', line('report evil --output OUT/report.html')),
  {
    name: 'sql',
    reads: tables,
    runs: nothing,
    sends: nothing,
    writes: `${caches}; with \`--output\` a file`,
    asks: '',
    lines: [
      { words: ['sql', sqlText] },
      { words: ['sql', "select * from read_text('OUTSIDE/secret')"] },
      { words: ['sql', "copy (select 1) to 'OUTSIDE/written.csv'"] },
      { words: ['sql', "select getenv('AWS_SECRET_ACCESS_KEY')"] },
      { words: ['sql', "install httpfs from 'http://HOST/'"] },
      { words: ['sql', 'select * from secrets'] },
      line('sql --path'),
      { words: ['sql', sqlText, '--output', 'OUT/answer.csv'] },
    ],
  },
  looking('list engineers', 'settings', nothing, line('list engineers')),
  looking('list contexts', nothing, nothing, line('list contexts')),
  looking('list environments', nothing, nothing, line('list environments')),
  looking('list tables', nothing, nothing, line('list tables'), line('list tables rollouts')),
  looking('event tail', ledger, nothing, line('event tail'), line('event tail -f', { limit: 2 })),
  looking('event show', ledger, nothing, line('event show EVENT')),
  experimenting(
    'ablate',
    'ablation',
    line('ablate evil --plan'),
    line('ablate evil --context failures,stats', { needs: 'program' }),
    line('ablate evil --engineer stranger', { needs: 'host' }),
  ),
  experimenting(
    'lab headroom',
    'run events, evidence, checkpoints, ablation',
    line('lab headroom dungeon --seed 1,2 --validation-tasks 4 --jobs 1', { limit: 4 }),
  ),
  {
    ...appending('event append', 'events; with `--rejects` a file', line('event append', { stdin: event })),
    reads: 'file',
  },
  {
    name: 'blob put',
    reads: 'file',
    runs: nothing,
    sends: 'blob to a blob store on a server',
    writes: 'blob',
    asks: 'blob store that found settings name',
    lines: [line('blob put FILE')],
  },
  {
    ...looking('blob get', 'blob', nothing, line(`blob get ${'0'.repeat(64)}`)),
    asks: 'blob store that found settings name',
  },
  looking('tables refresh', ledger, caches, line('tables refresh'), line('tables refresh --rebuild')),
  looking('export tables', tables, `files, ${caches}`, line('export tables runs --output OUT/runs.csv')),
  looking('export events', ledger, 'files', line('export events --output OUT/events.ndjson --texts')),
  looking('export bundle', ledger, 'bundle', line('export bundle evil --output OUT/copy.icecore.tar.zst')),
  {
    name: 'import bundle',
    reads: 'bundle',
    runs: nothing,
    sends: nothing,
    writes: 'events, blobs; erases texts only with `--erase`',
    asks: '`--extend` for events of existing runs, `--erase` for texts that a bundle lists as erased',
    lines: [line('import bundle BUNDLE')],
  },
  {
    ...appending('import ndjson', 'events', line('import ndjson FILE')),
    reads: 'file, map of its fields, ledger',
  },
  {
    name: 'ledger copy',
    reads: 'ledger, its blobs',
    runs: nothing,
    sends: 'events and blobs to typed servers',
    writes: 'copy; erases texts only with `--erase`',
    asks: '`--extend` for events of existing runs, `--erase` for texts that the original lists as erased',
    lines: [line('ledger copy LEDGER COPY'), line('ledger copy LEDGER COPY --run evil')],
  },
  {
    ...appending('event redact', 'redaction; erases the typed blob', line('event redact EVENT --reason mistake')),
    asks: 'the event is typed',
  },
  appending('ledger seal', 'seal', line('ledger seal open@1')),
  {
    name: 'verify',
    reads: 'ledger, its blobs, its tables',
    runs: 'with `--programs`: the environments of the runs',
    sends: nothing,
    writes:
      "if stopped, its progress next to the ledger, and its digest in the user's own settings; with `--tables` temporary tables",
    asks: '`--programs` allows them',
    lines: [
      line('verify'),
      line('verify --tables'),
      line('verify evil --recompute'),
      line('verify evil --recompute --programs', { allows: 'programs' }),
    ],
  },
  looking('ledger head', ledger, nothing, line('ledger head')),
  looking('ledger prove', ledger, nothing, line('ledger prove EVENT')),
  {
    ...looking('serve', 'what the requests ask for', caches, line('serve --port 0', { limit: 5 })),
    sends: 'answers to clients on this machine; to others only with tokens',
    writes: `events and decisions that clients send, ${caches}`,
  },
  {
    name: 'doctor',
    reads: 'settings, ledger, its tables',
    runs: nothing,
    sends: 'question to each model, unless `--no-models`',
    writes: nothing,
    asks: 'each host that found settings name',
    lines: [line('doctor'), line('doctor --no-models')],
  },
  {
    name: 'trust',
    reads: "settings file, ledger, user's own settings",
    runs: nothing,
    sends: nothing,
    writes: "user's own settings",
    asks: 'this command gives consent',
    lines: [line('trust --list'), line('trust')],
  },
  {
    name: 'demo',
    reads: nothing,
    runs: nothing,
    sends: nothing,
    writes: 'new folder',
    asks: '',
    lines: [line('demo OUT/demo', { limit: 4 })],
  },
  looking('lake generate', 'file', 'with `--report` a file', line('lake generate --count 2 --jobs 1')),
  looking('lake solve', 'file', nothing, line('lake solve', { stdin: lake })),
  looking('lake judge', 'file', nothing, line('lake judge', { stdin: lake })),
  looking('lake show', 'file', 'with `--output` a file', line('lake show', { stdin: lake })),
  {
    name: 'lake train',
    reads: 'checkpoint',
    runs: 'typed program',
    sends: nothing,
    writes: 'new folder',
    asks: '',
    lines: [line('lake train --budget 200 --output OUT/training --jobs 1', { limit: 4 })],
  },
  {
    name: 'lake evaluate',
    reads: 'checkpoint, settings',
    runs: nothing,
    sends: 'questions to the typed model',
    writes: 'new folder',
    asks: 'host, if found settings name it',
    lines: [line('lake evaluate stranger --agents 2 --count 2 --jobs 1', { needs: 'host' })],
  },
  {
    name: 'lake leaderboard',
    reads: 'checkpoint, settings',
    runs: nothing,
    sends: 'questions to typed models',
    writes: 'new folder',
    asks: 'each host that found settings name',
    lines: [line('lake leaderboard stranger random --agents 2 --count 2 --jobs 1', { needs: 'host' })],
  },
  looking('lake bench', nothing, nothing, line('lake bench --sizes 3 --agents 2 --count 2')),
  looking('completion', nothing, nothing, line('completion bash')),
  {
    ...looking('__complete', ledger, nothing, { words: ['__complete', '--', 'show', ''] }),
    lines: [
      { words: ['__complete', '--', 'show', ''] },
      { words: ['__complete', '--', 'event', 'tail', '--stream', ''] },
      { words: ['__complete', '--', 'why', 'evil', ''] },
    ],
  },
];
