import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { EventProof } from '../../../schemas/head.ts';
import { ndjson, sentNote } from '../testing/events.ts';
import { icecore, json, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { forged } from './testing/forged.ts';
import { evidence, keepHead, ledgerToSeal, run, sealedLedger } from './testing/sealed-ledger.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;

const docs = readFileSync(fileURLToPath(new URL('../../../docs/trust.md', import.meta.url)), 'utf8');
const [, program = ''] = /```python\n([\s\S]*?)```/.exec(docs) ?? [];

/** Runs the program as a script for each pair of a proof and a head, all in one process. */
const driver = `
import contextlib, io, json, sys
code = compile(open('check.py').read(), 'check.py', 'exec')
ran = []
for files in json.load(open('pairs.json')):
    sys.argv = ['check.py', *files]
    said, status = io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(code, {'__name__': '__main__'})
        except SystemExit as end:
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
            status = 0 if end.code is None else end.code if isinstance(end.code, int) else 1
    ran.append({'code': status, 'said': said.getvalue()})
json.dump(ran, sys.stdout)
`;

interface Checked {
  readonly code: number;
  readonly said: string;
}

/** The output of the program in docs/trust.md for proofs and heads, whatever options Python runs with. */
function checkedAll(cwd: string, pairs: readonly (readonly [proof: unknown, head: unknown])[]): readonly Checked[] {
  writeFileSync(join(cwd, 'check.py'), program);
  for (const [i, [proof, head]] of pairs.entries()) {
    writeFileSync(join(cwd, `proof-${i}.json`), JSON.stringify(proof));
    writeFileSync(join(cwd, `head-${i}.json`), JSON.stringify(head));
  }
  writeFileSync(join(cwd, 'pairs.json'), JSON.stringify(pairs.map((_, i) => [`proof-${i}.json`, `head-${i}.json`])));
  const [plain = [], optimised] = ['', '1'].map((PYTHONOPTIMIZE) => {
    const env = { ...process.env, PYTHONOPTIMIZE };
    const { status, stdout, stderr } = spawnSync('python3', ['-c', driver], { cwd, encoding: 'utf8', env });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout) as readonly Checked[];
  });
  expect(optimised).toEqual(plain);
  return plain;
}

const notProven = { code: 1, said: expect.stringMatching(/^not proven: /) };

/** A seal that ... */
const seals: Readonly<Record<string, Parameters<typeof forged>[0]>> = {
  'is of another type': { seal: { type: 'RunAnnotated' } },
  'is of a version it does not know': { seal: { version: 2 } },
  'is in the notes stream': { seal: { stream: 'notes-a' } },
  "is in another run's stream": { seal: { stream: 'run-b' } },
  'is of another run': { seal: { run: 'b' } },
  'is of another stage': { seal: { stage: 2 } },
  'is of the run in the evidence, which differs from that of its stream': {
    event: { run: 'b' },
    seal: { run: 'b', stream: 'run-b' },
  },
  'is of the stage in the evidence, which differs from that of its stream': {
    event: { stage: 2 },
    seal: { stage: 2 },
  },
  'covers an event that is not evidence': { event: { stream: 'work-a' } },
  'names another attempt': { attempt: { stream: 'evidence-a-1-0-1' } },
  'names another number of events': { attempt: { count: 4 } },
  'names another root': { attempt: { root: '0'.repeat(64) } },
  'names no attempt': { seal: { data: { attempts: [] } } },
  'counts another leaf than the revision': { event: { revision: 2 } },
  'has a leaf before the first': { way: { index: -1 } },
  'has a leaf after the last': { way: { index: 9 } },
  'has half a leaf': { way: { index: 1.5 } },
  'has a path that is too short': { way: { path: [] } },
};

describe.skipIf(!hasPython)('the program in docs/trust.md', () => {
  it('accepts proofs of events, and prints the seal that covers the event', async () => {
    const place = await sealedLedger();
    const head = await keepHead(place, 'head.json');
    await icecore(['event', 'append'], { cwd: place.cwd, stdin: ndjson([sentNote(9)]) });
    const events = [
      [`${evidence}@0`, `proven: ${evidence}@0 RolloutRecorded, sealed by run-${run}@0`],
      [`${evidence}@13`, `proven: ${evidence}@13 RolloutRecorded, sealed by run-${run}@0`],
      [`notes-${run}@1`, `proven: notes-${run}@1 RunAnnotated`],
      [`run-${run}@0`, `proven: run-${run}@0 EvidenceSealed`],
    ] as const;
    const proofs: unknown[] = [];
    for (const [event] of events) {
      const proof = json(await place.ic('ledger', 'prove', event, '--head', 'head.json'));
      expect(faultsAgainst('ledger-prove', proof)).toEqual([]);
      proofs.push(proof);
    }
    expect(
      checkedAll(
        place.cwd,
        proofs.map((proof) => [proof, head]),
      ),
    ).toEqual(events.map(([, said]) => ({ code: 0, said: `${said}\n` })));
  });

  it('rejects altered proofs', async () => {
    const place = await sealedLedger();
    const head = await keepHead(place, 'head.json');
    const proofOf = async (event: string) => JSON.parse((await place.ic('ledger', 'prove', event)).stdout);
    const [first, sealed, note] = (await Promise.all(
      [`${evidence}@0`, `${evidence}@13`, `notes-${run}@1`].map(proofOf),
    )) as [EventProof, EventProof, EventProof];
    const { event } = sealed;
    const body = event.body.replace('"split":"probe"', '"split":"train"');
    const pairs = [
      [{ ...sealed, event: { ...event, body } }, head],
      [{ ...sealed, event: { ...event, revision: 12 } }, head],
      [{ ...sealed, event: { ...event, stream: `evidence-${run}-2-0-0` } }, head],
      [{ ...sealed, seal: { ...sealed.seal, by: { ...sealed.seal?.by, revision: 7 } } }, head],
      [{ ...sealed, event: first.event }, head],
      [{ ...note, event }, head],
      [{ ...note, event: { ...note.event, stream: 'notes-other' } }, head],
      [{ ...note, ledger: { head, inclusion: { ...note.ledger.inclusion, index: -1 } } }, head],
      [{ ...sealed, seal: null }, head],
      [sealed, { ...head, root: event.digest }],
      [sealed, { ...head, events: 24 }],
    ] as const;
    expect(checkedAll(place.cwd, pairs)).toEqual(pairs.map(() => notProven));
  });

  it('accepts a constructed proof, but not with another head, also as a script', () => {
    const { proof, head } = forged({});
    const said = 'proven: evidence-a-1-0-0@1 RolloutRecorded, sealed by run-a@0\n';
    const cwd = temporaryFolder();
    const other = { ...(head as object), root: '0'.repeat(64) };
    const both = checkedAll(cwd, [
      [proof, head],
      [proof, other],
    ]);
    expect(both).toEqual([{ code: 0, said }, notProven]);
    const asScript = both.map((_, i) => {
      const ran = spawnSync('python3', ['check.py', `proof-${i}.json`, `head-${i}.json`], { cwd, encoding: 'utf8' });
      return { code: ran.status, said: ran.stdout + ran.stderr };
    });
    expect(asScript).toEqual(both);
  });

  it('rejects constructed proofs with an invalid seal', () => {
    const all = Object.entries(seals);
    const pairs = all.map(([, changes]) => forged(changes)).map(({ proof, head }) => [proof, head] as const);
    const found = checkedAll(temporaryFolder(), pairs);
    expect(Object.fromEntries(all.map(([what], i) => [what, found[i]]))).toEqual(
      Object.fromEntries(all.map(([what]) => [what, notProven])),
    );
  });
});

describe('a proof', () => {
  it('is refused for an event after the head, and for one that does not exist', async () => {
    const place = await sealedLedger();
    await keepHead(place, 'head.json');
    await icecore(['event', 'append'], { cwd: place.cwd, stdin: ndjson([sentNote(9)]) });
    const late = await place.ic('ledger', 'prove', `notes-${run}@2`, '--head', 'head.json', '--json');
    expect(json(late)).toMatchObject({ error: { message: expect.stringContaining('recorded after the head') } });
    expect(json(await place.ic('ledger', 'prove', `notes-${run}@7`, '--json'))).toMatchObject({
      error: { kind: 'not-found' },
    });
  });

  it('of evidence sealed after the head does not contain the seal', async () => {
    const place = await ledgerToSeal();
    const head = await keepHead(place, 'head.json');
    expect((await place.ic('ledger', 'seal', `${run}@2`)).code).toBe(0);
    const ran = await place.ic('ledger', 'prove', `${evidence}@13`, '--head', 'head.json');
    const proof = json(ran);
    expect(proof).toMatchObject({ seal: null, ledger: { inclusion: { index: 13, size: 22 } } });
    if (hasPython)
      expect(checkedAll(place.cwd, [[proof, head]])[0]?.said).toBe(`proven: ${evidence}@13 RolloutRecorded\n`);
  });
});
