// What a command loads before it answers: people wait for it each time. Reading a ledger opens nothing by its name, so no plugin,
// no policy, no trainer and no model is loaded.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTiny, tinyPlace, tinySettings } from '../producers/run/testing/tiny.ts';
import { shell } from './testing/harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'icecore-loading-'));
const hook = join(folder, 'hook.cjs');
const list = join(folder, 'loaded.txt');

beforeAll(async () => {
  const workspace = join(folder, '.icecore');
  mkdirSync(workspace);
  const place = await tinyPlace(workspace);
  await runTiny(place, { run: 'tiny00000000', settings: tinySettings({ engineer: 'rules', stages: 2 }) });
  await place.ledger.close();
  writeFileSync(
    hook,
    `const { appendFileSync } = require('node:fs');
     require('node:module').registerHooks({
       load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)),
     });`,
  );
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const forbidden = [
  /\/testbed\//,
  /\/src\/library\/plugins\/(?:plugin|define|open-\w+)\.ts$/,
  /\/src\/lab\/(?:policies|trainers\/command|engineers\/(?!engineer\.ts)|models\/(?!entries\.ts))/,
  /\/src\/producers\/(?:trainers|policies|engineers|run\/steps)\//,
  /\/node_modules\/(?!zod\/|commander\/)/,
];

it.each(['runs', 'show', 'show tiny@1', 'why', 'event tail', 'help', 'help run', '--version'])(
  '%s loads no plugin, policy, trainer or model',
  async (line) => {
    rmSync(list, { force: true });
    const ran = await shell(`icecore ${line}`, folder, { NODE_OPTIONS: `--require ${hook}` });
    expect(ran.code).toBe(0);
    const loaded = readFileSync(list, 'utf8').split('\n');
    expect(loaded.length).toBeGreaterThan(5);
    expect(loaded.filter((url) => forbidden.some((pattern) => pattern.test(url)))).toEqual([]);
  },
);
