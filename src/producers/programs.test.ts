// A missing program or script is found before anything is started.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CommandWords } from '../lab/programs/program.ts';
import { refuseMissing } from './programs.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'icecore-programs-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  writeFileSync(join(made, 'there.py'), '');
  writeFileSync(join(made, 'hook.mjs'), '');
  mkdirSync(join(made, 'tools'));
  writeFileSync(join(made, 'tools', 'there.mjs'), '');
  return made;
}

const sh = 'sh';
const node = process.execPath;

it.each<[CommandWords]>([
  [[sh, 'there.py']],
  [[sh, '-x', 'there.py', '--write', 'out.py']],
  [[sh, 'there.py', 'later.py']],
  [[sh, '-c', 'python3 nope.py']],
  [[sh, '-lc', 'nope.py']],
  [[node, 'tools/there.mjs', '--policy', 'nope.js']],
  [[node, '--import', './hook.mjs', 'tools/there.mjs']],
  [[node, '-e', 'nope.js']],
  [[node, '--eval', 'nope.js']],
  [[node, 'https://example.org/engineer.ts']],
  // Other arguments are not checked: they may be files of another machine.
  [['env', 'python3', '/app/nope.py']],
])('%j is accepted', (command) => {
  expect(() => refuseMissing('engineer', command, folder())).not.toThrow();
});

it.each<[CommandWords, string]>([
  [[sh, 'nope.py'], 'nope.py'],
  [[sh, '-x', './nope.sh', 'there.py'], './nope.sh'],
  [[node, '--no-warnings', 'tools/nope.mjs'], 'tools/nope.mjs'],
  [[node, '--import', './nope.mjs', 'tools/there.mjs'], './nope.mjs'],
  [[node, '--import', './hook.mjs', 'tools/nope.mjs'], 'tools/nope.mjs'],
])('%j is missing %s', (command, script) => {
  const at = folder();
  expect(() => refuseMissing('engineer', command, at)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(`cannot be started: the file ${script} does not exist in ${at}`),
      remedy: `Programs start in the current folder, also when a run is resumed elsewhere: start icecore in the folder that has ${script}, or give its whole path to a new run.`,
    }),
  );
});

it('a program that does not exist is refused', () => {
  expect(() => refuseMissing('engineer', ['no-such-program', 'there.py'], folder())).toThrow(
    'no-such-program does not exist or is not executable',
  );
});
