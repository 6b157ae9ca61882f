import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { Tampering } from '../../ledger/sqlite/testing/tamper.ts';
import { evidenceStream, ndjson, notesStream, rollouts, type Sent, sentNote, sentRollout } from '../testing/events.ts';
import { bin, icecore, inFolder, json, lines, type Ran, shell, steering, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

async function ledgerWith(events: readonly Sent[]): Promise<string> {
  const cwd = temporaryFolder();
  await inFolder(cwd)('init');
  if (events.length > 0) await icecore(['event', 'append'], { cwd, stdin: ndjson(events) });
  return cwd;
}

const rows = ({ stdout }: Ran): Record<string, unknown>[] => lines(stdout).map((line) => JSON.parse(line));

/** The cursor of the event at this place of the ledger, the first one being at 0. */
async function cursorAfter(run: ReturnType<typeof inFolder>, index: number): Promise<string> {
  return String(rows(await run('event', 'tail', '-n', '1000', '--json'))[index]?.['cursor']);
}

function revisions(ran: Ran): unknown[] {
  return rows(ran).map(({ revision }) => revision);
}

describe('icecore event tail', () => {
  it('prints the last 20 events, oldest first, one aligned line each', async () => {
    const run = inFolder(await ledgerWith(rollouts(25)));
    const { stdout } = await run('event', 'tail');
    const shown = lines(stdout);
    expect(shown).toHaveLength(20);
    expect(shown[0]).toBe(
      `2026-01-02T03:04:05Z  ${evidenceStream}@5   RolloutRecorded  producer/rollouts  hole, reward 0, family 8, probe`,
    );
    expect(shown.at(-1)).toContain(`${evidenceStream}@24  RolloutRecorded`);
  });

  it('prints the number of events that -n gives', async () => {
    const run = inFolder(await ledgerWith(rollouts(25)));
    expect(revisions(await run('event', 'tail', '-n', '3', '--json'))).toEqual([22, 23, 24]);
    expect(lines((await run('event', 'tail', '-n', '100')).stdout)).toHaveLength(25);
  });

  it('prints nothing with -n 0', async () => {
    const run = inFolder(await ledgerWith(rollouts(3)));
    for (const argv of [[], ['--json'], ['--type', 'RunFailed'], ['--after', await cursorAfter(run, 0)]])
      expect(await run('event', 'tail', '-n', '0', ...argv)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('accepts -5 for -n 5', async () => {
    const run = inFolder(await ledgerWith(rollouts(25)));
    expect(await run('event', 'tail', '-5')).toEqual(await run('event', 'tail', '-n', '5'));
    expect(revisions(await run('event', 'tail', '--json', '-12', '--stream', evidenceStream))).toHaveLength(12);
    expect((await run('event', 'tail', '--help')).stdout).toMatch(
      /^Usage: icecore event tail \[options\] \[-NUMBER\]$/m,
    );
  });

  it('prints whole events with --json, each with a cursor for --after', async () => {
    const run = inFolder(await ledgerWith([...rollouts(3), sentNote(0)]));
    const all = rows(await run('event', 'tail', '--json'));
    for (const row of all) expect(faultsAgainst('event-tail', row)).toEqual([]);
    expect(all[1]).toMatchObject({ ...sentRollout(1), revision: 1 });
    const cursor = String(all[1]?.['cursor']);
    const rest = rows(await run('event', 'tail', '--json', '--after', cursor));
    expect(rest).toEqual(all.slice(2));
    expect(rows(await run('event', 'tail', '--json', '--after', cursor, '-n', '1'))).toEqual(all.slice(2, 3));
  });

  it('prints CloudEvents with --cloudevents', async () => {
    const run = inFolder(await ledgerWith([...rollouts(1), sentNote(0)]));
    const events = rows(await run('event', 'tail', '--cloudevents'));
    for (const event of events) expect(faultsAgainst('cloudEvent', event)).toEqual([]);
    expect(events[1]).toMatchObject({ specversion: '1.0', type: 'icecore.RunAnnotated', subject: notesStream });
  });

  it('filters events by --type and --stream', async () => {
    const run = inFolder(await ledgerWith([...rollouts(3), sentNote(0), sentNote(1)]));
    expect(rows(await run('event', 'tail', '--json', '--type', 'RunAnnotated'))).toHaveLength(2);
    expect(
      rows(await run('event', 'tail', '--json', '--type', 'RunAnnotated', 'RolloutRecorded', '-n', '4')),
    ).toHaveLength(4);
    expect(rows(await run('event', 'tail', '--json', '--stream', evidenceStream))).toHaveLength(3);
    expect(await run('event', 'tail', '--type', 'RunFailed')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no such events\n',
    });
  });

  it.each([
    [['--type', 'RolloutRecoded'], 2, 'there is no event type "RolloutRecoded"\n  Did you mean RolloutRecorded?'],
    [['--stream', 'rollouts'], 2, '"rollouts" is not the name of a stream'],
    [['-n', 'ten'], 2, '--limit: found "ten", allowed: a whole number from 0'],
    [['-1.5'], 2, '--limit: found "1.5", allowed: a whole number from 0'],
    [['-n', '3', '-5'], 2, 'both -5 and --limit 3\n  Give one of them.'],
    [['extra'], 2, 'too many arguments: "extra"\n  icecore event tail --help shows its arguments and options.'],
    [['-5', 'extra'], 2, 'too many arguments'],
    [['--after', 'elsewhere@5'], 1, 'cursor "elsewhere@5" does not fit'],
    [['--after', 'nonsense'], 1, 'cursor "nonsense" does not fit'],
  ])('refuses %j', async (argv, code, said) => {
    const ran = await inFolder(await ledgerWith(rollouts(1)))('event', 'tail', ...argv);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(said);
  });

  it('reports an empty ledger, and fails without a ledger', async () => {
    expect((await inFolder(await ledgerWith([]))('event', 'tail')).stderr).toBe('no events yet\n');
    expect((await inFolder(await ledgerWith([]))('event', 'tail', '--quiet')).stderr).toBe('');
    const nowhere = inFolder(temporaryFolder());
    expect(json(await nowhere('event', 'tail', '--json'))).toMatchObject({ error: { kind: 'not-found' } });
    expect(json(await nowhere('event', 'tail', '-f', '--json'))).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('prints events whose data has an undeclared shape, and continues after them', async () => {
    const cwd = await ledgerWith(rollouts(3));
    const shapes = [{ failures: 'many', reward: [] }, { reward: { value: null }, family: {} }, [null]];
    const tampering = new Tampering(join(cwd, '.icecore', 'ledger.db'));
    for (const [i, { position, body }] of tampering.bodies().slice(0, shapes.length).entries()) {
      const rewritten = Buffer.from(canonicalJson({ ...JSON.parse(body.toString()), data: shapes[i] }));
      tampering.rewrite(position, rewritten, createHash('sha256').update(rewritten).digest());
    }
    tampering.close();
    const run = inFolder(cwd);
    const { code, stdout } = await run('event', 'tail');
    expect(code).toBe(0);
    expect(lines(stdout)).toHaveLength(shapes.length);
    expect(stdout).toMatch(/not as its type declares: .*failures many/);
    expect(await run('event', 'tail', '--json')).toMatchObject({ code: 0 });
    for (const i of shapes.keys())
      expect(await run('event', 'show', `${evidenceStream}@${i}`)).toMatchObject({ code: 0 });
  });

  it('escapes control characters', async () => {
    const note = 'a\u001b[2J\u0007\u009b31m\u202e\nb';
    const run = inFolder(await ledgerWith([sentNote(0, note)]), { terminal: 200 });
    const shown = await run('event', 'tail');
    expect(shown.stdout).toContain('a\\x1b[2J\\x07\\x9b31m\\u202e\\nb');
    const forPrograms = await run('event', 'tail', '--json');
    expect([...steering(shown.stdout), ...steering(forPrograms.stdout)]).toEqual([]);
    expect(rows(forPrograms)[0]).toMatchObject({ data: { note } });
  });

  it('prints colours only on a terminal, and none with NO_COLOR or TERM=dumb', async () => {
    const cwd = await ledgerWith(rollouts(1));
    expect((await icecore(['event', 'tail'], { cwd, terminal: 200 })).stdout).toContain('\u001b[');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect((await icecore(['event', 'tail'], { cwd, terminal: 200, env })).stdout).not.toContain('\u001b[');
    }
    expect((await icecore(['event', 'tail'], { cwd })).stdout).not.toContain('\u001b[');
  });

  it('shortens lines to the width of a terminal, and only there', async () => {
    const cwd = await ledgerWith([sentNote(0, '冰芯'.repeat(60))]);
    const narrow = await icecore(['event', 'tail'], { cwd, terminal: 90, env: { NO_COLOR: '1' } });
    expect(narrow.stdout.trimEnd()).toMatch(/…$/);
    expect((await icecore(['event', 'tail'], { cwd })).stdout).toContain('冰芯'.repeat(60));
  });
});

/** A terminal for a command comes from util-linux, which not every machine has. */
const canGiveTerminal =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

describe('a terminal of unknown width', () => {
  it.skipIf(!canGiveTerminal)('is treated as 80 columns wide', async () => {
    const cwd = await ledgerWith(rollouts(3));
    const script = (columns: number, argv: string): Promise<Ran> =>
      shell(`script -qec 'stty cols ${columns}; "${process.execPath}" "${bin}" ${argv}' /dev/null < /dev/null`, cwd);
    for (const argv of ['event tail', `event show ${evidenceStream}@0`, 'event tail --help']) {
      const unknown = await script(0, argv);
      expect(unknown.stdout).toMatch(/\S/);
      expect(unknown).toEqual(await script(80, argv));
    }
  });
});

describe('icecore event tail -f', () => {
  it('follows new events until stopped, then prints the command that continues', async () => {
    const cwd = await ledgerWith(rollouts(30));
    const controller = new AbortController();
    let seen = 0;
    const onOutput = async (text: string): Promise<void> => {
      seen += lines(text).length;
      if (seen === 2) await icecore(['event', 'append'], { cwd, stdin: ndjson(rollouts(3, 30)) });
      if (seen >= 5) controller.abort('SIGINT');
    };
    const following = { cwd, signal: controller.signal, onOutput: (text: string) => void onOutput(text) };
    const ran = await icecore(['event', 'tail', '-f', '-n', '2', '--json'], following);
    expect(revisions(ran)).toEqual([28, 29, 30, 31, 32]);
    expect(ran.code).toBe(130);
    const [, cursor = ''] = /^stopped; to continue: icecore event tail -f --after (\S+)\n$/.exec(ran.stderr) ?? [];
    await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(0)]) });
    expect(rows(await inFolder(cwd)('event', 'tail', '--after', cursor, '--json'))).toMatchObject([
      { stream: notesStream },
    ]);
  });

  it.each([
    [
      ['-n', '2'],
      [4, 5],
    ],
    [
      ['-n', '9'],
      [2, 3, 4, 5],
    ],
    [
      ['-n', '4'],
      [2, 3, 4, 5],
    ],
    [
      ['-n', '3'],
      [3, 4, 5],
    ],
    [['-2'], [4, 5]],
    [[], [2, 3, 4, 5]],
  ])('%j --after begins with the last events after the cursor', async (argv, before) => {
    const cwd = await ledgerWith(rollouts(6));
    const after = await cursorAfter(inFolder(cwd), 1);
    const shown = await followed(cwd, [...argv, '--after', after], before.length, rollouts(2, 6));
    expect(shown).toEqual([...before, 6, 7]);
  });

  it('-n 0 prints only new events, also after a cursor', async () => {
    const cwd = await ledgerWith(rollouts(6));
    const after = await cursorAfter(inFolder(cwd), 1);
    const controller = new AbortController();
    const following = { cwd, signal: controller.signal, onOutput: () => controller.abort('SIGINT') };
    const ran = icecore(['event', 'tail', '-f', '--json', '-n', '0', '--after', after], following);
    for (let next = 6; !controller.signal.aborted; next++) {
      await icecore(['event', 'append'], { cwd, stdin: ndjson(rollouts(1, next)) });
      await othersTurn();
    }
    expect(revisions(await ran)[0]).toBeGreaterThanOrEqual(6);
  });
});

/** The revisions that a follower shows: existing events, then those appended after it has shown the given number. */
async function followed(
  cwd: string,
  argv: readonly string[],
  there: number,
  later: readonly Sent[],
): Promise<unknown[]> {
  const controller = new AbortController();
  let seen = 0;
  const onOutput = (text: string): void => {
    const before = seen;
    seen += lines(text).length;
    if (before < there && seen >= there) void icecore(['event', 'append'], { cwd, stdin: ndjson(later) });
    if (seen >= there + later.length) controller.abort('SIGINT');
  };
  return revisions(
    await icecore(['event', 'tail', '-f', '--json', ...argv], { cwd, signal: controller.signal, onOutput }),
  );
}
