import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { report, rolloutIn, run as sampleRun } from '../../ledger/contract/samples.ts';
import { openLedger } from '../../ledger/open.ts';
import { ndjson, rollouts, sentNote } from '../testing/events.ts';
import { icecore, inFolder, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { evidence, keepHead, run, sealedLedger } from './testing/sealed-ledger.ts';

function keys(cwd: string, name: string): void {
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', `${name}.key`], { cwd, stdio: 'ignore' });
  execFileSync('openssl', ['pkey', '-in', `${name}.key`, '-pubout', '-out', `${name}.pub`], { cwd });
}

describe('icecore verify', () => {
  it('reports a sound ledger, and that a writer of the file could forge it without a head', async () => {
    const { ic } = await sealedLedger();
    const ran = await ic('verify');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(
      /^checked 23 events \(.*\), every field except recordedAt, the time of recording; 1 seal \(digests, each over some rollouts/m,
    );
    expect(ran.stdout).toContain('sound: every event is as it was recorded');
    expect(ran.stdout).toContain('Somebody who can write the file can forge it consistently');
    const report = json(await ic('verify', '--json'));
    expect(faultsAgainst('verify', report)).toEqual([]);
    expect(report).toMatchObject({ status: 'sound', events: 23, attempts: 1, head: null, total: 0, truncated: false });
  });

  it('verifies only the events of the given run', async () => {
    const { cwd, ic } = await sealedLedger();
    const other = { ...sentNote(5), stream: 'notes-other', run: 'other' };
    await icecore(['event', 'append'], { cwd, stdin: ndjson([other]) });
    expect(json(await ic('verify', run, '--json'))).toMatchObject({ run, events: 23 });
    const unknown = await ic('verify', 'nobody', '--json');
    expect(unknown.code).toBe(1);
    expect(json(unknown)).toMatchObject({ error: { kind: 'not-found' } });
  });

  it('compares a growing ledger with a stored head, and reports cut-off or altered events', async () => {
    const place = await sealedLedger();
    const { cwd, ic } = place;
    const head = await keepHead(place, 'then.json');
    expect(faultsAgainst('ledger-head', head)).toEqual([]);
    await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(2)]) });
    const ran = await ic('verify', '--head', 'then.json');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`nothing was altered, reordered or cut off since the head of ${head.at} (23 events)`);
    expect(json(await ic('verify', '--head', 'then.json', '--json'))).toMatchObject({
      head: { events: 23, root: head.root, signedBy: null, trusted: false },
    });
    writeFileSync(join(cwd, 'more.json'), JSON.stringify({ ...head, events: 30, cursor: `${head.ledger}@30` }));
    const cut = await ic('verify', '--head', 'more.json');
    expect(cut.code).toBe(1);
    expect(cut.stdout).toMatch(/FAULT\s+cut-off\s+end\s+.*has 30 events, the ledger 24: the last 6 were cut off/);
    writeFileSync(join(cwd, 'other.json'), JSON.stringify({ ...head, root: head.root.replace(/^./, 'x') }));
    expect((await ic('verify', '--head', 'other.json')).code).toBe(1);
  });

  it('says that a head without events proves nothing', async () => {
    const cwd = temporaryFolder();
    await icecore(['init'], { cwd });
    const { at } = await keepHead({ cwd, ic: (...argv) => icecore(argv, { cwd }) }, 'empty.json');
    await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(1)]) });
    const ran = await icecore(['verify', '--head', 'empty.json'], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain(`the head of ${at} (0 events) proves nothing`);
    expect(ran.stdout).not.toContain('nothing was altered');
  });

  it('rejects a head of another ledger, and a file that is not a head', async () => {
    const [mine, theirs] = [await sealedLedger(), await sealedLedger()];
    writeFileSync(join(mine.cwd, 'theirs.json'), (await theirs.ic('ledger', 'head')).stdout);
    const foreign = await mine.ic('verify', '--head', 'theirs.json', '--json');
    expect(json(foreign)).toMatchObject({
      error: { kind: 'bad-input', message: expect.stringMatching(/is of ledger/) },
    });
    for (const [text, message] of [
      ['{', 'it is not JSON'],
      ['{"format": "icecore-head/9"}', 'format'],
      ['[]', 'is not a head'],
    ] as const) {
      writeFileSync(join(mine.cwd, 'bad.json'), text);
      const ran = await mine.ic('verify', '--head', 'bad.json');
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(message);
    }
  });

  it('trusts only a signature of the given key over the unchanged head', async () => {
    const place = await sealedLedger();
    const { cwd, ic } = place;
    keys(cwd, 'ada');
    keys(cwd, 'eve');
    const head = await keepHead(place, 'signed.json', '--sign', 'ada.key');
    const good = await ic('verify', '--head', 'signed.json', '--key', 'ada.pub', '--json');
    expect(json(good)).toMatchObject({
      status: 'sound',
      head: { trusted: true, signedBy: expect.stringMatching(/^SHA256:/) },
    });
    const unnamed = await ic('verify', '--head', 'signed.json');
    expect(unnamed.stderr).toContain('--key');
    const forgeries: Record<string, unknown> = {
      'eve.json': JSON.parse((await ic('ledger', 'head', '--sign', 'eve.key')).stdout),
      'changed.json': { ...head, events: 22 },
      'unsigned.json': { ...head, signature: undefined },
    };
    for (const [file, forged] of Object.entries(forgeries)) {
      writeFileSync(join(cwd, file), JSON.stringify(forged));
      const ran = await ic('verify', '--head', file, '--key', 'ada.pub', '--json');
      expect(json(ran), file).toMatchObject({
        error: { kind: 'damaged', message: expect.stringContaining('cannot be trusted') },
      });
      expect(ran.code).toBe(1);
    }
    writeFileSync(join(cwd, 'rsa.key'), 'no key');
    expect(json(await ic('ledger', 'head', '--sign', 'rsa.key', '--json'))).toMatchObject({
      error: { kind: 'bad-input' },
    });
  });

  it.each([
    [[run, '--head', 'head.json'], 'RUN and --head: a head covers the whole ledger'],
    [[run, '--resume'], 'RUN and --resume'],
    [['--key', 'ada.pub'], '--key without --head'],
  ])('rejects the combination %j', async (words, says) => {
    const place = await sealedLedger();
    await keepHead(place, 'head.json');
    const ran = await place.ic('verify', ...words, '--json');
    expect(ran.code).toBe(2);
    expect(json(ran)).toMatchObject({ error: { kind: 'usage', message: expect.stringContaining(says) } });
  });

  it('rejects a folder in place of a file, like ledger head', async () => {
    const { cwd, ic } = await sealedLedger();
    writeFileSync(join(cwd, 'head.json'), (await ic('ledger', 'head')).stdout);
    for (const words of [
      ['verify', '--head', cwd],
      ['verify', '--head', 'head.json', '--key', cwd],
      ['ledger', 'head', '--sign', cwd],
    ]) {
      const ran = await ic(...words);
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining(`${cwd}: this is a folder`) });
    }
  });

  it('stores its progress when stopped, resumes with --resume, and then deletes the progress file', async () => {
    const { cwd, ic } = await sealedLedger();
    const notes = join(cwd, '.icecore/ledger.db.verify.json');
    const stopped = await icecore(['verify'], { cwd, signal: AbortSignal.abort('SIGINT') });
    expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('icecore verify --resume') });
    expect(existsSync(notes)).toBe(true);
    expect(json(await ic('verify', '--resume', '--json'))).toMatchObject({ status: 'sound', events: 23, attempts: 1 });
    expect(existsSync(notes)).toBe(false);
  });

  it('resumes from no notes that others wrote or changed: they could call altered events checked', async () => {
    const { cwd, ic } = await sealedLedger();
    const notes = join(cwd, '.icecore/ledger.db.verify.json');
    await icecore(['verify'], { cwd, signal: AbortSignal.abort('SIGINT') });
    const own = readFileSync(notes, 'utf8');
    const refused = {
      error: { kind: 'not-found', message: expect.stringContaining('not what a verification of yours') },
    };
    writeFileSync(notes, own.replace(/"bytes":\d+/, '"bytes":1'));
    expect(json(await ic('verify', '--resume', '--json'))).toMatchObject(refused);
    const elsewhere = join(temporaryFolder(), 'received');
    cpSync(cwd, elsewhere, { recursive: true });
    writeFileSync(join(elsewhere, '.icecore/ledger.db.verify.json'), own);
    const received = await icecore(['verify', '--resume', '--json'], { cwd: elsewhere });
    expect(json(received)).toMatchObject(refused);
    writeFileSync(notes, own);
    expect(json(await ic('verify', '--resume', '--json'))).toMatchObject({ status: 'sound' });
  });

  it('rejects --resume if no verification was stopped', async () => {
    const { ic } = await sealedLedger();
    expect(json(await ic('verify', '--resume', '--json'))).toMatchObject({ error: { kind: 'not-found' } });
  });

  it.each([
    ['null'],
    ['[]'],
    ['{}'],
    ['"notes"'],
    ['{'],
    ['{"ledger":"x","head":null,"after":"x@1","account":null}'],
    ['{"ledger":"x","head":null,"after":"x@1","account":{"tally":{}}}'],
  ])('rejects --resume with an invalid progress file: %s', async (text) => {
    const { cwd, ic } = await sealedLedger();
    writeFileSync(join(cwd, '.icecore/ledger.db.verify.json'), text);
    const ran = await ic('verify', '--resume', '--json');
    expect(json(ran)).toMatchObject({
      error: { kind: 'not-found', message: expect.stringContaining('ledger.db.verify.json') },
    });
  });
});

describe('icecore ledger seal', () => {
  it('seals a stage once, and reports an existing seal', async () => {
    const { cwd, ic } = await sealedLedger();
    expect(json(await ic('ledger', 'seal', `${run}@2`, '--json'))).toMatchObject({
      isNew: false,
      attempts: [{ stream: evidence, count: 20 }],
    });
    await icecore(['event', 'append'], { cwd, stdin: ndjson(rollouts(5, 20)) });
    const more = await ic('ledger', 'seal', `${run}@2`, '--json');
    expect(json(more)).toMatchObject({
      error: {
        kind: 'conflict',
        message: `human/ada sealed stage 2 of run ${run} already, in run-${run}@0: 20 events of 1 attempt. ${evidence} has 5 events after the seal`,
      },
    });
    const ran = await ic('verify');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/notice\s+after-seal\s+evidence.*5 events after the seal of 20/);
  });

  it('seals the attempt at a shard that --attempt chooses', async () => {
    const cwd = temporaryFolder();
    const ic = inFolder(cwd);
    const attempt = (shard: number, number: number) =>
      rollouts(3, 10 * shard + 100 * number).map((event) => ({
        ...event,
        stream: `evidence-${run}-2-${shard}-${number}`,
      }));
    await icecore(['event', 'append'], { cwd, stdin: ndjson([...attempt(0, 0), ...attempt(0, 1), ...attempt(1, 0)]) });
    const missing = await ic('ledger', 'seal', `${run}@2`, '--attempt', '0:7', '--json');
    expect(json(missing)).toMatchObject({ error: { kind: 'not-found' } });
    const chosen = json(await ic('ledger', 'seal', `${run}@2`, '--attempt', '0:0', '--json'));
    const streams = (chosen['attempts'] as { stream: string }[]).map(({ stream }) => stream);
    expect(streams).toEqual([`evidence-${run}-2-0-0`, `evidence-${run}-2-1-0`]);
    expect((await ic('verify')).stdout).toMatch(/notice\s+lost-attempt\s+evidence-c0ntractc0nt-2-0-1/);
  });

  it.each([['nothing'], ['x@0'], [`${run}@9`], ['nobody@1']])('rejects the stage %s', async (asked) => {
    const { ic } = await sealedLedger();
    expect((await ic('ledger', 'seal', asked)).code).toBeGreaterThan(0);
  });
});

describe('icecore verify of a ledger in two stores', () => {
  it('reports missing evidence although the tables contain it', async () => {
    const cwd = temporaryFolder();
    const url = `split:sqlite:${join(cwd, 'run.db')}+sqlite:${join(cwd, 'evidence.db')}`;
    const recorded = async (attempt: number): Promise<void> => {
      const ledger = await openLedger(url, { create: true });
      const stream = streamOf.evidence(sampleRun, 2, 0, attempt);
      await ledger.append(
        stream,
        [0, 1].map((i) => rolloutIn(stream, i)),
        { expect: 'any', isNew: true },
      );
      await report(ledger, stream);
      await ledger.close();
    };
    await recorded(0);
    copyFileSync(join(cwd, 'evidence.db'), join(cwd, 'old.db'));
    await recorded(1);
    const ic = (...args: string[]) => icecore([...args, '--ledger', url], { cwd });
    expect((await ic('sql', 'SELECT count(*) AS n FROM rollouts', '--json')).stdout).toContain('"n":2');
    copyFileSync(join(cwd, 'old.db'), join(cwd, 'evidence.db'));
    for (const flags of [[], ['--tables']]) {
      const verified = await ic('verify', ...flags);
      expect(verified.stdout).toMatch(/FAULT +missing .*lacks 2 of the 2 events/);
      expect(verified.stderr).toContain('the tables were not compared with the ledger');
      expect(verified.code).toBe(1);
    }
  });
});
