// Events that somebody forged in the file of a ledger, shown to people and to programs.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { ndjson, notesStream, sentNote } from '../testing/events.ts';
import { icecore, inFolder, json, lines, temporaryFolder } from '../testing/harness.ts';

/** A ledger of two notes, the first with these bytes and a digest of them. */
async function ledgerWith(change: (body: string) => string): Promise<ReturnType<typeof inFolder>> {
  const cwd = temporaryFolder();
  await inFolder(cwd)('init');
  await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(0), sentNote(1)]) });
  const tampering = new Tampering(join(cwd, '.icecore', 'ledger.db'));
  const body = Buffer.from(change(tampering.bodies()[0]?.body.toString() ?? ''));
  tampering.rewrite(1, body, createHash('sha256').update(body).digest());
  tampering.close();
  return inFolder(cwd);
}

const stranger = (body: string): string => body.replace('note 0', 'forged');

const noEvents: [string, (body: string) => string][] = [
  ['a number', () => '12'],
  ['null', () => 'null'],
  ['no bytes', () => ''],
  ['cut off', (body) => body.slice(0, -20)],
  ['an empty object', () => '{}'],
  ['another object', () => '{"at":1,"actor":null}'],
  ['invalid causes', (body) => body.replace('"causes":[]', '"causes":[null]')],
];

describe('an event with invalid bytes', () => {
  it.each(noEvents)('is listed as unreadable among the others: %s', async (_, change) => {
    const run = await ledgerWith(change);
    const shown = await run('event', 'tail');
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(lines(shown.stdout)[0]).toMatch(
      new RegExp(`${notesStream}@0  RunAnnotated .*unreadable: its bytes are not`),
    );
    expect(lines(shown.stdout)[1]).toContain('note 1');
    const clouds = await run('event', 'tail', '--cloudevents');
    expect(lines(clouds.stdout).map((line) => JSON.parse(line))).toMatchObject([
      { stream: notesStream, revision: 0, unreadable: 'its bytes are not an event' },
      { subject: notesStream },
    ]);
  });

  it.each(noEvents)('is reported as damaged when it is shown alone: %s', async (_, change) => {
    const run = await ledgerWith(change);
    const shown = await run('event', 'show', `${notesStream}@0`, '--json');
    expect(json(shown)).toMatchObject({ error: { kind: 'damaged', stream: notesStream, revision: 0 } });
  });

  it.each([
    ['of two lines', (body: string) => `${body}\n${stranger(body)}`],
    ['with control characters', (body: string) => body.replace('note 0', 'note \u001b[31m')],
    ['a number', () => '12'],
  ])('is a single line with --json: %s', async (_, change) => {
    const run = await ledgerWith(change);
    const rows = lines((await run('event', 'tail', '--json')).stdout).map((line) => JSON.parse(line));
    expect(rows).toMatchObject([{ revision: 0, unreadable: 'its bytes are not an event' }, { revision: 1 }]);
  });
});

describe('an event nested too deeply', () => {
  it('is shown down to the maximum depth', async () => {
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    const run = await ledgerWith((body) => body.replace('"note 0"', `"note 0","deep":${deep}`));
    const shown = await run('event', 'show', `${notesStream}@0`);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('nested deeper than 256 levels');
    expect((await run('event', 'tail')).code).toBe(0);
  });
});

describe('an event with an impossible recording time', () => {
  it('is shown with the raw time of its store', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    await run('init');
    await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(0)]) });
    const tampering = new Tampering(join(cwd, '.icecore', 'ledger.db'));
    tampering.run('UPDATE events SET recorded_at = 9000000000000000');
    tampering.close();
    const said = '9000000000000000 ms after 1970';
    expect((await run('event', 'show', `${notesStream}@0`)).stdout).toContain(`recorded ${said}`);
    expect(json(await run('event', 'tail', '--json'))).toMatchObject({ recordedAt: said });
    expect((await run('sql', 'SELECT recorded_at FROM events', '--format', 'csv')).code).toBe(0);
    expect((await run('export', 'events')).stdout).toContain(said);
  });
});
