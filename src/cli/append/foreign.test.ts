import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ndjson, rollouts } from '../testing/events.ts';
import { icecore, json, type Ran, temporaryFolder } from '../testing/harness.ts';

function append(stdin: string | Uint8Array, cwd = temporaryFolder(), ...argv: string[]): Promise<Ran> {
  return icecore(['event', 'append', ...argv], { cwd, stdin: [stdin] });
}

const packed = gzipSync(ndjson(rollouts(3)));

describe('an input that is not NDJSON of events', () => {
  it('compressed with gzip gets the advice to decompress it', async () => {
    const ran = await append(packed);
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'icecore: the input is gzip, not JSON\n  Unpack it on the way: zcat FILE | icecore event append\n',
    });
  });

  it('compressed with gzip is refused as a whole, even with --rejects', async () => {
    const cwd = temporaryFolder();
    const ran = await append(packed, cwd, '--rejects', 'bad.ndjson', '--json');
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({ error: { kind: 'bad-input', found: 'gzip', appended: 0, rejected: 0 } });
  });

  it('that is a CSV table is recognised as a table', async () => {
    const { stderr } = await append('step,reward\n1,0.5\n');
    expect(stderr).toMatch(/^icecore: line 1: column 1: found "step" \(invalid JSON\)/);
    expect(stderr).toContain('This looks like a table');
    expect(stderr).not.toContain('Correct the line');
  });

  it('that is binary is recognised as a binary file', async () => {
    const { stderr } = await append(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
    expect(stderr).toContain('This looks like a binary file');
    expect(stderr).not.toContain('Correct the line');
  });

  it('in UTF-16 gets the advice for PowerShell', async () => {
    const { stderr } = await append(Buffer.from(`\ufeff${ndjson(rollouts(1))}`, 'utf16le'));
    expect(stderr).toMatch(/\n {2}In PowerShell, write the file with -Encoding utf8\.\n$/);
  });

  it('may be a log with events in it: --rejects sets its other lines aside', async () => {
    const ran = await append(`Epoch 1\n${ndjson(rollouts(2))}`, temporaryFolder(), '--rejects', 'bad.ndjson');
    expect(ran.stdout).toMatch(/^appended 2 events to 1 stream; 1 rejected/);
  });
});
