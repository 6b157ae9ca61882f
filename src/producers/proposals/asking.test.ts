// Processing answers before they are recorded: a configuration that its environment cannot use is rejected in any case,
// and every answer fits into an event.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../../schemas/testing/tries.ts';
import type { Answer, Engineer, ProposalRequest } from '../../lab/engineers/engineer.ts';
import { mostIssues, readProposal, withoutInvented } from '../../lab/engineers/proposal-reading.ts';
import { askedOf, coins, coinsNow } from '../../lab/engineers/testing/questions.ts';
import { descriptor, opened, request } from '../../lab/environments/command/testing/programs.ts';
import { checkConfiguration } from '../../lab/environments/configuration.ts';
import { collected } from '../../lab/environments/contract/tasks.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { environmentThat, heads } from '../../lab/evaluation/testing/stubs.ts';
import { maxEventBytes } from '../../ledger/event.ts';
import { ask, type EngineerResult } from './asking.ts';

const identity = { name: 'scripted', version: '1' };

function engineerThat(propose: (asked: ProposalRequest) => Answer): Engineer {
  return { identity, reads: [], propose: async (asked) => propose(asked), close: async () => {} };
}

const proposing = (configuration: unknown): Engineer =>
  engineerThat(() => ({ proposal: { configuration, reasons: [], kept: null, predictions: null, rationale: null } }));

async function cameOf(engineer: Engineer, environment: Environment, asked: ProposalRequest): Promise<EngineerResult> {
  return await ask({
    engineer,
    environment,
    asked,
    context: null,
    snapshot: null,
    probeHoldout: null,
    behaviour: [],
  });
}

function rejectedIn(came: EngineerResult) {
  return 'rejected' in came ? came.rejected : expect.fail('it was taken');
}

describe('a configuration without tasks', () => {
  const asked = askedOf({ descriptor, current: { side: 0 }, first: { side: 0 }, context: null });
  const tasks = `say({ request: r.request, task: task(0) }); say({ request: r.request, done: true });`;
  const onlyHeads = (instead: string) =>
    `generate(r) { if (r.configuration.side === 1) { ${instead} return; } ${tasks} },`;

  it.each([
    [
      'the program refuses',
      `say({ request: r.request, error: { message: 'no tails here' } });`,
      /no tasks: no tails here$/,
    ],
    [
      'the program dies',
      `console.error('out of coins'); process.exit(3);`,
      /ended with exit code 3 .*last words: out of coins/,
    ],
    ['the program does not reply', '', /said nothing for 0.4 s/],
    ['the program sends an invalid reply', `say({ request: r.request, done: true });`, /sent an invalid reply/],
  ])('is impossible if %s, and the program can be asked again', async (_, instead, found) => {
    const environment = await opened(onlyHeads(instead), { limits: { replyMs: 400 } });
    const { reason, issues } = rejectedIn(await cameOf(proposing({ side: 1 }), environment, asked));
    expect([reason, issues.map(({ field }) => field)]).toEqual(['impossible', ['configuration']]);
    expect(issues[0]?.found).toMatch(found);
    expect((await collected(environment.generate(request(1)))).tasks).toHaveLength(1);
    expect(await cameOf(proposing({ side: 0 }), environment, asked)).toHaveProperty('proposed');
  });

  it('is not rejected after an abort, which throws the reason', async () => {
    const environment = await opened(onlyHeads(''));
    const stopping = new AbortController();
    const came = cameOf(proposing({ side: 1 }), environment, { ...asked, signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(came).rejects.toThrow('enough');
  });
});

/** Accepts any valid configuration of coins. */
const table: Environment = {
  ...environmentThat(() => heads),
  descriptor: coins,
  check: (configuration) => checkConfiguration(coins, configuration, coinsNow),
  async *generate() {
    yield { id: 'one', family: 'small', instance: {}, facts: {} };
    return [];
  },
};

it('a setting that is not a knob cannot be changed', async () => {
  const came = await cameOf(proposing({ ...coinsNow, table: 'red', kinds: 5 }), table, askedOf());
  expect(rejectedIn(came)).toMatchObject({ reason: 'invalid', issues: [{ field: 'table' }] });
  expect(await cameOf(proposing({ ...coinsNow, kinds: 5 }), table, askedOf())).toHaveProperty('proposed');
});

/** The size of everything. */
interface Recipe {
  readonly letter: string;
  readonly characters: number;
  readonly evidenceIds: number;
  readonly entries: number;
  readonly stranger: boolean;
}

describe('an answer of any length', () => {
  /** As an external engineer that writes this. */
  const writing = (text: string): Engineer =>
    engineerThat(({ descriptor, current, context }) => {
      const evidenceIds = context?.evidenceIds ?? new Set<string>();
      const read = readProposal(text, { descriptor, current, evidenceIds, check: () => [] });
      const raw = { text: '' };
      if ('reason' in read) return { rejected: { reason: read.reason, issues: [...read.issues], raw } };
      return { proposal: withoutInvented(read.content, evidenceIds) };
    });

  /** The size of its event without the raw text, which is stored separately if it is long. */
  async function recordedBytes(written: object): Promise<number> {
    const came = await cameOf(writing(JSON.stringify(written)), table, askedOf());
    if ('proposed' in came) return Buffer.byteLength(JSON.stringify(came.proposed));
    expect(came.rejected.issues.length).toBeLessThanOrEqual(mostIssues + 1);
    return Buffer.byteLength(JSON.stringify({ ...came.rejected, raw: null }));
  }

  it('has its first issues, and the number of others', async () => {
    const reasons = Array.from({ length: 900 }, (_, i) => ({ knob: `k${i}` }));
    const written = { configuration: coinsNow, reasons };
    const { reason, issues } = rejectedIn(await cameOf(writing(JSON.stringify(written)), table, askedOf()));
    expect(reason).toBe('invalid');
    expect(issues).toHaveLength(mostIssues + 1);
    expect(issues.at(-1)?.found).toBe(`${900 - mostIssues} more that are wrong`);
  });

  it('can be recorded', async () => {
    const recipe: fc.Arbitrary<Recipe> = fc.record({
      letter: fc.constantFrom('x', 'ü', '漢', '\u0000', '"', '\ud800', '😀'),
      characters: fc.constantFrom(0, 9, 3999, 4001, 20_000, 60_000),
      evidenceIds: fc.constantFrom(0, 1, 50, 51, 5000),
      entries: fc.constantFrom(0, 1, 3, 60, 1000, 1001, 6000),
      stranger: fc.boolean(),
    });
    const written = ({ letter, characters, evidenceIds, entries, stranger }: Recipe) => {
      const cites = Array.from({ length: evidenceIds }, (_, i) => `${letter.repeat(20)}${i}`);
      const name = (i: number): string => (stranger ? `${letter.repeat(9)}${i}` : (coins.knobs[i % 3]?.name ?? ''));
      const reasons = Array.from({ length: entries }, (_, i) => ({
        knob: name(i),
        cites,
        reason: letter.repeat(characters),
      }));
      return { configuration: { ...coinsNow, kinds: 5 }, reasons, kept: reasons, rationale: letter.repeat(characters) };
    };
    await fc.assert(
      fc.asyncProperty(recipe, async (one) => {
        fc.pre(one.entries * (one.characters + one.evidenceIds * 25) < 300_000);
        expect(await recordedBytes(written(one))).toBeLessThan(maxEventBytes / 2);
      }),
      { numRuns: tries(60) },
    );
  });

  it('that is rejected can be recorded, with the beginning of its text', async () => {
    const rejecting = (text: string): Engineer =>
      engineerThat(() => ({ rejected: { reason: 'unreadable', issues: [], raw: { text } } }));
    for (const letter of ['x', '\u0000', '漢', '😀']) {
      const rejected = rejectedIn(await cameOf(rejecting(letter.repeat(2 ** 20)), table, askedOf()));
      expect(Buffer.byteLength(JSON.stringify(rejected))).toBeLessThan(maxEventBytes);
      expect(rejected.raw).toHaveProperty('text', expect.stringMatching(new RegExp(`^(${letter}){9}.*…$`, 's')));
    }
    const short = 'x'.repeat(400_000);
    expect(rejectedIn(await cameOf(rejecting(short), table, askedOf())).raw).toEqual({ text: short });
  });

  it('can be recorded if all its texts have the maximum length', async () => {
    const knobs = coins.knobs.map(({ name }) => name);
    const cites = Array.from({ length: 50 }, (_, i) => `${'漢'.repeat(100)}${i}`);
    const reasons = knobs.map((knob) => ({ knob, cites, reason: '漢'.repeat(4000) }));
    const written = { configuration: { ...coinsNow, kinds: 5 }, reasons, rationale: '漢'.repeat(20_000) };
    expect(await cameOf(writing(JSON.stringify(written)), table, askedOf())).toHaveProperty(
      'proposed.rationale',
      written.rationale,
    );
    expect(await recordedBytes(written)).toBeGreaterThan(60_000);
  });
});
