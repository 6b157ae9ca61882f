// Every command of icecore itself: its group, its name and a summary. The file of `stage start` is commands/stage-start.ts. This is
// only data, so that help loads no command and no command loads another one.
import type { CommandEntry, CommandModule, Help } from '../library/plugins/command.ts';

const groups = {
  experiment: {
    init: 'Create a workspace and a ledger here',
    run: 'Run a staged experiment',
    resume: 'Resume a run from its last recorded step',
    runs: 'List the runs, newest first',
    fork: 'Decide a stage again in a new run, with another engineer or context',
    worker: 'Run a rollout worker for a run, on this machine or another one',
    'stage start': 'Begin a stage and print what to train',
    'stage finish': 'Record a finished training and prepare the next stage',
  },
  decide: {
    context: 'Print what an engineer is shown for a decision',
    propose: 'Ask an engineer for the configuration of a stage, without adopting it',
    adopt: 'Decide on the configuration of the next stage yourself',
    annotate: 'Add a note to a run, a stage, a knob or an event',
  },
  understand: {
    show: 'Show a run and its stages, or one stage',
    why: 'Explain why a configuration changed, and what the change did',
    audit: 'List all changes of a run with their reasons and effects',
    diff: 'Show what differs between two stages',
    compare: 'Compare runs and test which one is better',
    ablate: 'Replay decisions with other contexts or engineers',
    'lab headroom': 'Measure how much a good decision could gain in an environment',
    report: 'Write a report of a run as one HTML page',
    sql: 'Query runs, rollouts and curricula in SQL',
    'list engineers': 'List the engineers that can redesign an environment',
    'list contexts': 'List the context forms and modules that an engineer can be shown',
    'list environments': 'List the environments with their knobs and benchmarks',
    'list ablations': 'List the ablations, newest first',
    'list tables': 'List the SQL tables, or the columns of one',
  },
  events: {
    'event append': 'Append events from a file or standard input',
    'event tail': 'Show the last events and follow new ones',
    'event show': 'Show one event in full',
    'event redact': 'Erase texts for good and record that they were erased',
  },
  ledger: {
    verify: 'Check that the ledger holds exactly what was written to it',
    'ledger seal': 'Seal the evidence of a stage',
    'ledger head': 'Print the digest of the whole ledger, to keep elsewhere',
    'ledger prove': 'Print a proof that one event is in the ledger',
    'ledger copy': 'Copy a ledger or one run: a backup or a move',
    'tables refresh': 'Refresh the SQL tables, or keep them fresh',
  },
  'in and out': {
    'import bundle': 'Import a run from a bundle',
    'import ndjson': 'Import runs from records of any training script',
    'export tables': 'Export tables as Parquet, Arrow or NDJSON',
    'export events': 'Export events as NDJSON, CloudEvents, Parquet or Arrow',
    'export bundle': 'Export a run as one file that another ledger can import',
  },
  serve: {
    serve: 'Serve the ledger over HTTP: reasons, rollouts, SQL, events, a live feed',
  },
  'set up': {
    doctor: 'Check what is installed, reachable and writable',
    trust: 'Allow programs and hosts that settings files and ledgers name',
    demo: 'Run a small experiment in half a minute and explain it',
  },
  hidden: {
    'blob put': 'Store bytes in the blob store, for events to name',
    'blob get': 'Print the bytes of a blob',
    completion: 'Print the completion script of a shell',
  },
} as const;

/** Loads the command from the file that declares it. */
async function loadOwn(name: string): Promise<CommandModule> {
  const file = `./commands/${name.replace(' ', '-')}.ts`;
  return ((await import(file)) as { readonly command: CommandModule }).command;
}

export const ownCommands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, named]) =>
  Object.entries(named).map(([name, summary]) => ({ name, group, summary, load: () => loadOwn(name) })),
);

/** All commands: icecore's own, then those of plugins. */
export class Commands {
  readonly all: readonly CommandEntry[];
  /** What can follow `icecore`: the first words of all commands. */
  readonly firstWords: readonly string[];
  /** By first word. */
  readonly help: Readonly<Record<string, Help>>;

  constructor(ofPlugins: readonly CommandEntry[] = [], help: Readonly<Record<string, Help>> = {}) {
    this.all = [...ownCommands, ...ofPlugins];
    this.firstWords = [...new Set(this.all.map(({ name }) => name.split(' ')[0] ?? name))];
    this.help = help;
  }

  find(name: string): CommandEntry | undefined {
    return this.all.find((entry) => entry.name === name);
  }

  /** The commands of two words that begin with this word. */
  siblings(word: string): readonly CommandEntry[] {
    return this.all.filter(({ name }) => name.startsWith(`${word} `));
  }
}
