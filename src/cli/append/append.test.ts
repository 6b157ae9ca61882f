import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evidenceStream, ndjson, notesStream, rollouts, sentNote, sentRollout } from '../testing/events.ts';
import { icecore, inFolder, json, lines, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

function append(cwd: string, stdin: string | Uint8Array, ...argv: string[]): Promise<Ran> {
  return icecore(['event', 'append', ...argv], { cwd, stdin: [stdin] });
}

async function stored(cwd: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await inFolder(cwd)('event', 'tail', '-n', '100000', '--json');
  return lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('icecore event append', () => {
  it('reads standard input, creates a workspace for the first events, and reports both', async () => {
    const cwd = temporaryFolder();
    const ran = await append(cwd, ndjson(rollouts(3)));
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^appended 3 events to 1 stream; [\d.]+ m?s, [\d,]+\/s\n$/);
    expect(ran.stderr).toBe(`created ${join(cwd, '.icecore')}\n`);
    expect(await stored(cwd)).toHaveLength(3);
    expect((await append(cwd, ndjson(rollouts(4)), '-')).stdout).toMatch(
      /^appended 1 event to 1 stream; 3 already there; /,
    );
  });

  it('reads a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'events.ndjson'), ndjson(rollouts(3)));
    expect((await append(cwd, '', 'events.ndjson')).stdout).toMatch(/^appended 3 events/);
  });

  it('with --json prints the counts as one object', async () => {
    const cwd = temporaryFolder();
    await append(cwd, ndjson(rollouts(2)));
    const ran = await append(cwd, ndjson([...rollouts(5), sentNote(0)]), '--json', '--quiet');
    expect(ran.stderr).toBe('');
    expect(json(ran)).toMatchObject({
      appended: 4,
      existed: 2,
      valid: 6,
      rejected: 0,
      rejects: null,
      streams: 2,
      dryRun: false,
    });
    expect(faultsAgainst('event-append', json(ran))).toEqual([]);
  });

  it('adds events without a stream to the stream named by --stream', async () => {
    const cwd = temporaryFolder();
    const { stream: _, ...nowhere } = sentNote(0);
    expect((await append(cwd, ndjson([nowhere]))).stderr).toContain(
      'line 1: stream: found nothing, allowed: the name of a stream',
    );
    await append(cwd, ndjson([nowhere]), '--stream', notesStream);
    expect((await stored(cwd))[0]).toMatchObject({ stream: notesStream, revision: 0 });
  });

  it('accepts an input without events and says so', async () => {
    for (const input of ['', '\n\n', '[]', '\ufeff']) {
      const ran = await append(temporaryFolder(), input);
      expect(ran).toMatchObject({ code: 0, stdout: 'appended 0 events: the input has none\n' });
    }
  });

  it('accepts CRLF line ends, a byte order mark and a last line without a line end', async () => {
    const text = `\ufeff${ndjson(rollouts(3)).replaceAll('\n', '\r\n').trimEnd()}`;
    expect((await append(temporaryFolder(), text)).stdout).toMatch(/^appended 3 events/);
  });

  it('stores every Unicode character unchanged', async () => {
    const cwd = temporaryFolder();
    const note = 'Größe 冰芯 🧊 ﷽ e\u0301 \u0000 \u2028 \u202e';
    await append(cwd, ndjson([sentNote(0, note)]));
    expect((await stored(cwd))[0]).toMatchObject({ data: { note } });
  });

  it('with --dry-run checks every event and writes nothing', async () => {
    const cwd = temporaryFolder();
    const ran = await append(cwd, ndjson(rollouts(3)), '--dry-run');
    expect(ran.stdout).toMatch(/^3 events could be appended; nothing was written; /);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await append(cwd, ndjson([sentRollout(0, { environment: 1 })]), '--dry-run')).code).toBe(1);
    const summary = json(await append(cwd, ndjson(rollouts(3)), '--dry-run', '--json'));
    expect(summary).toMatchObject({ dryRun: true, valid: 3, appended: 0 });
    expect(faultsAgainst('event-append', summary)).toEqual([]);
  });
});

describe('CloudEvents', () => {
  const cloud = (index: number): Record<string, unknown> => {
    const { id, type, actor, at, data } = sentNote(index);
    return { specversion: '1.0', id, type: `icecore.${type}`, source: actor, time: at, subject: notesStream, data };
  };
  const three = [cloud(0), cloud(1), cloud(2)];

  it.each([
    ['one a line', ndjson(three), 3],
    ['in a list', JSON.stringify(three), 3],
    ['in a list over many lines', JSON.stringify(three, null, 2), 3],
    ['one, over many lines', JSON.stringify(cloud(0), null, 2), 1],
    ['beside events of icecore', ndjson([cloud(0), sentNote(1)]), 2],
  ])('are accepted %s', async (_, text, count) => {
    const cwd = temporaryFolder();
    expect((await append(cwd, text)).code).toBe(0);
    const events = await stored(cwd);
    expect(events).toHaveLength(count);
    expect(events[0]).toMatchObject({
      id: sentNote(0).id,
      stream: notesStream,
      actor: 'human/ada',
      at: sentNote(0).at,
    });
  });

  it('with an unknown attribute are refused, with the attribute named', async () => {
    const { stderr } = await append(temporaryFolder(), ndjson([{ ...cloud(0), subjekt: 'x' }]));
    expect(stderr).toContain('line 1: subjekt: found the attribute "subjekt", allowed: "subject", perhaps');
  });
});

describe('the output of icecore event tail', () => {
  it('can be appended to another ledger, as JSON or as CloudEvents, with equal digests', async () => {
    const [from, to, third] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    await append(from, ndjson([...rollouts(3), sentNote(0), sentNote(1)]));
    await append(to, (await inFolder(from)('event', 'tail', '--json')).stdout);
    await append(third, (await inFolder(from)('event', 'tail', '--cloudevents')).stdout);
    const digests = async (cwd: string): Promise<unknown[]> => (await stored(cwd)).map(({ digest }) => digest);
    expect(await digests(to)).toEqual(await digests(from));
    expect(await digests(third)).toEqual(await digests(from));
  });

  it('is refused if an event was altered on the way', async () => {
    const [from, to] = [temporaryFolder(), temporaryFolder()];
    await append(from, ndjson([sentNote(0, 'solved 3 of 10')]));
    const altered = (await inFolder(from)('event', 'tail', '--json')).stdout.replace('3 of 10', '9 of 10');
    const ran = await append(to, altered);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('line 1: digest: found the digest of another event: this one was altered');
  });
});

describe('bad input', () => {
  const good = JSON.stringify(sentRollout(0));
  const bad = (spoil: (text: string) => string): string => `${good}\n${spoil(JSON.stringify(sentRollout(1)))}\n`;

  it.each<[string, string | Uint8Array, string]>([
    ['malformed JSON', bad((text) => text.replace('"stage":2', '"stage":02')), 'found "02" (invalid JSON)'],
    ['NaN', bad((text) => text.replace('"reward":0', '"reward":NaN')), 'JSON has no NaN'],
    [
      'a number beyond all bounds',
      bad((text) => text.replace('"reward":0', '"reward":1e999')),
      'data.reward: found Infinity',
    ],
    [
      'a number that would be rounded',
      bad((text) => text.replace('"seed":1', '"seed":90071992547409931')),
      'data.seed: found 90071992547409931',
    ],
    ['a wrong type', bad((text) => text.replace('"lake"', '5')), 'data.environment: found 5 (a number)'],
    [
      'an unknown type',
      bad((text) => text.replace('RolloutRecorded', 'RolloutRecoded')),
      'type: found "RolloutRecoded"',
    ],
    ['an unknown key of the envelope', bad((text) => text.replace('"actor"', '"acter"')), '"actor", perhaps'],
    ['an unknown key of the data', bad((text) => text.replace('"outcome"', '"outcom"')), 'data.outcom'],
    [
      'a newer version',
      bad((text) => text.replace('"version":1', '"version":2')),
      'version: found 2 (a number), allowed: 1',
    ],
    ['no id', bad((text) => text.replace(/"id":"[^"]*",/, '')), 'id: found nothing, allowed: a UUID'],
    [
      'a key given twice',
      bad((text) => text.replace('"reward":0', '"reward":1,"reward":0')),
      'data.reward: found the key "reward" a second time, at column',
    ],
    [
      'a lone surrogate',
      bad((text) => text.replace('lake', 'la\\ud800ke')),
      'data.environment: found a text with a lone surrogate',
    ],
    [
      'binary rubbish',
      Buffer.concat([Buffer.from(`${good}\n{"id":"`), Buffer.from([0xfe, 0x80, 0x0a])]),
      '0xfe at byte 8',
    ],
    ['UTF-16', Buffer.from(`\ufeff${good}\n`, 'utf16le'), 'found UTF-16, allowed: UTF-8'],
    [
      'a truncated last line',
      `${good}\n${JSON.stringify(sentRollout(1)).slice(0, 100)}`,
      'found the end of the input in the middle of an event',
    ],
    ['a truncated list', `[${good},`, 'found the end of the input in the middle of an event'],
    [
      'the stream of another kind',
      bad((text) => text.replace(evidenceStream, notesStream)),
      'stream: found a stream of kind notes',
    ],
  ])('%s gets an error with line and field, and exit code 1', async (_, input, said) => {
    const cwd = temporaryFolder();
    const ran = await append(cwd, input);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/icecore: line \d+: /);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('; 0 events were appended before that\n');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('is reported with --json as an error object with line and field', async () => {
    const ran = await append(
      temporaryFolder(),
      bad((text) => text.replace('"lake"', '5')),
      '--json',
    );
    expect(json(ran)).toMatchObject({
      error: { kind: 'bad-input', line: 2, field: 'data.environment', found: '5 (a number)', appended: 0 },
    });
    expect(faultsAgainst('error', json(ran))).toEqual([]);
  });

  it('of 100 MB on one line is rejected, and the lines after it are still appended', async () => {
    const cwd = temporaryFolder();
    function* input(): Generator<string | Uint8Array> {
      yield `${good}\n{"id":"`;
      for (let i = 0; i < 100; i++) yield Buffer.alloc(1_000_000, 'x');
      yield `"}\n${JSON.stringify(sentRollout(2))}\n`;
    }
    const stopped = await icecore(['event', 'append'], { cwd, stdin: input() });
    expect(stopped.stderr).toMatch(/line 2: the event: found 100000009 bytes, allowed: at most \d+ bytes/);
    const ran = await icecore(['event', 'append', '--rejects', 'bad.ndjson'], { cwd, stdin: input() });
    expect(ran.stdout).toMatch(/^appended 2 events to 1 stream; 1 rejected, see /);
    expect(statSync(join(cwd, 'bad.ndjson')).size).toBeLessThan(10_000);
  });
});

describe('--rejects', () => {
  const mixed = ndjson([sentRollout(0), sentRollout(1, { environment: 5 }), sentRollout(2)]);

  it('writes bad lines to the file, appends the others, and exits with 1', async () => {
    const cwd = temporaryFolder();
    const ran = await append(cwd, mixed, '--rejects', 'bad.ndjson');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain(`appended 2 events to 1 stream; 1 rejected, see ${join(cwd, 'bad.ndjson')}; `);
    const rejected = JSON.parse(readFileSync(join(cwd, 'bad.ndjson'), 'utf8')) as { line: number; text: string };
    expect(rejected.line).toBe(2);
    expect(JSON.parse(rejected.text)).toMatchObject(sentRollout(1, { environment: 5 }));
  });

  it('exits with 0 and leaves an empty file if no line is bad', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'bad.ndjson'), 'of an earlier time\n');
    expect((await append(cwd, ndjson(rollouts(3)), '--rejects', 'bad.ndjson')).code).toBe(0);
    expect(readFileSync(join(cwd, 'bad.ndjson'), 'utf8')).toBe('');
  });

  it('refuses to overwrite the input or the ledger', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'events.ndjson'), mixed);
    const own = await append(cwd, '', 'events.ndjson', '--rejects', './events.ndjson');
    expect(own).toMatchObject({ code: 2, stderr: expect.stringContaining('--rejects names the input itself') });
    await append(cwd, ndjson(rollouts(1)));
    const ledger = await append(cwd, mixed, '--rejects', '.icecore/ledger.db');
    expect(ledger).toMatchObject({ code: 2, stderr: expect.stringContaining('is the ledger itself') });
    expect(readFileSync(join(cwd, 'events.ndjson'), 'utf8')).toBe(mixed);
    expect(await stored(cwd)).toHaveLength(1);
  });
});

describe('--expect', () => {
  it('refuses to append if the stream has another last revision, and names that revision', async () => {
    const cwd = temporaryFolder();
    const first = await append(cwd, ndjson(rollouts(3)), '--stream', evidenceStream, '--expect', 'none');
    expect(first.code).toBe(0);
    const again = await append(cwd, ndjson(rollouts(2, 3)), '--stream', evidenceStream, '--expect', 'none');
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`stream ${evidenceStream}: expected no such stream, but its last revision is 2`);
    expect((await append(cwd, ndjson(rollouts(2, 3)), '--stream', evidenceStream, '--expect', '2')).code).toBe(0);
    expect((await append(cwd, ndjson(rollouts(1, 5)), '--stream', evidenceStream, '--expect', '2')).code).toBe(1);
  });

  it.each([
    [['--expect', 'none'], 'Name it with --stream.'],
    [['--expect', 'nothing', '--stream', evidenceStream], 'allowed: none, exists, any, or a revision from 0'],
  ])('%j is a usage error', async (argv, said) => {
    const ran = await append(temporaryFolder(), '', ...argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(said);
  });
});

describe('an unreadable input', () => {
  it('is reported, and no workspace is created', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    expect((await append(cwd, '', 'missing.ndjson')).stderr).toContain('missing.ndjson: there is no such file');
    expect((await append(cwd, '', 'folder')).stderr).toContain('found a folder, allowed: a file');
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });

  it('may be the ledger itself, which is refused', async () => {
    const cwd = temporaryFolder();
    await append(cwd, ndjson(rollouts(1)));
    const ran = await append(cwd, '', '.icecore/ledger.db');
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('is the ledger itself') });
  });
});
