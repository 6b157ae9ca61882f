// Runs whose names would be commands if a shell read them: completing one inserts a single word that means the name, in each
// shell, and nothing of it is run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWith } from '../runs/testing/looking.ts';
import { bin, inFolder, lines, steering, temporaryFolder } from '../testing/harness.ts';

/** Each begins with what no other begins with, so that a shell has one candidate for it. */
const names = [
  'a;touch forged',
  'b$(touch forged)',
  'c`touch forged`',
  'd\'quoted\' "twice"',
  'e * ? [x] {y,z}',
  'f | touch forged & touch forged > forged',
  'g with  spaces',
  'h:colon:described',
  `i~ $HOME $\{HOME}`,
  'j\\backslash\\',
  'k!history #comment',
  'l=value,<(touch forged)',
  '~root',
  '*',
] as const;

/** Not offered to a shell: control characters, line breaks and options. */
const unfit = ['--ledger=x', 'm\u202egnol', 'n\u2028line', ':files'] as const;

/** What `icecore __complete` answers, with descriptions as hostile as the names. */
const answers = names.map((name) => `${name}\t$(touch forged): 'x' "y" -- \\\n`).join('');

function has(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Its PATH has an `icecore` that completes the names, and otherwise records its arguments. */
function place(): Place {
  const cwd = temporaryFolder();
  const folder = join(cwd, 'bin');
  mkdirSync(folder);
  writeFileSync(join(cwd, 'answers'), answers);
  symlinkSync(process.execPath, join(folder, 'node'));
  const offering = `const [, typed] = process.argv.slice(-2);
    for (const line of require('node:fs').readFileSync('answers', 'utf8').split('\\n'))
      if (line !== '' && line.startsWith(typed)) console.log(line);`;
  writeFileSync(join(cwd, 'offering.cjs'), offering);
  const script = `#!/bin/sh
case "$1" in
  __complete) exec node offering.cjs "$@" ;;
  completion) exec "${process.execPath}" "${bin}" "$@" ;;
  *) printf '%s\\0' "$@" > part && mv part arguments ;;
esac
`;
  writeFileSync(join(folder, 'icecore'), script, { mode: 0o755 });
  const env = { ...process.env, HOME: cwd, ZDOTDIR: cwd, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  return { cwd, env };
}

function argumentsIn({ cwd }: Place): string[] {
  const path = join(cwd, 'arguments');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\0').slice(0, -1) : [];
}

function firstOf(name: string): string {
  return name.slice(0, 1);
}

describe('the completions of a run', () => {
  it('are names that are safe words, and otherwise the id of the run', { timeout: 60_000 }, async () => {
    const { cwd } = await placeWith(...[...names, ...unfit].map((name, i) => wholeRun(`run${i}`, name)));
    const { stdout } = await inFolder(cwd)('__complete', '--', 'show', '');
    const offered = lines(stdout).map((line) => line.slice(0, line.indexOf('\t')));
    expect(offered.toSorted()).toEqual([...names, 'run14', 'run15', 'run16', 'run17'].toSorted());
    expect(steering(stdout.replaceAll('\t', ''))).toEqual([]);
  });
});

describe.skipIf(!has('bash'))('bash inserts the name as a single word', () => {
  it.each(names)('%s', (name) => {
    const there = place();
    const script = `
      source <(icecore completion bash)
      COMP_WORDS=(icecore show '${firstOf(name)}') COMP_CWORD=2
      _icecore
      [[ \${#COMPREPLY[@]} == 1 ]] && eval "icecore show \${COMPREPLY[0]}"`;
    const { stderr } = spawnSync('bash', ['-c', script], { ...there, encoding: 'utf8' });
    expect({ stderr, arguments: argumentsIn(there) }).toEqual({ stderr: '', arguments: ['show', name] });
    expect(readdirSync(there.cwd)).not.toContain('forged');
  });
});

describe.skipIf(!has('fish'))('fish inserts the name as a single word', () => {
  it.each(names)('%s', (name) => {
    const there = place();
    const typed = firstOf(name).replace(/[~*]/, '\\$&');
    const script = `
      icecore completion fish | source
      set -l found (complete --escape -C 'icecore show ${typed}')
      test (count $found) = 1; and eval "icecore show "(string split -m 1 \\t -- $found)[1]`;
    const { stderr } = spawnSync('fish', ['-c', script], { ...there, encoding: 'utf8' });
    expect({ stderr, arguments: argumentsIn(there) }).toEqual({ stderr: '', arguments: ['show', name] });
    expect(readdirSync(there.cwd)).not.toContain('forged');
  });
});

describe.skipIf(!has('zsh'))('zsh inserts the name as a single word', () => {
  it('for every name', { timeout: 60_000 }, () => {
    const there = place();
    const typed = names.map((name) => firstOf(name).replace(/[~*]/, '\\$&'));
    // A terminal of its own, in which somebody types each beginning, the tab key, another word and the enter key.
    const script = `
      zmodload zsh/zpty zsh/zselect
      zpty terminal zsh -f -i
      zpty -w terminal 'PS1=; autoload -U compinit; compinit -u -D; source <(icecore completion zsh); echo rea""dy'
      zpty -r terminal answer '*ready*'
      for typed in "$@"; do
        zpty -w -n terminal "icecore show $typed"$'\\t'
        zpty -w terminal end
        repeat 1000; do [[ -s arguments ]] && break; zselect -t 1; done
        cat arguments
        rm -f arguments
      done
      zpty -d terminal`;
    const { stdout } = spawnSync('zsh', ['-f', '-c', script, 'zsh', ...typed], { ...there, encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual(names.flatMap((name) => ['show', name, 'end']));
    expect(readdirSync(there.cwd)).not.toContain('forged');
  });
});

describe('a program called icecore in the current folder', () => {
  const lines = {
    bash: `source <(icecore completion bash); COMP_WORDS=(./icecore show '') COMP_CWORD=2; _icecore`,
    zsh: `compdef() { true; }; compadd() { true; }; source <(icecore completion zsh); words=(./icecore show '') CURRENT=3; _icecore`,
    fish: `icecore completion fish | source; complete -C './icecore show '`,
  } as const;

  it.each(Object.entries(lines))('is not started by the completion of %s', (name, script) => {
    if (!has(name)) return;
    const there = place();
    writeFileSync(join(there.cwd, 'icecore'), '#!/bin/sh\ntouch forged\n', { mode: 0o755 });
    expect(spawnSync(name, ['-c', script], { ...there, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(there.cwd)).not.toContain('forged');
  });
});
