// icecore context and icecore propose: the context of an engineer, and its answer.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { openLedger } from '../../ledger/open.ts';
import { Claim } from '../../producers/run/claim.ts';
import { json, lines } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';
import { hasPython, type Place, placeWith, tiny } from './testing/place.ts';

const place = placeWith({ ...tiny, name: 'mine' });

async function recorded({ icecore }: Place, type: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await icecore('event', 'tail', '--type', type, '--json', '-n', '100');
  return lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe.skipIf(!hasPython)('icecore context', () => {
  it('prints the recorded context byte for byte', async () => {
    const { icecore } = place();
    const { code, stdout, stderr } = await icecore('context');
    const shown = json(await icecore('context', 'mine@2', '--json'));
    expect(faultsAgainst('context', shown)).toEqual([]);
    expect({ code, digest: sha256(stdout), text: { text: stdout } }).toEqual({
      code: 0,
      digest: shown['digest'],
      text: shown['text'],
    });
    expect(stderr).toMatch(
      /^mine@2, evidence through stage 1, training\+stats\+.*nothing left out; this is the recorded context, digest [0-9a-f]{12}\n$/,
    );
  });

  it('builds other forms and lengths of the context, and records nothing', async () => {
    const at = place();
    const before = await at.events();
    const v4 = await at.icecore('context', 'mine@2', '--context', 'v4');
    expect(v4.stdout).toContain('# guideline: ');
    expect(v4.stderr).toContain('built now, not recorded');
    expect((await at.icecore('context', 'mine', '--context', 'v4')).stdout).toBe(v4.stdout);
    const { tokens } = json(await at.icecore('context', 'mine@2', '--context', 'v4', '--json'));
    const fewer = String((tokens as number) - 50);
    const shorter = await at.icecore('context', 'mine@2', '--context', 'v4', '--max-tokens', fewer);
    expect(shorter.stdout.length).toBeLessThan(v4.stdout.length);
    expect(shorter.stderr).toMatch(/of [\d,]+ tokens; left out for length: \d+ of \d+ \w+ of failures/);
    expect(await at.events()).toBe(before);
  });

  it('warns that a form with room for fewer rollouts than others confounds a comparison', async () => {
    const at = place();
    const [, least = ''] =
      /at least (\d+) tokens/.exec(
        (await at.icecore('context', 'mine@2', '--context', 'v4', '--max-tokens', '1')).stderr,
      ) ?? [];
    const { stderr } = await at.icecore('context', 'mine@2', '--context', 'v4', '--max-tokens', least);
    expect(stderr).toMatch(
      /, 0 rollouts where other forms of this length show [1-9]: a comparison with them is confounded; /,
    );
  });

  it.each([
    [['mine@3'], 2, 'the next decision is for stage 2'],
    [['mine', '--context', 'v9'], 2, 'there is no form or module "v9"'],
    [['mine', '--max-tokens', '10'], 1, 'needs at least'],
    [['mine', '--max-tokens', 'few'], 2, '--max-tokens: found "few"'],
    [['nobody'], 1, 'there is no run "nobody"'],
    [['mine@x'], 2, '"x" names no stage of run mine'],
  ])('refuses %j', async (words, code, said) => {
    expect(await place().icecore('context', ...words)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(said),
    });
  });
});

describe.skipIf(!hasPython)('icecore propose', () => {
  it('records a proposal, and the run still waits for a decision', async () => {
    const at = place();
    const { stdout } = await at.icecore('context');
    const shown = json(await at.icecore('propose', 'mine@2', '--engineer', 'rules', '--context', 'v4', '--json'));
    expect(faultsAgainst('propose', shown)).toEqual([]);
    const again = await at.icecore('propose', '--engineer', 'rules', '--context', 'v4');
    expect(again.stdout).toMatch(/^rules proposes for mine@2, shown v4, .* tokens\n/);
    expect(again.stdout).toMatch(/recorded as run-\S+@\d+, not adopted\n$/);
    const contexts = await recorded(at, 'ContextRecorded');
    expect(contexts.map(({ data }) => (data as { contextForm: { name?: string } }).contextForm.name)).toEqual([
      undefined,
      'v4',
    ]);
    const proposals = await recorded(at, 'ProposalRecorded');
    expect(proposals.map(({ actor }) => actor)).toEqual(['engineer/rules', 'engineer/rules']);
    expect(proposals[0]).toMatchObject({
      causes: [{ event: contexts[1]?.['id'] }],
      data: { ...(shown['proposed'] as object), context: { event: contexts[1]?.['id'], contextForm: 'v4' } },
    });
    expect((await at.icecore('context')).stdout).toBe(stdout);
    expect(json(await at.icecore('resume', 'mine', '--json'))).toMatchObject({ ended: 'waiting', stages: 1 });
    const waiting = await at.icecore('show', 'mine');
    expect(waiting.stdout).toMatch(/^mine: waiting for a decision on stage 2, done 1\/\d, /);
    expect(waiting.stderr).toMatch(/^ +decide +icecore adopt FILE --run mine@2$/m);
    expect(await recorded(at, 'ConfigAdopted')).toHaveLength(1);
  });

  it('records nothing with --dry-run', async () => {
    const at = place();
    const before = await at.events();
    const dry = await at.icecore('propose', '--engineer', 'uniform', '--dry-run', '--output', 'next.json');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('not recorded, not adopted; written to') });
    expect(JSON.parse(at.read('next.json'))).toMatchObject({ stage: 2, proposal: null, context: null });
    expect(await at.events()).toBe(before);
  });

  it('draws another proposal for another --sample, and the same for the same one', async () => {
    const { icecore } = place();
    const drawn = async (sample: string): Promise<unknown> =>
      (
        json(await icecore('propose', '--engineer', 'random', '--sample', sample, '--dry-run', '--json'))[
          'proposed'
        ] as {
          configuration: unknown;
        }
      )['configuration'];
    expect(await drawn('1')).toEqual(await drawn('1'));
    expect(await drawn('1')).not.toEqual(await drawn('0'));
  });

  it('records an unusable answer as rejected, and writes no file', async () => {
    const at = place();
    const nonsense = await at.icecore('propose', '--engineer', "sh -c 'echo nonsense'", '--output', 'next.json');
    expect(nonsense).toMatchObject({ code: 1, stdout: expect.stringContaining('rejected as unreadable') });
    expect(existsSync(join(at.folder, 'next.json'))).toBe(false);
    const [rejected] = await recorded(at, 'ProposalRejected');
    expect(rejected).toMatchObject({ stage: 2, data: { reason: 'unreadable', raw: { text: 'nonsense' } } });
  });

  it.each([
    [['mine'], 2, 'human is a person'],
    [['mine', '--engineer', 'ruls'], 2, 'Did you mean rules?'],
    [['mine', '--engineer', 'rules', '--context', 'v9'], 2, 'there is no form or module "v9"'],
    [
      ['mine', '--engineer', 'rules', '--output', 'nowhere/next.json'],
      1,
      '--output: nowhere/next.json cannot be written',
    ],
    [['mine', '--engineer', 'rules', '--sample', '-1'], 2, '--sample'],
    [['mine@4', '--engineer', 'rules'], 2, 'the next decision is for stage 2'],
  ])('refuses %j', async (words, code, said) => {
    expect(await place().icecore('propose', ...words)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(said),
    });
  });

  it('is refused while another process holds the run, before the engineer is started', async () => {
    const at = place();
    const ledger = await openLedger(`sqlite:${join(at.folder, '.icecore', 'ledger.db')}`);
    const run = json(await at.icecore('show', 'mine', '--json'))['run'] as string;
    const claim = await Claim.take({ ledger, run, stream: `run-${run}`, actor: 'human/ada', leaseSeconds: 60 });
    try {
      const refused = await at.icecore('propose', 'mine', '--engineer', "sh -c 'touch asked'");
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is held by process') });
      expect(existsSync(join(at.folder, 'asked'))).toBe(false);
    } finally {
      await claim.release();
      await ledger.close();
    }
  });
});
