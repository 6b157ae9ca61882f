// Summaries of sealed evidence on a real ledger: rollouts without a verdict do not count, and are mentioned.
import { expect, it } from 'vitest';
import { checkEvent, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { descriptor } from '../../../testbed/lake/configuration.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { recorded, textOf, withLedger } from '../contexts/testing/staged.ts';
import type { RunHistory } from '../history/run-history.ts';
import type { SummaryModule } from './modules.ts';
import { summarise } from './summarise.ts';
import type { Summary } from './summary.ts';

const at = { run: 'a-run', at: '2030-01-01T00:00:00Z' };
const stream = 'evidence-a-run-1-0-0';

type Try = 'valid' | 'hole' | 'timeout' | 'refusal';

function rollout(became: Try, split: string, i: number): NewEvent {
  const isFault = became === 'timeout' || became === 'refusal';
  const outcome = isFault ? 'fault' : became;
  const error = isFault ? { error: { kind: became, message: 'no answer' } } : {};
  const said = { environment: 'lake', split, family: '8', policy: 'model', task: { id: `task ${i}` } };
  return {
    id: `${sha256(`${split} ${i}`).slice(0, 8)}-0000-8000-8000-000000000000`,
    type: 'RolloutRecorded',
    version: versionOf('RolloutRecorded'),
    at: at.at,
    actor: 'producer/test',
    run: at.run,
    stage: 1,
    causes: [],
    data: { ...said, outcome, success: became === 'valid', ...error },
  };
}

async function summed(module: SummaryModule, tries: readonly Try[]): Promise<Summary> {
  const split = module === 'stats' ? 'train' : 'probe';
  return await withLedger(async (ledger) => {
    await ledger.append(
      stream,
      tries.map((one, i) => rollout(one, split, i)),
      { expect: 'none' },
    );
    const attempts = [{ stream, count: tries.length, root: '0'.repeat(64) }];
    const history = {
      run: at.run,
      started: null,
      stages: [{ stage: 1, sealed: recorded(at, 'EvidenceSealed', 1, 0, { attempts }), summaries: [] }],
    } as unknown as RunHistory;
    return await summarise(module, { ledger, environment: { descriptor }, history, stage: 1, exemplars: 2, textOf });
  });
}

const words = ({ text }: Summary): string => (text !== null && 'text' in text ? text.text : '');

const mixed: readonly Try[] = ['valid', 'timeout', 'hole', 'refusal', 'hole', 'timeout'];

it.each(['behaviour', 'failures'] as const)(
  '%s counts judged rollouts only, and lists the others by kind',
  async (module) => {
    const summary = await summed(module, mixed);
    expect(summary.rollouts).toBe(3);
    expect(summary.parameters).toMatchObject({ spoilt: { refusal: 1, timeout: 2 } });
    expect(words(summary)).toContain('Not counted: 3 that could not be judged, lost to refusal (1), timeout (2).');
    expect(issuesOf(summary)).toEqual([]);
  },
);

it.each(['behaviour', 'failures'] as const)(
  '%s of faults alone has no facts, and says that none could be judged',
  async (module) => {
    const summary = await summed(module, ['timeout', 'timeout']);
    expect(summary).toMatchObject({ rollouts: 0, facts: [], exemplars: [] });
    expect(words(summary)).toContain('None could be judged: 2 of 2 were lost to timeout (2).');
  },
);

it('stats count all tasks, whatever their results', async () => {
  const { rollouts, facts, text } = await summed('stats', mixed);
  expect([rollouts, facts[0]?.count]).toEqual([6, 6]);
  expect(words({ text } as Summary)).toMatch(/^From a sample of tasks generated like the training tasks\./);
});

function issuesOf(data: Summary): readonly object[] {
  const { id } = recorded(at, 'SummaryRecorded', 1, 0, data);
  const written = { at: at.at, actor: 'producer/test', run: at.run, stage: 1, causes: [] };
  const event = { ...written, id, type: 'SummaryRecorded', version: versionOf('SummaryRecorded'), data };
  return checkEvent('run-a-run', event as never);
}
