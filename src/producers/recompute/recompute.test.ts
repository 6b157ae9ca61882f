// Recomputing a real run, and forged versions of it with consistent digests, chains and seals.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeOf } from '../../../schemas/catalogue.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Finding } from '../../ledger/verify/findings.ts';
import { buildContext } from '../contexts/build.ts';
import { readHistory } from '../history/reading.ts';
import { probeHoldout } from '../run/steps/evaluate.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { summaryModules } from '../summaries/modules.ts';
import { summaryVersion } from '../summaries/summarise.ts';
import { again, Copies, evidence, findingTexts, recordedRun, run } from './testing/again.ts';
import type { Data, Forge } from './testing/forging.ts';

const fork = 'fork00000000';
const copies = new Copies();
let place: TinyPlace;

beforeAll(async () => {
  place = await recordedRun();
  const { stages } = await readHistory(place.ledger, run);
  const { revision = 0, digest = '' } = stages[0]?.completed ?? {};
  const settings = tinySettings({ name: 'fork' });
  const about = { parent: { run, stage: 1, revision, digest } };
  await runTiny(place, { run: fork, settings, about, until: (step) => step.do === 'train' });
}, 60_000);

afterAll(async () => {
  await copies.close();
  await place.close();
});

/** Of the two stages of the run. */
const summaries = 2 * summaryModules.length;

describe('a recorded run', () => {
  it('is recomputed without faults', async () => {
    const { runs, counts, skipped, findings } = await again(place.ledger);
    expect(findings).toMatchObject({ total: 0, kept: [] });
    expect({ runs, counts, skipped }).toEqual({
      runs: 1,
      counts: {
        rollouts: expect.any(Number),
        trainings: 2,
        evaluations: 4,
        summaries,
        contexts: 1,
        proposals: 1,
        answers: 0,
        decisions: 7,
      },
      skipped: 0,
    });
    let rollouts = 0;
    for await (const events of place.ledger.readAll({ types: ['RolloutRecorded'] })) {
      rollouts += events.filter(({ envelope }) => envelope.run === run).length;
    }
    expect(counts.rollouts).toBe(rollouts);
  });

  it('is recomputed if it continues the history of another run', async () => {
    const { runs, counts, findings } = await again(place.ledger, { run: null });
    expect(findings.kept).toEqual([]);
    expect(runs).toBe(2);
    expect(counts).toMatchObject({ summaries, contexts: 2, proposals: 2, decisions: 9 });
  });

  it('is recomputed if parts of a context were left out on purpose', async () => {
    const history = await readHistory(place.ledger, run);
    const descriptor = history.started?.data.descriptor;
    const form = history.stages[0]?.contexts[0]?.data.contextForm;
    if (descriptor === undefined || form === undefined) throw new Error('nothing was shown');
    const textOf = async (): Promise<null> => null;
    const building = { descriptor, history, stage: 1, form, budget: 0, textOf, without: ['F1', 'stats'] };
    const { recorded } = await buildContext(building);
    const { counts, findings } = await again(
      await copies.forged(place, ({ type }, data) => (type === 'ContextRecorded' ? recorded : data)),
    );
    expect(counts.contexts).toBe(1);
    expect(findings.kept.filter(({ kind }) => kind === 'recomputed-context')).toEqual([]);
  });

  it('cannot be recomputed without its parent, and says so', async () => {
    const ledger = await copies.forged(place, (event, data) => (event.envelope.run === fork ? data : null));
    const { findings, counts } = await again(ledger, { run: null });
    expect(findings).toMatchObject({ faults: 0, kept: [{ kind: 'not-recomputed', where: `run-${fork}` }] });
    expect(counts.summaries).toBe(0);
  });
});

describe('forged evidence', () => {
  /** The first failed rollouts of the first stage, each followed by its failure. */
  const forgeries: Readonly<Record<number, (data: Data) => Data | null>> = {
    0: (data) => ({ ...data, outcome: 'valid' }),
    1: (data) => ({ ...data, failures: [{ ...data.failures[0], class: 'hole', message: 'a hole' }] }),
    2: (data) => ({ ...data, metrics: { ...data.metrics, steps: 99 } }),
    4: (data) => ({ ...data, task: { ...data.task, digest: '0'.repeat(64) } }),
    6: (data) => ({ ...data, task: { ...data.task, inline: { size: 4 } } }),
    8: (data) => ({ ...data, answer: ['W', 'W'] }),
    11: () => null,
  };
  let found: readonly string[];

  beforeAll(async () => {
    let at = 0;
    const ledger = await copies.forged(place, (event, data) => {
      const lie = event.stream === evidence && isFailed(event.type, data) ? forgeries[at++] : undefined;
      return lie === undefined ? data : lie(data);
    });
    found = findingTexts(await again(ledger));
  });

  function isFailed(type: string, { success }: Data): boolean {
    return type === 'FailureRecorded' || success === false;
  }

  it.each([
    ['the outcome of a rollout', /^recomputed-rollout \S+ RolloutRecorded data\.outcome: recorded "valid", computed /],
    [
      'the class of a failure',
      /^recomputed-failure \S+ FailureRecorded data\.failures\[0\]\.class: recorded "hole", computed /,
    ],
    ['a metric', /^recomputed-rollout \S+ RolloutRecorded data\.metrics\.steps: recorded 99, computed /],
    [
      'the digest of a task',
      /^recomputed-rollout \S+ RolloutRecorded data\.task\.digest: recorded "0+", computed again /,
    ],
    ['a task that cannot be judged', /^recomputed-rollout \S+ RolloutRecorded cannot be judged: /],
    ['an answer', /^recomputed-rollout \S+ RolloutRecorded data\..*recorded .*, computed again /],
    ['a missing failure', /^recomputed-failure \S+ RolloutRecorded is not followed by a failure, computed again "/],
  ])('is found: %s', (_, says) => {
    expect(found.filter((one) => says.test(one) && one.includes(evidence))).not.toEqual([]);
  });

  it('is also found in its summaries', () => {
    expect(
      found.filter((one) => /^recomputed-summary run-\S+ SummaryRecorded behaviour: data\.facts/.test(one)),
    ).toHaveLength(1);
  });
});

describe('forged evaluations', () => {
  it.each<[string, (data: Data) => Data, RegExp]>([
    [
      'the number of rollouts',
      (data) => ({ ...data, rollouts: data.rollouts + 1 }),
      /data\.rollouts: recorded \d+, computed again \d+$/,
    ],
    [
      'a rate',
      (data) => ({ ...data, results: data.results.with(0, { ...data.results[0], value: 0.987 }) }),
      /data\.results\[0\]\.value: recorded 0\.987, computed again /,
    ],
    [
      'an end of an interval',
      (data) => ({ ...data, results: data.results.with(3, { ...data.results[3], high: 1 }) }),
      /data\.results\[3\]\.high: recorded 1, /,
    ],
    [
      'the count of a failure class',
      (data) => ({ ...data, failures: data.failures.with(0, { ...data.failures[0], count: 0 }) }),
      /data\.failures\[0\]\.count: recorded 0, /,
    ],
    [
      'the digest of the suite',
      (data) => ({ ...data, suite: { ...data.suite, digest: '0'.repeat(64) } }),
      /data\.suite\.digest: recorded "0+", /,
    ],
  ])('are found: %s', async (_, lie, says) => {
    const ledger = await copies.forged(place, ({ type, envelope: { stage, run: of } }, data) =>
      type === 'EvaluationRecorded' && of === run && stage === 2 && data.suite.name === probeHoldout ? lie(data) : data,
    );
    const { findings } = await again(ledger);
    const found = findings.kept.filter(({ kind }) => kind === 'recomputed-evaluation');
    expect(found).toEqual([expect.objectContaining({ says: expect.stringMatching(says) })]);
  });

  it('are found even if the rollouts were forged with them', async () => {
    const solved = (data: Data): Data => ({ ...data, success: true, outcome: 'valid' });
    const ledger = await copies.forged(place, ({ type, stream }, data) =>
      type === 'RolloutRecorded' && stream === `evidence-${run}-1-validation-0` ? solved(data) : data,
    );
    const found = findingTexts(await again(ledger));
    expect(found.filter((one) => /^recomputed-rollout \S+-validation-0@/.test(one))).not.toEqual([]);
    expect(found.filter((one) => /^recomputed-evaluation /.test(one))).toHaveLength(1);
  });

  it('are unsupported if they cite no rollouts', async () => {
    const ledger = await copies.forged(place, ({ type, envelope: { run: of } }, data) =>
      type === 'EvaluationRecorded' && of === run ? { ...data, causes: [] } : data,
    );
    const { findings, unsupported, counts } = await again(ledger);
    expect([unsupported, counts.evaluations]).toEqual([4, 0]);
    expect(findings.kept.map(({ kind }) => kind)).toEqual(Array(4).fill('unsupported'));
    expect(findings.faults).toBe(0);
  });

  it('of a run that records only a sample are unsupported', async () => {
    const partly = await tinyPlace();
    onTestFinished(() => partly.close());
    await runTiny(partly, { run, settings: tinySettings({ record: 'sample', stages: 1 }) });
    const { unsupported, findings } = await again(partly.ledger);
    expect(unsupported).toBe(3);
    expect(findings.kept.map(({ says }) => says.split(' ')[0])).toEqual([
      'TrainingRecorded',
      'EvaluationRecorded',
      'EvaluationRecorded',
    ]);
  });

  it('are found in the rewards of training rollouts', async () => {
    const ledger = await copies.forged(place, ({ stream, revision }, data) =>
      stream === `evidence-${run}-1-training-0` && revision === 5 ? { ...data, reward: 0.5 } : data,
    );
    expect(findingTexts(await again(ledger))).toEqual([
      expect.stringMatching(/^recomputed-training \S+ TrainingRecorded data\.curve\[0\]\.values\.reward: recorded 0, /),
      expect.stringMatching(/^recomputed-rollout \S+-training-0@5 RolloutRecorded data\.reward: recorded 0\.5, /),
    ]);
  });
});

describe('forged decisions', () => {
  const forged: Forge = ({ type, envelope: { stage, run: of } }, data) => {
    if (of !== run) return data;
    const at = `${type} ${stage ?? 0} ${data.module ?? ''}`.trim();
    return at in forgeries ? (forgeries[at] as (data: Data) => Data)(data) : data;
  };
  const forgeries: Readonly<Record<string, (data: Data) => Data>> = {
    'SummaryRecorded 3 behaviour': (data) => ({
      ...data,
      facts: data.facts.with(0, { ...data.facts[0], value: 0.123 }),
    }),
    'SummaryRecorded 3 failures': (data) => ({
      ...data,
      exemplars: data.exemplars.with(0, { ...data.exemplars[0], drawing: 'all is well' }),
    }),
    'SummaryRecorded 3 training': (data) => ({ ...data, text: { text: data.text.text.replace('signal', 'signals') } }),
    'ContextRecorded 2': (data) => withText(data, data.text.text.replace('stage', 'Stage')),
    'ProposalRecorded 2': (data) => ({ ...data, scores: { ...data.scores, preservation: 0.5 } }),
    'ConfigAdopted 2': (data) => ({ ...data, changes: data.changes.slice(1) }),
    'StageCompleted 2': (data) => ({ ...data, results: data.results.with(0, { ...data.results[0], value: 1 }) }),
    'RunCompleted 0': (data) => ({ ...data, spent: { 'agent-steps': 1 } }),
  };
  let found: readonly string[];

  function withText(data: Data, text: string): Data {
    return { ...data, text: { text }, digest: sha256(text) };
  }

  beforeAll(async () => {
    found = findingTexts(await again(await copies.forged(place, forged)));
  });

  it.each([
    [
      'a figure of a summary',
      /^recomputed-summary \S+ SummaryRecorded behaviour: data\.facts\[0\]\.value: recorded 0\.123,/,
    ],
    ['a drawing', /^recomputed-summary \S+ SummaryRecorded failures: data\.exemplars\[0\]\.drawing.*"all is well"/],
    ['a text', /^recomputed-summary \S+ SummaryRecorded training: data\.text\.text, line \d+: recorded ".*signals/],
    [
      'a byte of a context',
      /^recomputed-context \S+ ContextRecorded data\.text\.text, line \d+: recorded ".*Stage.*computed/,
    ],
    ['a score', /^recomputed-scores \S+ ProposalRecorded data\.scores\.preservation: recorded 0\.5, computed/],
    ['an omitted change', /^recomputed-decision \S+ ConfigAdopted data\.changes\[0\]/],
    [
      'a result of the stage',
      /^recomputed-decision \S+ StageCompleted data\.results\[0\]\.value: recorded 1, computed/,
    ],
    ['the spending of the run', /^recomputed-decision \S+ RunCompleted data\./],
  ])('are found: %s', (_, says) => {
    expect(found.filter((one) => says.test(one))).toHaveLength(1);
  });

  it('give one finding each', () => {
    expect(found).toHaveLength(Object.keys(forgeries).length);
  });

  it('are found if the adopted configuration was not proposed, and if an evidence id means something else', async () => {
    const changed: Forge = ({ type, envelope: { stage } }, data) => {
      if (type === 'ContextRecorded' && stage === 2) {
        const [evidenceId] = Object.keys(data.evidenceIds);
        return {
          ...data,
          evidenceIds: { ...data.evidenceIds, [evidenceId as string]: { module: 'stats', events: [], family: '9' } },
        };
      }
      if (type !== 'ConfigAdopted' || stage !== 2) return data;
      const { configuration } = data;
      const knobs = configuration.knobs.with(1, { ...configuration.knobs[1], value: 0.35 });
      return { ...data, configuration: { ...configuration, knobs } };
    };
    const findings = findingTexts(await again(await copies.forged(place, changed)));
    const says = findings.map((one) => one.replace(/^(\S+) \S+ /, '$1 '));
    expect(says).toEqual([
      expect.stringMatching(/^recomputed-context ContextRecorded data\.evidenceIds\./),
      expect.stringMatching(/^recomputed-scores ProposalRecorded data\.scores\.citation: /),
      expect.stringMatching(
        /^recomputed-decision ConfigAdopted data\.configuration\.knobs\[1\]\.value: recorded 0\.35, /,
      ),
      expect.stringMatching(
        /^recomputed-decision StageStarted data\.configuration\.knobs\[1\]\.value: recorded .*again 0\.35$/,
      ),
    ]);
  });
});

describe('events of other recorders', () => {
  it('are counted with the reason, and are no faults', async () => {
    let imported = 0;
    const ledger = await copies.forged(place, ({ type, stream }, data) => {
      if (type === 'RolloutRecorded' && stream === evidence) {
        imported += 1;
        const { task: _, ...rest } = data;
        if (imported === 1) return rest;
        if (imported === 2) return { ...data, actor: 'import/verl' };
      }
      if (type === 'SummaryRecorded' && data.module === 'training') return { ...data, version: '0', facts: [] };
      if (type === 'ContextRecorded') return { ...data, builder: 'icecore-context/0' };
      return data;
    });
    const { findings, skipped } = await again(ledger);
    const notices = findings.kept.filter(({ kind }: Finding) => kind === 'not-recomputed');
    expect(notices.map(({ says }) => says)).toEqual([
      '1 rollout: recorded without their tasks',
      '1 rollout: recorded by import/verl',
      `2 summaries: computed by version 0, this is version ${summaryVersion}`,
      `1 context: built by icecore-context/0, this is icecore-context/5`,
    ]);
    expect(skipped).toBe(5);
    expect(findings.kept.filter(({ kind }) => kind === 'recomputed-rollout' || kind === 'recomputed-context')).toEqual(
      [],
    );
  });
});

describe('a self-summary', () => {
  it.each([
    ['equal', 'I fall into holes.', 0],
    ['different', 'I never fall.', 1],
  ])('is compared with its recorded answer: %s', async (_, text, faults) => {
    const ledger = await copies.forged(place, (_, data) => data);
    const key = sha256('a question');
    const at = { at: '2030-01-01T00:00:00Z', version: 1, causes: [] };
    const answer = {
      key,
      context: sha256('what was shown'),
      model: { name: 'm' },
      parameters: {},
      sample: 0,
      answer: { text: 'I fall into holes.\n' },
      finishReason: 'stop',
    };
    const answered = { ...at, id: idOf(run, 'ModelAnswered'), type: 'ModelAnswered', actor: 'producer/answers' };
    await ledger.append(`answer-${key}`, [{ ...answered, run: null, stage: null, data: answer }], { expect: 'none' });
    const summed = { ...at, id: idOf(run, 'SummaryRecorded'), type: 'SummaryRecorded', actor: 'producer/summaries' };
    const summary = {
      module: 'self-summary',
      version: summaryVersion,
      facts: [],
      exemplars: [],
      text: { text },
      answer: { key },
    };
    await ledger.append(`run-${run}`, [{ ...summed, run, stage: 2, data: summary }], { expect: 'exists' });
    const { findings, counts } = await again(ledger);
    expect(counts.summaries).toBe(summaries + 1);
    expect(findings.faults).toBe(faults);
  });

  function idOf(run: string, type: 'ModelAnswered' | 'SummaryRecorded'): string {
    return eventId({ run, stage: 2, kind: codeOf(type), index: 99 });
  }
});
