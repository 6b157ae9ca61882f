import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../ledger/open.ts';
import { evidenceStream, ndjson, notesStream, rollouts, sentNote } from './testing/events.ts';
import { icecore, inFolder, type Ran, type Surroundings, shell, temporaryFolder } from './testing/harness.ts';

/** The command that an error suggests. */
function typed({ stderr }: Ran): string {
  return /`([^`]+)`/.exec(stderr)?.[1] ?? 'nothing';
}

describe('a missing ledger', () => {
  /** Runs the command that the error suggests, and then the failed command again. Returns the suggestion. */
  async function createsAsSuggested(
    cwd: string,
    argv: readonly string[],
    surroundings: Partial<Surroundings> = {},
  ): Promise<string> {
    const { env = {} } = surroundings;
    writeFileSync(join(cwd, 'FILE'), ndjson([sentNote(0)]));
    const hint = typed(await icecore(argv, { cwd, env }));
    expect(await shell(hint, cwd, env)).toMatchObject({ code: 0 });
    expect(await icecore(argv, { cwd, env })).toMatchObject({ code: 0 });
    return hint.replaceAll(cwd, '');
  }

  it('is created by the command in the error: in the workspace', async () => {
    expect(await createsAsSuggested(temporaryFolder(), ['event', 'tail'])).toBe('icecore init');
    const env = { ICECORE_WORKSPACE: 'elsewhere' };
    expect(await createsAsSuggested(temporaryFolder(), ['event', 'tail'], { env })).toBe('icecore init');
  });

  it('is created by the command in the error: at a flag or variable, with shell quoting', async () => {
    const argv = ['event', 'tail', '--ledger', "sqlite:it's mine.db"];
    expect(await createsAsSuggested(temporaryFolder(), argv)).toBe(`icecore init --ledger 'sqlite:it'\\''s mine.db'`);
    const env = { ICECORE_LEDGER: 'sqlite:x.db' };
    expect(await createsAsSuggested(temporaryFolder(), ['event', 'tail'], { env })).toBe(
      'icecore init --ledger sqlite:x.db',
    );
  });

  it('is created by the command in the error: in the folder of the settings that name it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'icecore.config.json'), '{"ledger": "sqlite:x.db"}');
    mkdirSync(join(cwd, 'below'));
    const hint = typed(await inFolder(join(cwd, 'below'))('event', 'tail'));
    expect(hint).toBe(`cd ${cwd} && icecore init`);
    expect(await createsAsSuggested(cwd, ['event', 'tail'])).toBe('icecore init');
  });

  it('is created by the command in the error: in the workspace of a parent folder', async () => {
    const cwd = temporaryFolder();
    for (const name of ['.icecore', 'below']) mkdirSync(join(cwd, name));
    expect(await createsAsSuggested(join(cwd, 'below'), ['event', 'tail'])).toBe(`cd ${cwd} && icecore init`);
    expect(existsSync(join(cwd, 'below', '.icecore'))).toBe(false);
  });

  it('is reported as a wrong path if the workspace has another ledger', async () => {
    const cwd = temporaryFolder();
    await inFolder(cwd)('init');
    const used = `sqlite:${join(cwd, '.icecore', 'ledger.db')}`;
    const found = await inFolder(cwd)('event', 'tail', '--ledger', 'sqlite:x.db');
    expect(found.stderr).toContain(
      `  Check the path. Without --ledger, commands here use ${used}; \`icecore run --ledger sqlite:x.db\` would start a new ledger.\n`,
    );
    const near = await inFolder(cwd)('event', 'tail', '--ledger', 'sqlite:.icecore/leger.db');
    expect(near.stderr).toContain('  Did you mean sqlite:.icecore/ledger.db? Without --ledger, ');
  });

  it('throws LedgerMissing with a remedy for a library caller', async () => {
    const url = `sqlite:${join(temporaryFolder(), 'x.db')}`;
    await expect(openLedger(url)).rejects.toMatchObject({
      name: 'LedgerMissing',
      remedy: `Create one with \`icecore init --ledger ${url}\`.`,
    });
  });
});

describe('a first append', () => {
  const note = sentNote(0);

  it.each<[string, string, readonly string[]]>([
    ['is not JSON', 'rubbish\n', []],
    ['is not a valid event', ndjson([{ ...note, data: { note: 5 } }]), []],
    ['has two different events with one id', ndjson([note, sentNote(1), { ...note, data: { note: 'otherwise' } }]), []],
    ['expects missing events', ndjson([note]), ['--stream', notesStream, '--expect', '3']],
    ['expects a missing stream', ndjson([note]), ['--stream', notesStream, '--expect', 'exists']],
    ['goes to an invalid path', ndjson([note]), ['--ledger', 'sqlite:\u0000']],
  ])('that %s creates no files', async (_, stdin, argv) => {
    const cwd = temporaryFolder();
    const ran = await icecore(['event', 'append', ...argv], { cwd, stdin });
    expect(ran.code).toBe(1);
    expect(ran.stderr).not.toContain('created ');
    expect(readdirSync(cwd)).toEqual([]);
    if (!argv.includes('--ledger'))
      await icecore(['event', 'append', ...argv, '--ledger', 'sqlite:deep/x.db'], { cwd, stdin });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('fails with the same error as in an existing ledger', async () => {
    const twice = ndjson([note, sentNote(1), { ...note, data: { note: 'otherwise' } }]);
    const [fresh, made] = [temporaryFolder(), temporaryFolder()];
    await inFolder(made)('init');
    const refused = await icecore(['event', 'append'], { cwd: fresh, stdin: twice });
    expect(refused.stderr).toContain(`is also that of line 1, which differs in data.note`);
    expect(refused).toEqual(await icecore(['event', 'append'], { cwd: made, stdin: twice }));
  });

  it('without events creates no files', async () => {
    const cwd = temporaryFolder();
    expect(await icecore(['event', 'append'], { cwd, stdin: '\n' })).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('creates a ledger only if --rejects does not take every line', async () => {
    const cwd = temporaryFolder();
    const bad = { ...note, data: { note: 5 } };
    await icecore(['event', 'append', '--rejects', 'bad.ndjson'], { cwd, stdin: ndjson([bad]) });
    expect(readdirSync(cwd)).toEqual(['bad.ndjson']);
    const ran = await icecore(['event', 'append', '--rejects', 'bad.ndjson'], {
      cwd,
      stdin: ndjson([bad, sentNote(1)]),
    });
    expect(ran.stdout).toContain('appended 1 event to 1 stream; 1 rejected');
    expect(ran.stderr).toBe(`created ${join(cwd, '.icecore')}\n`);
  });

  it('by concurrent processes creates one ledger with all their events', async () => {
    const cwd = temporaryFolder();
    for (let i = 0; i < 4; i++) writeFileSync(join(cwd, `${i}.ndjson`), ndjson(rollouts(50, i * 50)));
    const all = 'for i in 0 1 2 3; do icecore event append -q $i.ndjson & done; wait';
    expect(await shell(all, cwd)).toMatchObject({ code: 0, stderr: '' });
    expect((await inFolder(cwd)('doctor')).stdout).toMatch(/, 200 events$/m);
    expect((await inFolder(cwd)('event', 'show', `${evidenceStream}@199`)).code).toBe(0);
  });
});

describe('an existing ledger', () => {
  it('is opened and checked before the input is read', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'x.db'), 'no database, but a text as long as the header of one. '.repeat(50));
    const unread: Iterable<string> = {
      [Symbol.iterator]: () => {
        throw new Error('the input was read');
      },
    };
    const ran = await icecore(['event', 'append', '--ledger', 'sqlite:x.db'], { cwd, stdin: unread });
    expect(ran).toMatchObject({ stderr: expect.stringContaining('is not an icecore ledger') });
  });
});
