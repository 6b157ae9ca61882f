import { describe, expect, it } from 'vitest';
import { evidenceStream, ndjson, notesStream, rollouts, type Sent, sentNote } from '../testing/events.ts';
import { icecore, inFolder, json, steering, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

async function ledgerWith(events: readonly Sent[]): Promise<string> {
  const cwd = temporaryFolder();
  await icecore(['event', 'append'], { cwd, stdin: ndjson(events) });
  return cwd;
}

const causing = [{ event: sentNote(0).id }, { stream: evidenceStream, from: 0, to: 9, root: 'a'.repeat(64) }];
const caused = { ...sentNote(1, 'because of it'), causes: causing } as Sent;

describe('icecore event show', () => {
  it('prints one event with its position, its causes and its data', async () => {
    const run = inFolder(await ledgerWith([sentNote(0), caused]));
    const { code, stdout, stderr } = await run('event', 'show', `${notesStream}@1`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^RunAnnotated ${notesStream}@1\nid {7}${caused.id}\n`));
    expect(stdout).toMatch(/^at {7}2026-01-02T03:04:05\.678Z, recorded 20\d\d-/m);
    expect(stdout).toMatch(
      new RegExp(`^causes {3}event ${sentNote(0).id}\n {9}${evidenceStream}@0 to @9, root aaaa`, 'm'),
    );
    expect(stdout).toMatch(/^previous [0-9a-f]{64}$/m);
    expect(stdout).toMatch(/^data\n {2}\{ note: "because of it" \}\n$/m);
  });

  it('finds an event by its id, by the beginning of the id, and by STREAM@REVISION', async () => {
    const run = inFolder(await ledgerWith([...rollouts(1), sentNote(0)]));
    const { id = '' } = sentNote(0);
    const byPlace = await run('event', 'show', `${notesStream}@0`);
    for (const reference of [id, id.toUpperCase(), id.slice(0, 13), id.slice(0, 4)]) {
      expect(await run('event', 'show', reference)).toEqual(byPlace);
    }
  });

  it('prints the whole event on one line with --json', async () => {
    const run = inFolder(await ledgerWith([caused]));
    const event = json(await run('event', 'show', `${notesStream}@0`, '--json'));
    expect(event).toMatchObject({ ...caused, revision: 0, previous: null });
    expect(faultsAgainst('event-show', event)).toEqual([]);
    const cloud = json(await run('event', 'show', `${notesStream}@0`, '--cloudevents'));
    expect(cloud).toMatchObject({ subject: notesStream });
    expect(JSON.parse(String(cloud['causes']))).toEqual(causing);
    expect(faultsAgainst('cloudEvent', cloud)).toEqual([]);
  });

  it('lists the candidates if the beginning fits several ids', async () => {
    const run = inFolder(await ledgerWith(rollouts(15)));
    const { id = '' } = rollouts(1)[0] ?? {};
    const ran = await run('event', 'show', id.slice(0, 8), '--json');
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({ error: { kind: 'bad-input', truncated: true } });
    expect((json(ran)['error'] as { candidates: unknown[] }).candidates).toHaveLength(10);
    const few = inFolder(await ledgerWith(rollouts(2)));
    const said = (await few('event', 'show', id.slice(0, 8))).stderr;
    expect(said).toMatch(/matches 2 events\n(?: {2}[0-9a-f-]{36} {2}RolloutRecorded {2}\S+Z {2}evidence-\S+@\d\n){2}/);
    expect(said).toContain('Give more digits of the id, or STREAM@REVISION.');
  });

  it.each([
    ['ffff0000', 1, 'there is no event whose id begins with ffff0000'],
    [`${notesStream}@7`, 1, `there is no event ${notesStream}@7: the last event there is ${notesStream}@0`],
    ['run-nobody@0', 1, 'there is no event run-nobody@0: there is no such stream'],
    ['abc', 2, '"abc" names no event'],
    ['ffff-xyz', 2, '"ffff-xyz" names no event'],
  ])('reports that %s names no event', async (reference, code, said) => {
    const ran = await inFolder(await ledgerWith([sentNote(0)]))('event', 'show', reference);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(said);
  });

  it('shortens long texts, with their size and a note', async () => {
    const note = `${'line of text\n'.repeat(500)}`;
    const run = inFolder(await ledgerWith([sentNote(0, note)]));
    const ran = await run('event', 'show', `${notesStream}@0`);
    expect(ran.stdout.split('\n').length).toBeLessThan(40);
    expect(ran.stdout).toContain('… 6.35 KiB in all');
    expect(ran.stderr).toBe('long texts were shortened; --json shows everything\n');
    expect(json(await run('event', 'show', `${notesStream}@0`, '--json'))).toMatchObject({ data: { note } });
  });

  it('escapes control characters on a terminal', async () => {
    const note = 'a\u001b[2J\u0007\u009b31m\u202e\r\nb\u001b]0;title\u0007';
    const cwd = await ledgerWith([sentNote(0, note)]);
    const shown = await icecore(['event', 'show', `${notesStream}@0`], { cwd, terminal: 200 });
    expect(steering(shown.stdout)).toEqual([]);
    expect(shown.stdout).toContain('\\x1b]0;title\\x07');
  });
});
