import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ndjson, notesStream, sentNote, sentRollout } from '../testing/events.ts';
import { icecore, lines, type Ran, temporaryFolder } from '../testing/harness.ts';

function append(cwd: string, stdin: string | Uint8Array, ...argv: string[]): Promise<Ran> {
  return icecore(['event', 'append', ...argv], { cwd, stdin: [stdin] });
}

interface Rejected {
  readonly line: number;
  readonly error: { readonly message: string };
  readonly bytes: number;
  readonly text: string;
  readonly whole: boolean;
}

function rejectedIn(cwd: string, file: string): Rejected[] {
  return lines(readFileSync(join(cwd, file), 'utf8')).map((line) => JSON.parse(line) as Rejected);
}

const mixed = ndjson([sentRollout(0), sentRollout(1, { environment: 5 }), sentRollout(2, { environment: 6 })]);

/** A folder with bad.ndjson, in which the second of two rejects was corrected. */
async function halfCorrected(): Promise<string> {
  const cwd = temporaryFolder();
  await append(cwd, mixed, '--rejects', 'bad.ndjson');
  const bad = join(cwd, 'bad.ndjson');
  writeFileSync(bad, readFileSync(bad, 'utf8').replace('\\"environment\\":6', '\\"environment\\":\\"lake\\"'));
  return cwd;
}

describe('rejected lines', () => {
  it('can be corrected and appended from the rejects file, and a hint shows how', async () => {
    const cwd = await halfCorrected();
    const ran = await append(cwd, mixed, '--rejects', 'my bad.ndjson', '--dry-run');
    expect(ran.stdout.slice(ran.stdout.indexOf('\n') + 1)).toBe(
      "Correct each \"text\" in 'my bad.ndjson', then append it with the same options: icecore event append 'my bad.ndjson'\n",
    );
    expect((await append(cwd, '', 'bad.ndjson', '--rejects', 'worse.ndjson')).stdout).toMatch(
      /^appended 1 event to 1 stream; 1 rejected, /,
    );
  });

  it('that are still wrong are rejected again unchanged', async () => {
    const cwd = await halfCorrected();
    await append(cwd, '', 'bad.ndjson', '--rejects', 'worse.ndjson');
    const [first] = rejectedIn(cwd, 'bad.ndjson');
    expect(rejectedIn(cwd, 'worse.ndjson')).toEqual([{ ...first, line: 1 }]);
  });

  it('without --rejects stop the append, which names their line in the rejects file', async () => {
    const cwd = await halfCorrected();
    expect((await append(cwd, '', 'bad.ndjson')).stderr).toContain('line 1: data.environment: found 5 (a number)');
  });

  it('without a stream are appended to the one that --stream names', async () => {
    const cwd = temporaryFolder();
    const { stream: _, ...nowhere } = sentNote(0);
    await append(cwd, ndjson([nowhere]), '--rejects', 'bad.ndjson');
    expect((await append(cwd, '', 'bad.ndjson', '--stream', notesStream)).stdout).toMatch(/^appended 1 event /);
  });

  it('may span several lines and need not be JSON', async () => {
    const cwd = temporaryFolder();
    await append(
      cwd,
      JSON.stringify([sentNote(0, '')], null, 2).replace('"note": ""', '"note": NaN'),
      '--rejects',
      'a',
    );
    expect((await append(cwd, '', 'a', '--rejects', 'b')).stdout).toContain('1 rejected');
    expect(rejectedIn(cwd, 'b')[0]?.text).toBe(rejectedIn(cwd, 'a')[0]?.text);
    writeFileSync(
      join(cwd, 'c'),
      readFileSync(join(cwd, 'b'), 'utf8').replace('\\"note\\": NaN', '\\"note\\": \\"x\\"'),
    );
    expect((await append(cwd, '', 'c')).stdout).toMatch(/^appended 1 event /);
  });

  it('that were truncated are rejected again and stay marked as incomplete', async () => {
    const cwd = temporaryFolder();
    const rubbish = Buffer.concat([Buffer.from('{"id":"'), Buffer.alloc(10, 0xff), Buffer.from('"}\n')]);
    const long = Buffer.from(`{"id":"${'x'.repeat(20_000_000)}"}\n`);
    await append(cwd, Buffer.concat([rubbish, long]), '--rejects', 'bad.ndjson');
    await append(cwd, '', 'bad.ndjson', '--rejects', 'worse.ndjson');
    const [first, second] = rejectedIn(cwd, 'worse.ndjson');
    expect(first).toMatchObject({ line: 1, bytes: rubbish.length - 1, whole: false });
    expect(first?.error.message).toContain('text: found only a part of the original text, allowed: the whole text');
    expect(second).toMatchObject({ line: 2, bytes: long.length - 1, whole: false });
    expect(second?.error.message).toContain(`found ${long.length - 1} bytes, allowed: at most`);
  });

  it('are not confused with events that have unknown fields', async () => {
    const { stderr } = await append(temporaryFolder(), '{"line":1,"texts":"x"}\n');
    expect(stderr).toContain('line: found the unknown field "line"');
  });
});

it('the help shows how to append a rejects file', async () => {
  const { stdout } = await icecore(['event', 'append', '--help'], { cwd: temporaryFolder() });
  expect(stdout).toContain('icecore event append bad.ndjson');
});
