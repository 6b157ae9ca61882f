// Ledgers from untrusted sources, copied into one's own: without --extend they add nothing to an existing run.
import { describe, expect, it } from 'vitest';
import {
  answered,
  keyOf,
  proposal,
  redacted,
  rollout,
  spoken,
  started,
  textNowhere,
} from '../../ledger/copy/testing/history.ts';
import { ndjson } from '../testing/events.ts';
import { icecore, inFolder, json, type Ran, temporaryFolder } from '../testing/harness.ts';

const mine = 'evidence-mine-1-0-0';
const text = 'a text of my run';
const named = spoken(mine, 0, textNowhere(text));
const blob = textNowhere(text).blob;
const answer = `answer-${keyOf('q')}`;
const [stranger, here] = ['sqlite:stranger.db', 'sqlite:.icecore/ledger.db'];

interface Place {
  readonly ic: (...argv: readonly string[]) => Promise<Ran>;
  readonly append: (ledger: string, stream: string, ...events: readonly object[]) => Promise<void>;
}

/** A ledger of my own with a run, a text and a recorded answer; and a stranger's with a copy of that run and another run. */
async function place(): Promise<Place> {
  const cwd = temporaryFolder();
  const ic = inFolder(cwd);
  const append: Place['append'] = async (ledger, stream, ...events) => {
    const stdin = ndjson(events.map((event) => ({ ...event, stream })));
    expect(await icecore(['event', 'append', '--ledger', ledger], { cwd, stdin })).toMatchObject({ code: 0 });
  };
  await ic('init');
  expect((await icecore(['blob', 'put', '-'], { cwd, stdin: text })).code).toBe(0);
  await append(here, answer, answered('q'));
  await append(here, 'run-mine', started('mine', 'my run'));
  await append(here, mine, named, rollout(mine, 1));
  await append(here, 'run-mine', { ...proposal('mine', 1, []), causes: [{ event: answered('q').id }] });
  expect(await ic('ledger', 'copy', here, stranger, '--run', 'mine')).toMatchObject({ code: 0 });
  await append(stranger, 'run-gift', started('gift', 'a gift'));
  return { ic, append };
}

const claim = redacted('notes-mine', 0, { event: named.id, stream: mine, blob });
const additions: readonly [string, string, object, string][] = [
  ['a redaction in a new notes stream', 'notes-mine', claim, 'run mine'],
  ['a decision', 'run-mine', proposal('mine', 2, []), 'run mine'],
  ['evidence', 'evidence-mine-2-0-0', rollout('evidence-mine-2-0-0', 0), 'run mine'],
  [
    'a redaction of an answer that it cites',
    answer,
    redacted(answer, 1, { event: answered('q').id, stream: answer, blob }),
    answer,
  ],
];

describe.each(additions)('a copy that would add to an existing run %s', (_, stream, event, of) => {
  it.each([
    ['of a whole ledger', []],
    ['of that run', ['--run', 'mine']],
  ])('%s writes nothing without --extend', async (_, flags) => {
    const { ic, append } = await place();
    await append(stranger, stream, event);
    const before = json(await ic('ledger', 'head', '--json'))['root'];
    for (const more of [[], ['--erase']]) {
      const refused = await ic('ledger', 'copy', stranger, here, ...flags, ...more);
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`already, and it would add events: 1 to ${of}\n`);
      expect(refused.stderr).toContain('Nothing was written. ');
    }
    expect(json(await ic('ledger', 'head', '--json'))['root']).toBe(before);
    expect((await ic('event', 'show', `${mine}@0`)).stdout).toContain(`text: "${text}"`);
    expect(await ic('verify')).toMatchObject({ code: 0 });
    expect(await ic('ledger', 'copy', stranger, here, ...flags, '--extend')).toMatchObject({ code: 0 });
  });
});

describe('a copy into an existing ledger', () => {
  it('adds new runs without --extend, and adds nothing the second time', async () => {
    const { ic } = await place();
    expect(json(await ic('ledger', 'copy', stranger, here, '--json'))).toMatchObject({ copied: 1 });
    expect(json(await ic('ledger', 'copy', stranger, here, '--json'))).toMatchObject({ copied: 0 });
  });

  it('that is stopped suggests to resume with --extend', async () => {
    const cwd = temporaryFolder();
    const stdin = ndjson([{ ...started('a', 'a'), stream: 'run-a' }]);
    await icecore(['event', 'append'], { cwd, stdin });
    const argv = ['ledger', 'copy', here, 'sqlite:run.db', '--run', 'a'];
    const stopped = await icecore(argv, { cwd, signal: AbortSignal.abort('SIGINT') });
    expect(stopped.stderr).toMatch(/^stopped; run the same again with --extend to continue: /);
    expect(await inFolder(cwd)(...argv, '--extend')).toMatchObject({ code: 0 });
  });

  it('that is a whole copy of the same ledger is updated without --extend', async () => {
    const { ic, append } = await place();
    expect(await ic('ledger', 'copy', here, 'sqlite:backup.db')).toMatchObject({ code: 0 });
    await append(here, 'run-mine', proposal('mine', 2, []));
    expect(json(await ic('ledger', 'copy', here, 'sqlite:backup.db', '--json'))).toMatchObject({ copied: 1 });
  });
});

describe('icecore verify', () => {
  it('names the event that claims a redaction, and suggests no command that erases', async () => {
    const { ic, append } = await place();
    await append(stranger, 'notes-mine', claim);
    await ic('ledger', 'copy', stranger, here, '--extend');
    const { stdout, stderr } = await ic('verify');
    expect(stdout).toContain(`notes-mine@0 says that data.completion in ${mine} was redacted`);
    expect(stdout + stderr).not.toMatch(/icecore event redact|completes it/);
  });
});
