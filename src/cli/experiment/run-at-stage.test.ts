// RUN@K means stage K and the decision that configured it, made from history through stage K-1, in every command.
import { describe, expect, it } from 'vitest';
import { json, type Ran } from '../testing/harness.ts';
import { hasPython, type Place, placeWith, tiny } from './testing/place.ts';

/** The run `open`: stages 1 and 2 are complete, rules decided stage 2, and a person is to decide stage 3. */
const place = placeWith({ ...tiny, engineer: 'rules', name: 'mine' }, [
  ['fork', 'mine', '--stages', '3', '--engineer', 'human', '--name', 'open'],
]);

type Verb = (at: Place, run: string) => Promise<Ran>;

/** The configuration of a stage, adopted for the run. */
const adopt: Verb = async (at, run) => {
  const { stdout } = await at.icecore('event', 'tail', '--type', 'StageStarted', '--json', '-n', '1');
  at.write('given.json', JSON.parse(stdout).data.configuration.whole);
  return await at.icecore('adopt', 'given.json', '--run', run, '--json');
};

/** The exit code, and what is in the output: the stage that the JSON names, or a part of the message. */
type Expected = readonly [code: number, found: number | string];

const beyond: Expected = [2, 'the next decision is for stage 3'];
const beyondRecorded: Expected = [2, 'open has no stage 4: 2 stages are complete'];
const notDecided: Expected = [2, 'open@1 is given, not decided'];

const verbs: readonly [name: string, verb: Verb, expected: Readonly<Record<string, Expected>>][] = [
  [
    'show',
    (at, run) => at.icecore('show', run, '--json'),
    { '@1': [0, 1], '@2': [0, 2], '@3': [1, 'no stage 3'], '@next': [1, 'no stage 3'], '@4': beyondRecorded },
  ],
  [
    'why',
    (at, run) => at.icecore('why', run, '--json'),
    {
      ...{ '': [0, 2], '@1': [0, 1], '@2': [0, 2] },
      '@4': beyondRecorded,
      '@3': [1, 'stage 3 of open is not decided yet'],
      '@next': [1, 'stage 3 of open is not decided yet'],
    },
  ],
  [
    'diff',
    (at, run) => at.icecore('diff', run, '--json'),
    {
      ...{ '': [2, 'names no stage'], '@1': [2, 'no stage before'], '@4': beyondRecorded },
      ...{ '@3': [1, 'no stage 3'], '@next': [1, 'no stage 3'] },
    },
  ],
  [
    'annotate',
    (at, run) => at.icecore('annotate', run, 'a note', '--json'),
    { '@1': [0, 1], '@2': [0, 2], '@3': [1, 'no stage 3'], '@next': [1, 'no stage 3'], '@4': beyondRecorded },
  ],
  [
    'compare',
    (at, run) => at.icecore('compare', 'open@1', run, '--json'),
    { '@2': [0, '"stage":2'], '@4': beyondRecorded },
  ],
  [
    'context',
    (at, run) => at.icecore('context', run, '--json'),
    { '': [0, 3], '@1': notDecided, '@2': [0, 2], '@3': [0, 3], '@next': [0, 3], '@4': beyond },
  ],
  [
    'propose',
    (at, run) => at.icecore('propose', run, '--engineer', 'rules', '--dry-run', '--json'),
    { '': [0, 3], '@1': notDecided, '@2': [0, 2], '@3': [0, 3], '@next': [0, 3], '@4': beyond },
  ],
  [
    'adopt',
    adopt,
    {
      ...{ '': [0, 3], '@1': notDecided, '@3': [0, 3], '@next': [0, 3], '@4': beyond },
      '@2': [1, 'stage 2 is decided already'],
    },
  ],
];

describe.skipIf(!hasPython)('RUN@K', () => {
  const cases = verbs.flatMap(([name, verb, expected]) =>
    Object.entries(expected).map(([suffix, result]) => [`${name} open${suffix}`, verb, suffix, result] as const),
  );

  it.each(cases)('selects the stage or is refused: %s', async (_, verb, suffix, [code, found]) => {
    const ran = await verb(place(), `open${suffix}`);
    expect(ran).toMatchObject({ code });
    if (typeof found === 'number') expect(json(ran)).toMatchObject({ stage: found });
    else expect(ran.stdout).toContain(found);
  });

  it.each([
    ['@2', 1],
    ['@3', 2],
    ['@next', 2],
    ['', 2],
  ])('fork open%s shares the stages before it', async (suffix, shared) => {
    const ran = await place().icecore('fork', `open${suffix}`, '--json');
    expect(json(ran)).toMatchObject({ ended: 'waiting', stages: shared });
  });

  it.each<[string, string[], number[]]>([
    ['', [], [2]],
    ['@2', [], [2]],
    ['@next', [], [3]],
    ['@3', [], [3]],
    ['', ['--decisions', '2,3'], [2, 3]],
  ])('ablate open%s %j replays those decisions', async (suffix, words, decisions) => {
    const asked = ['--engineer', 'rules', '--context', 'failures', ...words, '--json'];
    const ablated = json(await place().icecore('ablate', `open${suffix}`, ...asked)) as unknown as {
      histories: { decisions: number[] }[];
      decisions: { stage: number }[];
      arms: { arm: string }[];
    };
    expect(ablated.histories).toMatchObject([{ decisions }]);
    expect([...new Set(ablated.decisions.map(({ stage }) => stage))]).toEqual(decisions);
    // What nobody decided has no arm of its own.
    expect(ablated.arms.some(({ arm }) => arm === 'actual')).toBe(!decisions.includes(3));
  });

  it.each<[string, string[], string]>([
    ['ablate', ['open@1'], 'open@1 is given, not decided'],
    ['ablate', ['open', '--decisions', '1'], '--decisions: found "1"'],
    ['ablate', ['open@4'], 'the next decision is for stage 3'],
    ['ablate', ['open@next', '--depth', 'train'], '--depth: found train, allowed: propose, because open@3'],
    ['ablate', ['open@2', '--decisions', '2'], '--decisions: found "2", allowed: none together with open@2'],
    ['fork', ['open@1'], 'open@1 is given, not decided'],
    ['fork', ['open@4'], 'the next decision is for stage 3'],
  ])('%s %j is a usage error', async (verb, words, message) => {
    const others = verb === 'fork' ? [] : ['--engineer', 'rules', '--context', 'failures'];
    expect(await place().icecore(verb, ...words, ...others)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  it('with the first stage is reported as given, not decided', async () => {
    const { code, stdout } = await place().icecore('why', 'open@1');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('given, not decided') });
  });

  it('is printed with the last stage of its evidence', async () => {
    const { icecore } = place();
    expect((await icecore('context', 'open')).stderr).toMatch(/^open@3, evidence through stage 2, /);
    const { stdout } = await icecore('propose', 'open@2', '--engineer', 'rules', '--dry-run');
    expect(stdout).toMatch(/^rules proposes for open@2, shown /);
  });

  it('is explained in the error if the stage is missing', async () => {
    const { stderr } = await place().icecore('context', 'open@');
    expect(stderr).toContain('Write RUN or RUN@K, for example latest@2. Stages count from 1.');
  });
});
