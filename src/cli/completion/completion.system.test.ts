import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../schemas/catalogue.ts';
import { wholeRun } from '../../analysis/history/testing/recording.ts';
import { placeWith } from '../runs/testing/looking.ts';
import { commands } from '../testing/commands.ts';
import { evidenceStream, ndjson, notesStream, rollouts, sentNote } from '../testing/events.ts';
import { bin, icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { scripts } from './scripts.ts';

async function candidates(cwd: string, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await inFolder(cwd)('__complete', '--', ...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return lines(stdout).map((line) => line.slice(0, line.indexOf('\t')));
}

describe('icecore __complete', () => {
  const cwd = '/';

  it.each<[string[], string[]]>([
    [[''], commands.firstWords.filter((word) => !['blob', 'completion'].includes(word))],
    [['a'], ['adopt', 'annotate', 'audit', 'ablate']],
    [['--js'], ['--json']],
    [
      ['--json', 't'],
      ['tables', 'trust'],
    ],
    [
      ['help', 'e'],
      ['event', 'export'],
    ],
    [['help', 'al'], ['all']],
    [
      ['help', 'stage', ''],
      ['start', 'finish'],
    ],
    [['help', 'show', ''], []],
    [
      ['event', ''],
      ['append', 'tail', 'show', 'redact'],
    ],
    [['event', '--js'], ['--json']],
    [['event', 'nonsense', ''], []],
    [['event', 'tail', '--f'], ['--follow']],
    [['event', 'tail', '--follow', '--f'], []],
    [['event', 'tail', '--type', 'RunS'], ['RunStarted']],
    [['event', 'tail', '--type', 'RunStarted', 'RunF'], ['RunFailed']],
    [['event', 'tail', '--type', '=', 'RunF'], ['RunFailed']],
    [['event', 'tail', '-n', ''], []],
    [['event', 'append', ''], [':files']],
    [['event', 'append', '--rejects', 'x'], [':files']],
    [['event', 'append', '--expect', 'n'], ['none']],
    [['--ledger', 'x'], [':files']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['nonsense', ''], []],
    [['doctor', ''], []],
    [
      ['lake', ''],
      ['generate', 'solve', 'judge', 'show', 'train', 'evaluate', 'leaderboard', 'bench'],
    ],
    [['lake', 'so'], ['solve']],
    [['lake', '--js'], ['--json']],
    [['--quiet', 'lake', 'solve', '--e'], ['--effort']],
    [['lake', 'solve', ''], [':files']],
    [['lake', 'generate', '--split', 'v'], ['validation']],
    [['lake', 'generate', '--suite', 'agents-5-wait-7'], ['agents-5-wait-75']],
    [['lake', 'generate', '--config', 'c'], [':files']],
    [['lake', 'nonsense', ''], []],
    [
      ['sql', '--format', ''],
      ['table', 'csv', 'ndjson', 'json', 'markdown', 'arrow', 'parquet'],
    ],
    [['sql', '--format', 'a'], ['arrow']],
    [['list', 'tables', 'ro'], ['rollouts']],
    [['sql', '--output', ''], [':files']],
    [['propose', '--engineer', 'ru'], ['rules']],
    [['ablate', '--engineer', 'fixed,ru'], ['fixed,rules']],
    [['ablate', '--context', 'v1,stats+fai'], ['v1,stats+failures']],
    [['ablate', '--baselines', 'fixed,uni'], ['fixed,uniform']],
    [['ablate', '--depth', 't'], ['train']],
    [['run', '--on-error', 'r'], ['retry']],
    [['compare', '--despite', 'env'], ['environment']],
    [['context', '--context', 'comb'], ['combined']],
    [['adopt', ''], [':files']],
    [['adopt', 'next.json', '--reason', 'x', '--rea'], ['--reason']],
    [
      ['stage', ''],
      ['start', 'finish'],
    ],
    [['stage', 'finish', '--curve', ''], [':files']],
  ])('completes %j', async (words, expected) => {
    expect(await candidates(cwd, ...words)).toEqual(expected);
  });

  it('offers every event type', async () => {
    expect(await candidates(cwd, 'event', 'tail', '--type', '')).toEqual([...eventTypes.keys()]);
  });

  it('offers the common options after every command', async () => {
    for (const { name } of commands.all) {
      expect(await candidates(cwd, ...name.split(' '), '--')).toEqual(
        expect.arrayContaining(['--ledger', '--json', '--quiet', '--help']),
      );
    }
  });

  it('offers the streams of the ledger, and none without a ledger', async () => {
    const folder = temporaryFolder();
    expect(await candidates(folder, 'event', 'tail', '--stream', '')).toEqual([]);
    await icecore(['event', 'append'], { cwd: folder, stdin: ndjson([...rollouts(3), sentNote(0)]) });
    expect(await candidates(folder, 'event', 'tail', '--stream', '')).toEqual([notesStream, evidenceStream]);
    expect(await candidates(folder, 'event', 'tail', '--stream', 'ev')).toEqual([evidenceStream]);
  });

  it('offers the runs of the ledger, newest first, and none without a ledger', async () => {
    expect(await candidates(temporaryFolder(), 'show', '')).toEqual([]);
    const { cwd } = await placeWith(wholeRun('first', 'quiet-otter'), wholeRun('second', 'brave-otter'));
    for (const verb of ['show', 'diff', 'annotate', 'ledger seal', 'resume', 'worker', 'export bundle'])
      expect(await candidates(cwd, ...verb.split(' '), '')).toEqual(['brave-otter', 'quiet-otter']);
    expect(await candidates(cwd, 'show', 'q')).toEqual(['quiet-otter']);
    for (const words of [['diff', 'quiet-otter@1'], ['compare', 'quiet-otter'], ['why'], ['why', '--detail', '3']])
      expect(await candidates(cwd, ...words, 'b')).toEqual(['brave-otter']);
    expect(await candidates(cwd, 'annotate', 'quiet-otter', '')).toEqual([]);
  });

  it('offers changed knobs and their families after icecore why RUN', async () => {
    const { cwd } = await placeWith(wholeRun('first', 'quiet-otter'));
    const changed = async (...words: string[]): Promise<string[]> => await candidates(cwd, 'why', ...words);
    expect(await changed('quiet-otter@2', '')).toEqual(
      await changed('--detail', '3', 'quiet-otter@2', '--format', 'md', ''),
    );
    expect(await changed('quiet-otter@2', '')).toEqual(['3', '3.data', '5', '5.data', '5.hole', '4', '4.data']);
    expect(await changed('quiet-otter@2', '5.')).toEqual(['5.data', '5.hole']);
    for (const nothing of ['quiet-otter@1', 'quiet-otter@9', 'nobody', '@'])
      expect(await changed(nothing, '')).toEqual([]);
    expect(await changed('quiet-otter@2', '3.hole', '')).toEqual([]);
  });
});

describe('icecore completion', () => {
  it('prints the script of each shell, and refuses other shells', async () => {
    const run = inFolder(temporaryFolder());
    for (const [shell, script] of Object.entries(scripts)) {
      expect((await run('completion', shell)).stdout).toBe(script);
      expect(faultsAgainst('completion', json(await run('completion', shell, '--json')))).toEqual([]);
    }
    expect(await run('completion', 'tcsh')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh, fish'),
    });
  });
});

/** A folder with `icecore` in it, for the PATH of a shell. */
function withIcecore(): { cwd: string; env: NodeJS.ProcessEnv } {
  const cwd = temporaryFolder();
  const folder = join(cwd, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'icecore'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'node'));
  writeFileSync(join(cwd, 'events.ndjson'), '');
  return { cwd, env: { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` } };
}

function has(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

describe('in a real bash', () => {
  /** What bash would offer for a line, by the function that the script registers. */
  function offered(line: string): string[] {
    const script = `
      source <(icecore completion bash)
      COMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      compopt() { echo "compopt $*"; }
      _icecore
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { ...withIcecore(), encoding: 'utf8' });
    expect(stderr).toBe('');
    return lines(stdout);
  }

  it.skipIf(!has('bash'))('the script offers commands, options and values, and leaves file names to the shell', () => {
    expect(offered('icecore ad')).toEqual(['adopt']);
    expect(offered('icecore event tail --type RunS')).toEqual(['RunStarted']);
    expect(offered('icecore event tail --f')).toEqual(['--follow']);
    expect(offered("icecore event append ''")).toEqual(['compopt -o default']);
    expect(offered('icecore nonsense x')).toEqual([]);
  });
});

describe.each(['zsh', 'fish'] as const)('in a real %s', (shell) => {
  it.skipIf(!has(shell))('the script has a valid syntax', () => {
    const file = join(temporaryFolder(), 'script');
    writeFileSync(file, scripts[shell]);
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stderr: '' });
  });

  it.skipIf(shell !== 'fish' || !has('fish'))('the script offers commands and values', () => {
    const script = `icecore completion fish | source; complete -C 'icecore event tail --type RunS'; complete -C 'icecore ad'`;
    const { stdout } = spawnSync('fish', ['-c', script], { ...withIcecore(), encoding: 'utf8' });
    expect(lines(stdout).map((line) => line.split('\t')[0])).toEqual(['RunStarted', 'adopt']);
  });
});
