// Ledgers, bundles and exports of every earlier format stay readable. test/golden/README.md says how they are made.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseJson } from '../schemas/json-text.ts';
import { inFolder, json, temporaryFolder } from '../src/cli/testing/harness.ts';
import { type Expectation, expectationOf } from './golden.ts';

const golden = new URL('./golden/', import.meta.url);
const formats = readdirSync(golden, { withFileTypes: true }).filter((one) => one.isDirectory());

describe.each(formats.map(({ name }) => name))('the golden ledger of format %s', (format) => {
  const folder = new URL(`${format}/`, golden).pathname;
  const expected = parseJson(readFileSync(join(folder, 'expected.json'), 'utf8')) as Expectation;
  const text = (name: string): Buffer => zstdDecompressSync(readFileSync(join(folder, `${name}.zst`)));
  let cwd: string;
  let icecore: ReturnType<typeof inFolder>;

  beforeEach(() => {
    cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    writeFileSync(join(cwd, '.icecore', 'ledger.db'), text('ledger.db'));
    cpSync(join(folder, 'ledger.blobs'), join(cwd, '.icecore', 'ledger.blobs'), { recursive: true });
    icecore = inFolder(cwd);
  });

  it('verifies', async () => {
    const verified = await icecore('verify', '--json');
    expect(verified.code).toBe(0);
    expect(json(verified)).toMatchObject({ status: 'sound', events: expected.events, opaque: 0, faults: 0 });
  });

  it('fills tables with the expected content', async () => {
    const found = await expectationOf(join(cwd, '.icecore', 'ledger.db'), join(cwd, 'anew.tables'), expected);
    expect(found).toEqual(expected);
  });

  it('can be shown, explained and listed', async () => {
    const runs = json(await icecore('runs', '--json', '--limit', '100'));
    expect(runs['total']).toBe(expected.tables['runs']);
    for (const command of [
      ['show', 'first'],
      ['show', 'forked'],
      ['why', 'first@2'],
      ['report', 'first'],
    ]) {
      const { code, stdout, stderr } = await icecore(...command);
      expect([command, code, stderr]).toEqual([command, 0, expect.not.stringContaining('does not know')]);
      expect(stdout).not.toBe('');
    }
  });

  it('has a bundle that can be imported elsewhere', async () => {
    const elsewhere = inFolder(temporaryFolder());
    expect((await elsewhere('init')).code).toBe(0);
    const opened = await elsewhere('import', 'bundle', join(folder, 'first.icecore.tar.zst'));
    expect(opened).toMatchObject({ code: 0 });
    expect(json(await elsewhere('verify', '--json'))).toMatchObject({ status: 'sound', opaque: 0 });
    expect((await elsewhere('why', 'first@2')).stdout).toBe((await icecore('why', 'first@2')).stdout);
  });

  it('has an export that gives the same events in another ledger', async () => {
    const other = temporaryFolder();
    mkdirSync(join(other, '.icecore'));
    cpSync(join(folder, 'ledger.blobs'), join(other, '.icecore', 'ledger.blobs'), { recursive: true });
    const input = text('forked.ndjson').toString();
    const append = inFolder(other, { stdin: input });
    const appended = await append('event', 'append', '--json');
    expect(appended).toMatchObject({ code: 0 });
    expect(json(appended)).toMatchObject({ appended: input.trimEnd().split('\n').length });
    const exported = (await inFolder(other)('export', 'events')).stdout;
    expect(withoutRecording(exported)).toEqual(withoutRecording(input));
  });
});

/** One line per event, without the recording time, which belongs to the ledger. */
function withoutRecording(ndjson: string): readonly string[] {
  return ndjson.split('\n').map((line) => line.replace(/,"recordedAt":"[^"]*"/, ''));
}
