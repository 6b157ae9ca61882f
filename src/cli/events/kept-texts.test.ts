import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { evidenceStream, ndjson, sentRollout } from '../testing/events.ts';
import { icecore, inFolder, json, steering, temporaryFolder } from '../testing/harness.ts';

const place = `${evidenceStream}@0`;

async function withCompletion(text: string, prompt = 'Go.'): Promise<string> {
  const cwd = temporaryFolder();
  const event = sentRollout(0, { prompt: { text: prompt }, completion: { text } });
  await icecore(['event', 'append', '--texts', 'blobs'], { cwd, stdin: ndjson([event]) });
  return cwd;
}

function fileOf(cwd: string, text: string): string {
  const digest = sha256(text);
  return join(cwd, '.icecore', 'ledger.blobs', digest.slice(0, 2), `${digest.slice(2)}.zst`);
}

describe('icecore event show with texts in blobs', () => {
  it('prints the text below the digest of its blob', async () => {
    const { code, stdout, stderr } = await inFolder(await withCompletion('Left, then down.'))('event', 'show', place);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      `blob: "${sha256('Left, then down.')}"\n      bytes: 16\n      text: "Left, then down."\n`,
    );
  });

  it('shortens a long text, with its size and the command that prints it in full', async () => {
    const run = inFolder(await withCompletion('line of text\n'.repeat(100_000)));
    const { stdout, stderr } = await run('event', 'show', place);
    expect(stdout.split('\n').length).toBeLessThan(50);
    expect(stdout).toContain('… 1.24 MiB in all');
    expect(stderr).toBe('texts in blobs were shortened; icecore blob get DIGEST prints one in full\n');
  });

  it('marks an erased text, and does not print a redacted one whose blob still exists', async () => {
    const cwd = await withCompletion('secret');
    renameSync(fileOf(cwd, 'secret'), join(cwd, 'aside'));
    await inFolder(cwd)('event', 'redact', place, '--reason', 'a name');
    expect((await inFolder(cwd)('event', 'show', place)).stdout).toContain('erased: see notes-c0ntractc0nt@0\n');
    renameSync(join(cwd, 'aside'), fileOf(cwd, 'secret'));
    const { stdout } = await inFolder(cwd)('event', 'show', place);
    expect(stdout).toContain('redacted: see notes-c0ntractc0nt@0; its blob is still in folder:');
    expect(stdout).not.toContain('secret');
  });

  it('marks missing and unreadable blobs, and exits with 0', async () => {
    const cwd = await withCompletion('one', 'two');
    renameSync(fileOf(cwd, 'one'), join(cwd, 'aside'));
    writeFileSync(fileOf(cwd, 'two'), 'rubbish');
    const { code, stdout } = await inFolder(cwd)('event', 'show', place);
    expect(code).toBe(0);
    expect(stdout).toContain(`missing: not in folder:${join(cwd, '.icecore', 'ledger.blobs')}\n`);
    expect(stdout).toMatch(/unreadable: .*the blob [0-9a-f]{64} /);
  });

  it('marks texts as missing without a store, and as unreadable with an invalid store URL', async () => {
    const cwd = await withCompletion('one');
    const elsewhere = await icecore(['event', 'show', place], { cwd, env: { ICECORE_BLOBS: 'folder:elsewhere' } });
    expect(elsewhere.stdout).toContain(`missing: there is no blob store at folder:${join(cwd, 'elsewhere')}\n`);
    const nonsense = await icecore(['event', 'show', place], { cwd, env: { ICECORE_BLOBS: 'nonsense' } });
    expect(nonsense).toMatchObject({ code: 0, stdout: expect.stringContaining('unreadable: "nonsense"') });
  });

  it('escapes control characters on a terminal', async () => {
    const cwd = await withCompletion('a\u001b[2J\u0007b\nc\u009b31m');
    const shown = await icecore(['event', 'show', place], { cwd, terminal: 100 });
    expect(steering(shown.stdout)).toEqual([]);
    expect(shown.stdout).toContain('a\\x1b[2J');
  });

  it('prints the event without the text with --json', async () => {
    const event = json(await inFolder(await withCompletion('one'))('event', 'show', place, '--json'));
    expect(event['data']).toMatchObject({ completion: { blob: sha256('one'), bytes: 3 } });
    expect((event['data'] as { completion: object }).completion).not.toHaveProperty('text');
  });
});
