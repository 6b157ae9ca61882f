// Ablations as they are shown, made up, with the conclusions that icecore draws from them: of a single run that was only
// asked, of ten seeds that were trained, a factorial, and one that was stopped in the middle.
import type {
  Ablated,
  AblatedArm,
  AblatedDecision,
  AblatedValue,
  AblationPlan,
} from '../../../../schemas/ablation-output.ts';
import { Random } from '../../../lab/random.ts';
import { declaredContrasts, ofMeasures, testedBy } from '../conclude.ts';
import { conclusionOf } from '../statistics/conclusions.ts';
import type { Contrast, Material } from '../statistics/material.ts';

interface AblationSize {
  readonly depth: Ablated['depth'];
  readonly forms: readonly string[];
  readonly engineers: readonly string[];
  readonly seeds: number;
  /** The stages that are configured again. */
  readonly stages: readonly number[];
}

const run = 'quiet-fjord-7f3a';
const id = '0198c0de-5eed-7aaa-8bbb-cccccccccccc';
const baselines = ['fixed', 'uniform', 'random', 'static-small', 'schedule'];
const families = ['3', '4', '5', '6', '7', '8', '9', '10'];
const knobs = families.flatMap((family) =>
  ['data', 'hole', 'wait'].map((knob) => ({ knob: `${family}.${knob}`, family })),
);

const trained: Ablated['measures'] = [
  { measure: 'validation', better: 'higher', is: 'share', split: 'validation', says: 'tasks of validation that work' },
  { measure: 'valid', better: 'higher', is: 'share', split: 'test', says: 'tasks of the benchmarks that work' },
];
const asked: Ablated['measures'] = [
  {
    measure: 'citation',
    better: 'higher',
    is: 'number',
    split: null,
    says: 'citation score: changes that rest on evidence',
  },
  { measure: 'preservation', better: 'higher', is: 'share', split: null, says: 'working families that are kept' },
  { measure: 'brier', better: 'lower', is: 'number', split: null, says: 'how far predictions were off' },
];

function ablation(what: AblationSize): Ablated {
  const { depth, seeds, stages } = what;
  const arms = armsOf(what);
  const units = Array.from({ length: seeds }, (_, i) => ({ unit: String(i + 1), run, seed: String(i + 1) }));
  const measures = depth === 'propose' ? asked : trained;
  const decisions = arms.flatMap((arm, place) =>
    units.flatMap(({ unit }) => stages.map((stage) => decisionOf(arm, place, unit, stage))),
  );
  const values = arms.flatMap((arm, place) =>
    units.flatMap(({ unit }) =>
      measures.map((measure) =>
        depth === 'propose' ? scoreOf(arm, unit, measure, decisions) : armValue(arm, place, unit, measure),
      ),
    ),
  );
  const sides = { arm: arms[0]?.arm ?? '', reference: 'actual' };
  const primary = { ...sides, measure: measures[0]?.measure ?? '', better: 'higher' } as const;
  const made: Ablated = {
    ledger: 'sqlite:/home/ada/lab/.icecore/ledger.db',
    ablation: id,
    name: 'contexts',
    state: 'completed',
    at: '2026-06-01T12:00:00.000Z',
    depth,
    preset: null,
    factors: [],
    says: null,
    histories: [{ run, name: 'quiet-fjord', decisions: [...stages], seed: '1' }],
    units,
    arms,
    primary,
    contrasts: [{ ...primary, factor: null }],
    level: 0.95,
    margin: null,
    measures,
    values,
    results: [],
    comparisons: [],
    tasks: [],
    decisions,
    trainings: [],
    likeness: arms.flatMap(({ arm }, i) =>
      arms
        .slice(i + 1)
        .map((other, j) => ({ arm, other: other.arm, knobs: ((i * 7 + j * 3) % 20) + 0.5, same: false })),
    ),
    sensitivity: null,
    published: [],
    conclusions: [],
    unrecorded: [],
    errored: [],
    spent: depth === 'propose' ? {} : { decisions: 12_400_000 },
    cost: { USD: 0.42 },
  };
  return concluded(made, against('actual', arms));
}

/** With what the data support, as it is recorded at the end. */
function concluded(ablated: Ablated, contrasts: readonly Contrast[]): Ablated {
  const { depth, units, values, measures, level, margin } = ablated;
  const { arms } = ablated;
  const material: Material = {
    ...{ depth, arms, values, contrasts, level, margin },
    ...ofMeasures(measures),
    units: units.map(({ unit }) => unit),
    tested: testedBy(ablated.contrasts),
    declared: declaredContrasts(ablated.contrasts, arms),
    same: [],
  };
  const { results, comparisons, says } = conclusionOf(material);
  return { ...ablated, results, comparisons, conclusions: says };
}

function against(reference: string, [, ...others]: readonly AblatedArm[]): Contrast[] {
  return others
    .filter(({ arm }) => arm !== reference)
    .map(({ arm }) => ({ kind: 'arms', arm, reference, of: [arm], less: [reference] }));
}

function armsOf({ forms, engineers }: AblationSize): AblatedArm[] {
  const plain = { model: null, without: [], notApplicable: [], reads: null };
  const shown = engineers.flatMap((engineer) =>
    forms.map((form) => ({
      ...{ ...plain, arm: `${engineer}/${form}`, engineer, form, modules: form.split('+'), baseline: false },
      notApplicable: engineer === 'rules' && form === 'stats' ? ['stats'] : [],
    })),
  );
  const really = { ...plain, arm: 'actual', engineer: 'checkpoint', form: 'combined', modules: ['failures'] };
  const blind = baselines.map((arm) => ({ ...plain, arm, engineer: arm, form: null, modules: null, baseline: true }));
  return [...shown, { ...really, baseline: true }, ...blind];
}

function armValue(
  { arm, baseline }: AblatedArm,
  place: number,
  unit: string,
  { measure, is }: Ablated['measures'][number],
): AblatedValue {
  const draw = new Random('values', arm, unit, measure);
  const seed = new Random('values', unit).fraction() * 0.06;
  const skill = (baseline ? 0.3 : 0.42) + ((place * 5) % 7) * 0.008;
  const value = skill + seed + draw.fraction() * 0.04 - (measure === 'valid' ? 0.12 : 0);
  return { arm, unit, measure, value, worst: is === 'share' ? value / 2 : null };
}

function scoreOf(
  { arm }: AblatedArm,
  unit: string,
  { measure }: Ablated['measures'][number],
  decisions: readonly AblatedDecision[],
): AblatedValue {
  const own = decisions.filter((one) => one.arm === arm && one.unit === unit);
  const scores = own.map((one) => Object.entries(one.scores).find(([score]) => score === measure)?.[1] ?? 0);
  const value = scores.reduce((sum, one) => sum + one, 0) / own.length;
  return { arm, unit, measure, value, worst: null };
}

function decisionOf({ arm, engineer }: AblatedArm, place: number, unit: string, stage: number): AblatedDecision {
  const draw = new Random('decisions', arm, unit, stage);
  const moved = knobs.filter((_, i) => (i + place * 5 + stage) % 4 === 0);
  const changes = engineer === 'fixed' ? [] : moved;
  const turns = changes.map((one) => ({ ...one, from: 0.125, to: Number((draw.fraction() * 0.4).toFixed(3)) }));
  return {
    ...{ arm, unit, run, stage, came: 'proposed', why: null, armRun: null, clamps: 0, kept: 4 },
    context: null,
    configuration: `${(place * stage).toString(16).padStart(64, '0')}`,
    changes: turns.map((one) => ({ ...one, cites: draw.below(3) })),
    differs: arm === 'actual' ? [] : turns.slice(0, 5).map((one) => ({ ...one, from: 0.2 })),
    scores: {
      citation: draw.fraction(),
      preservation: draw.fraction(),
      valid: 1,
      brier: draw.fraction() / 4,
      rankCorrelation: draw.fraction(),
    },
    says: 'Failures are commonest on large maps.',
    answers: engineer === 'gpt' ? 1 : 0,
    tokens: engineer === 'gpt' ? 4200 : null,
    cost: engineer === 'gpt' ? { USD: 0.012 } : {},
  };
}

const four = ['failures', 'stats', 'behaviour', 'combined'];

/** What people begin with. */
export function oneRunAsked(): Ablated {
  return ablation({ depth: 'propose', forms: four, engineers: ['rules', 'gpt'], seeds: 1, stages: [2, 3, 4] });
}

export function tenSeedsTrained(): Ablated {
  const engineers = ['rules', 'base', 'checkpoint'];
  return ablation({ depth: 'train', forms: four, engineers, seeds: 10, stages: [2, 3] });
}

const factors = ['failures', 'stats', 'behaviour'];

export function factorial(): Ablated {
  const forms = Array.from({ length: 8 }, (_, i) => factors.filter((__, j) => i & (1 << j)).join('+') || 'none');
  const made = ablation({ depth: 'train', forms, engineers: ['rules'], seeds: 10, stages: [3] });
  const effects = factors.map((factor): Contrast => {
    const [of, less] = [true, false].map((has) =>
      forms.filter((form) => form.split('+').includes(factor) === has).map((form) => `rules/${form}`),
    );
    return { kind: 'effect', arm: `rules: ${factor}`, reference: 'rules: without', of: of ?? [], less: less ?? [] };
  });
  return { ...concluded(made, effects), preset: 'factorial' };
}

/** One answer could not be used, one arm failed, and some of it is still to be done. */
export function stopped(): Ablated {
  const whole = tenSeedsTrained();
  const rejected = (one: AblatedDecision): AblatedDecision => ({
    ...one,
    ...{ came: 'rejected', why: 'unreadable', changes: [], differs: null, configuration: null, kept: null },
    scores: { citation: null, preservation: null, valid: 0, brier: null, rankCorrelation: null },
  });
  const decisions = whole.decisions
    .slice(0, -30)
    .map((one) => (one.arm === 'base/failures' && one.unit === '1' ? rejected(one) : one));
  return {
    ...whole,
    state: 'under-way',
    decisions,
    results: whole.results.filter(({ arm }) => arm !== 'schedule'),
    comparisons: whole.comparisons.filter(({ arm }) => arm !== 'schedule'),
    values: whole.values.filter(({ arm }) => arm !== 'schedule'),
    errored: [{ arm: 'schedule', reason: 'the spending cap of 1 USD is reached', resumable: true }],
  };
}

export function withAsides(ablated: Ablated): Ablated {
  const [first = ''] = ablated.arms.map(({ arm }) => arm);
  const changed = [{ knob: '8.data', family: '8', whole: 0.25, less: 0.125 }];
  return {
    ...ablated,
    tasks: [
      {
        ...{ factor: null, arm: first, reference: 'actual', unit: '1', suites: ['validation'] },
        ...{ tasks: 400, better: 31, worse: 18 },
        ...{ difference: 0.0325, low: -0.0018, high: 0.0664, p: 0.0854, method: "McNemar's exact test" },
      },
    ],
    sensitivity: {
      arm: first,
      left: [
        { arm: `${first}-stats`, without: 'stats', changed, came: 'proposed' },
        { arm: `${first}-F3`, without: 'F3', changed: [], came: 'proposed' },
        { arm: `${first}-failures`, without: 'failures', changed: [], came: 'rejected' },
      ],
    },
    published: [
      {
        what: 'Which context helps: valid rate by suite',
        columns: ['theirs: valid, %, at wait ratios 0.25 / 0.50 / 0.75', 'ours: valid, %'],
        rows: [
          { label: 'V1 failures only', arm: first, theirs: '25.2 / 18.4 / 14.9', ours: '42.0' },
          { label: 'V3 + history with the first configuration', arm: null, theirs: '45.2 / 35.7 / 27.3', ours: null },
        ],
        says: 'Figures of the research are of another policy at another scale: they are no evidence about these, nor these about them.',
      },
    ],
  };
}

export function planOf(ablated: Ablated): AblationPlan {
  const { ledger, ablation, depth, histories, units, arms, primary, contrasts } = ablated;
  const asked = arms.filter(({ engineer }) => engineer === 'gpt').length;
  const decisions = arms.length * units.length * 3;
  return {
    ...{
      ledger,
      ablation,
      state: 'new',
      depth,
      histories,
      units,
      arms,
      primary,
      contrasts,
      declared: true,
      decisions,
      done: 0,
    },
    questions: asked * 3,
    trainings: depth === 'propose' ? 0 : decisions,
    repeats: depth === 'propose' ? 0 : 3,
    evaluations: depth === 'propose' ? 0 : decisions,
    seconds: depth === 'propose' ? 4 : 5400,
    cost: asked === 0 ? {} : { USD: 0.14 },
    seeds: {
      ...{ units: units.length, power: 0.8, alpha: 0.05, deviation: null, headroom: null },
      families: [
        {
          ...{ family: 'declared', contrasts: 1, finds: units.length < 6 ? null : 1.0128, findsBy: null, least: 6 },
          compared: contrasts.slice(0, 1).map(({ arm, reference }) => ({ kind: 'arms', arm, reference })),
        },
        {
          ...{ family: 'others', contrasts: 16, finds: null, findsBy: null, least: 10 },
          compared: Array.from({ length: 16 }, (_, i) => ({ kind: 'arms', arm: `engineer-${i}`, reference: 'actual' })),
        },
      ],
      needed: [{ effect: 1, difference: null, units: [11, 21] }],
    },
    notes: ['One seed: means have no intervals. Ten seeds of the same settings would tell more: name several runs.'],
  };
}

/** Every text that somebody chose, spoilt. */
export function spoilt(ablated: Ablated, payload: string): Ablated {
  return spoiltValue(ablated, payload) as Ablated;
}

const words = [
  'ablation',
  'state',
  'depth',
  'better',
  'is',
  'verdict',
  'statistic',
  'came',
  'at',
  'configuration',
  'run',
  'unit',
];

function spoiltValue(value: unknown, payload: string): unknown {
  if (typeof value === 'string') return `${value}${payload}`;
  if (Array.isArray(value)) return value.map((one) => spoiltValue(one, payload));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, words.includes(key) ? one : spoiltValue(one, payload)]),
  );
}
