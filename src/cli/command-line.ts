// The command line of one command as commander knows it: its own arguments and options, those that all share, its help.
import { Command } from 'commander';
import type { CommandFamily, CommandModule, Described, Member } from './command.ts';
import { globalOptions } from './globals.ts';

type Named = Pick<Member, 'name' | 'summary'>;

export const widestHelp = 110;

export function commandOf(entry: Named, module: CommandModule, width: number = widestHelp): Command {
  const command = module
    .declare(new Command(entry.name))
    .description(entry.summary)
    .optionsGroup('Options of every command:')
    .helpOption('-h, --help', 'show help');
  for (const { flags, summary } of globalOptions) if (!flags.endsWith('--help')) command.option(flags, summary);
  return command
    .allowExcessArguments(false)
    .exitOverride()
    .configureHelp({ helpWidth: width, commandUsage: (shown) => `icecore ${shown.name()} ${shown.usage()}` })
    .addHelpText('after', helpAfter(module, width));
}

/** What is shown of a family as a whole. */
export function familyHelp({ name, summary }: Named, family: CommandFamily, width: number): string {
  const members = family.members.map((member) => [member.name, member.summary] as const);
  const shared = globalOptions.map((option) => [option.flags, option.summary] as const);
  const left = Math.max(...[...members, ...shared].map(([term]) => term.length));
  const rows = (pairs: typeof members): string =>
    pairs.map(([term, does]) => `  ${term.padEnd(left)}  ${does}\n`).join('');
  return `Usage: icecore ${name} COMMAND [OPTIONS]

${summary}

Commands:
${rows(members)}
Options of every command:
${rows(shared)}${helpAfter(family, width)}

icecore ${name} COMMAND --help tells more.
`;
}

function helpAfter({ notes, examples }: Described, width: number): string {
  const paragraphs = notes === undefined ? '' : `\n${notes.trim().split('\n\n').map(wrapped(width)).join('\n\n')}\n`;
  const typed = examples.map(([line, does]) => `  ${does}:\n    ${line}\n`).join('');
  return `${paragraphs}\nExamples:\n${typed.trimEnd()}`;
}

/** A paragraph filled to the width; indented lines stay as they are. */
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
