// The engineer of the guide, run as icecore runs it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCommandEngineer } from '../../src/lab/engineers/command.ts';
import { type Decision, decisionOn } from '../../src/lab/engineers/decision.ts';
import type { ProposalRequest } from '../../src/lab/engineers/engineer.ts';
import { askedOf, askedOfLakes, contextWith } from '../../src/lab/engineers/testing/questions.ts';
import { allowed } from '../../src/lab/programs/testing/allowed.ts';

const program = fileURLToPath(new URL('easier.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) console.warn('The tests of easier.py are skipped: install Python 3.8 or later as python3.');

async function decided(asked: ProposalRequest): Promise<Decision> {
  const command = ['python3', program] as const;
  const engineer = openCommandEngineer({ command, reads: [], allow: () => allowed(command) });
  onTestFinished(() => engineer.close());
  const answer = await engineer.propose(asked);
  if ('rejected' in answer) return expect.fail(JSON.stringify(answer.rejected));
  const made = decisionOn(asked.descriptor, asked.current, answer.proposal, () => []);
  return 'decision' in made ? made.decision : expect.fail(JSON.stringify(made.issues));
}

describe.skipIf(!hasPython)('easier.py', () => {
  it('moves data from rarely solved families to often solved ones, and gives reasons', async () => {
    const rates = { '3': 1, '4': 0.8, '5': 0.5, '6': 0.2, '7': 0.05, '8': 0, '9': 0 };
    const { changes, clamps } = await decided(askedOfLakes({ context: contextWith('', rates) }));
    const directions = Object.fromEntries(changes.map(({ knob, from, to }) => [knob, Math.sign(to - (from ?? to))]));
    expect(directions).toEqual({
      '3.data': 1,
      '4.data': 1,
      '5.data': 1,
      '6.data': -1,
      '7.data': -1,
      '8.data': -1,
      '9.data': -1,
    });
    expect(changes.find(({ knob }) => knob === '6.data')).toMatchObject({
      cites: ['B6.valid'],
      reason: '20% are solved',
    });
    expect(clamps).toEqual([]);
  });

  it('works for other environments, and changes nothing without a context', async () => {
    const { changes } = await decided(askedOf());
    expect(changes.map(({ knob, cites }) => [knob, cites])).toEqual([
      ['small.share', ['Bsmall.valid']],
      ['large.share', ['Blarge.valid']],
    ]);
    expect((await decided(askedOf({ context: null }))).changes).toEqual([]);
  });
});
