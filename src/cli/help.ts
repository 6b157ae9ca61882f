// Help pages: the first screen, all commands by group, and the commands that share a first word.
import type { CommandModule, Declared, Help } from '../library/plugins/command.ts';
import { globalOptions } from './globals.ts';
import type { Io } from './io.ts';
import { programName } from './program.ts';
import { type Commands, ownCommands } from './registry.ts';

export const widest = 110;

/** The verbs of the first screen. */
const firstVerbs = ['run', 'resume', 'runs', 'show', 'why', 'ablate', 'report', 'sql'];

/** What `icecore` alone shows; `workspace` is the line about the workspace in use. */
export function firstScreen(io: Io, workspace: string): string {
  const verbs = firstVerbs.flatMap((name) => ownCommands.find((own) => own.name === name) ?? []);
  const program = programName(io);
  return `icecore records, replays and explains reinforcement-learning experiments
whose environment is redesigned between stages.

Workspace: ${workspace}

${rows(verbs.map(({ name, summary }) => [name, summary]))}
${rows([
  [`${program} demo`, 'see a small experiment in half a minute'],
  [`${program} help all`, 'list every command'],
  [`${program} COMMAND --help`, 'explain one command, with examples'],
])}`;
}

export function allCommands(io: Io, { all: commands }: Commands): string {
  const groups = [...new Set(commands.map(({ group }) => group))].filter((group) => group !== 'hidden');
  const width = Math.max(...commands.map(({ name }) => name.length));
  const texts = groups.map((group) => {
    const own = commands.filter((command) => command.group === group);
    return `${group}\n${rows(
      own.map(({ name, summary }) => [name, summary]),
      width,
    )}`;
  });
  return `Usage: icecore COMMAND [OPTIONS]

${texts.join('\n')}
Options of every command, before or after its name
${rows([...globalOptions.map(({ flags, summary }) => [flags, summary] as const), ['-V, --version', 'show the version']], width)}
Settings: flags beat ICECORE_WORKSPACE and ICECORE_LEDGER, which beat icecore.config.json or .ts.
Results go to standard output, messages and progress to standard error.
Exit code: 0 done, 1 failed (also: a wrong file, an unknown run, wrong SQL), 2 misused (a wrong
command line, for example with an unknown stage or knob, or a wrong icecore.config), 130 stopped by
Ctrl-C.

${programName(io)} COMMAND --help explains one command, with examples.
`;
}

/** The commands with one first word, as `icecore lake` shows them. */
export function familyHelp(word: string, width: number, commands: Commands): string {
  const help = about[word] ?? commands.help[word];
  return `Usage: icecore ${word} COMMAND [OPTIONS]

${rows(commands.siblings(word).map(({ name, summary }) => [name, summary]))}
Options of every command:
${rows(globalOptions.map(({ flags, summary }) => [flags, summary] as const))}${
  help === undefined ? '' : `${notesText(help, width)}${exampleText(help)}\n`
}
icecore ${word} COMMAND --help explains one of them.
`;
}

const about: Readonly<Record<string, Help>> = {
  stage: {
    notes: `
For a trainer that icecore does not start: a shell script or a cluster job. stage start prints what to train as one line of
JSON, the same that a trainer reads on its standard input (docs/trainers.md). stage finish records the training, measures the
policy, gathers evidence, asks the engineer and adopts the next configuration. Both can be stopped and repeated.
examples/own-loop/loop.py is a complete loop.
`,
    examples: [
      [
        'icecore stage start mine --environment "python3 environment.py" --stages 3 > stage.json',
        'Start a run and print what to train first',
      ],
      ['python3 train.py < stage.json > progress.ndjson', 'Train with your own program'],
      ['icecore stage finish mine --checkpoint out/final.json --curve progress.ndjson', 'Record what it produced'],
    ],
  },
  export: {
    notes: `
Spark, Trino, DuckDB, Polars and pandas read the exported tables and events as they are. A bundle is one run in one file: its
events, texts, checkpoints and recorded answers. icecore import bundle adds it to another ledger, where icecore verify proves
it. docs/export.md describes the files.
`,
    examples: [
      ['icecore export tables --output warehouse', 'All tables as Parquet, partitioned by run and stage'],
      ['icecore export events --format cloudevents > events.ndjson', 'Every event as a CloudEvent, one per line'],
      ['icecore export bundle latest', 'The newest run in one file'],
    ],
  },
};

interface OptionGroup {
  /** Null: the options that are under no heading. */
  readonly heading: string | null;
  readonly options: readonly Declared<unknown>[];
}

/** The options of a command by heading; those under no heading come first. */
export function optionGroups({
  options,
  headings = {},
}: Pick<CommandModule, 'options' | 'headings'>): readonly OptionGroup[] {
  const named = new Set(Object.values(headings).flat());
  const others = Object.entries(options).flatMap(([name, option]) => (named.has(name) ? [] : [option]));
  const groups = Object.entries(headings).map(([heading, names]) => ({
    heading,
    options: names.flatMap((name) => options[name] ?? []),
  }));
  return [{ heading: null, options: others }, ...groups].filter((group) => group.options.length > 0);
}

function rows(pairs: readonly (readonly [string, string])[], least = 0): string {
  const width = Math.max(least, ...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

export function notesText({ notes }: Help, width: number): string {
  return notes === undefined ? '' : `\n${notes.trim().split('\n\n').map(wrapped(width)).join('\n\n')}\n`;
}

export function exampleText({ examples }: Help): string {
  const typed = examples.map(([line, does]) => `  ${does}:\n    ${line}\n`).join('');
  return `\nExamples:\n${typed.trimEnd()}`;
}

/** A paragraph wrapped at the width; one with indented lines stays unchanged. */
function wrapped(width: number): (paragraph: string) => string {
  return (paragraph) => {
    if (/\n {2}/.test(paragraph)) return paragraph;
    const lines = [''];
    for (const word of paragraph.split(/\s+/)) {
      const last = lines.at(-1) ?? '';
      if (last === '') lines[lines.length - 1] = word;
      else if (last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines.join('\n');
  };
}
