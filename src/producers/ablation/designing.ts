// Builds an ablation's design from options: histories and their decisions, arms, units and the primary contrast. Every
// problem is found here, before anything is written.
import type { AblationOptions } from '../../../schemas/ablation-options.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Amounts } from '../../base/quantity.ts';
import type { Engineer, Identity } from '../../lab/engineers/engineer.ts';
import { humanName } from '../../lab/engineers/engineer.ts';
import { blindNames } from '../../lab/engineers/registry.ts';
import { type Form, formNamed } from '../contexts/forms.ts';
import type { Surroundings } from '../run/opening.ts';
import { stageIn } from '../run/session.ts';
import { refusedIn } from './actual-decision.ts';
import { armsOf, declaredOf, factorial, leaveOneOut, type Row, type ShownForm, sightOf } from './arms.ts';
import {
  type Depth,
  type Design,
  type EngineerWord,
  identityOf,
  type Replayed,
  recordedArm,
  type Unit,
} from './design.ts';
import type { Station } from './stations.ts';

export interface AblationRequest {
  readonly histories: readonly Replayed[];
  readonly depth: Depth;
  /** Null for the default. */
  readonly engineers: readonly EngineerWord[] | null;
  readonly forms: readonly Form[] | null;
  /** How forms are derived from the named ones. */
  readonly choice: AblationOptions['choice'];
  /** Null for the histories' own seeds. */
  readonly seeds: readonly Unit['seed'][] | null;
  /** The declared contrasts as named by the user; empty for the default. */
  readonly contrasts: readonly string[];
  /** The measure that contrasts are tested on; null for the default. */
  readonly measure: string | null;
  /** The baselines, including the actual decisions; null for all. */
  readonly baselines: readonly string[] | null;
  readonly level: number;
  readonly margin: number | null;
  readonly budget: Amounts | null;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly says: string | null;
}

/** `first` is the station of the first history. */
export function designed(asked: AblationRequest, first: Station, { entries }: Pick<Surroundings, 'entries'>): Design {
  const { histories, depth, level, margin, budget, name, tags, says, choice, contrasts, measure } = asked;
  const recorded = recordedIn(asked);
  const rows = rowsOf(asked, recorded?.form ?? null);
  const chosen = asked.baselines ?? [...blindNames, recordedArm];
  const arms = armsOf({
    rows,
    baselines: chosen,
    recorded: chosen.includes(recordedArm) ? recorded : null,
    engineerOf: (word) => engineerFor(word, first),
  });
  const units = unitsOf(asked);
  const declared = declaredOf({ named: contrasts, measure, depth, isPaper: choice.kind === 'paper' }, arms);
  const preset = choice.kind === 'as-named' ? null : choice.kind;
  const design = { name, depth, histories, units, arms, declared, level, margin, preset, budget, tags, says };
  const options: AblationOptions = {
    choice,
    engineers: rows.map(({ engineer }) => engineer),
    ...(asked.baselines === null ? {} : { baselines: [...asked.baselines] }),
    units: units.map(({ unit, seed, history }) => ({ unit, seed, run: histories[history]?.run ?? '' })),
  };
  const whole = { ...design, options };
  return { ablation: identityOf(whole, entries), ...whole };
}

function engineerFor(word: EngineerWord, station: Station): Engineer {
  const { engineer, isByHand } = station.deciderOf(word);
  if (!isByHand) return engineer;
  throw new IcecoreError('usage', '--engineer: found human, but an ablation cannot ask a person', {
    facts: { field: '--engineer', found: humanName },
    remedy: 'The arm "actual" has their decisions. Use other engineers, or decide with icecore fork and adopt.',
  });
}

/** Null unless every replayed decision was actually made and, if arms run on, with every seed. */
function recordedIn({ histories, depth, seeds }: AblationRequest): { identity: Identity; form: Form | null } | null {
  const [first] = histories;
  const isDecided = ({ history, stages }: Replayed): boolean =>
    stages.every((stage) => stageIn(history, stage).adopted !== null);
  if (first === undefined || !histories.every(isDecided)) return null;
  if (depth === 'run' && (seeds !== null || !histories.every(({ history }) => history.completed !== null))) return null;
  const [stage = 1] = first.stages;
  const over = stageIn(first.history, stage);
  const { adopted, proposals, contexts, errors } = over;
  const proposal = proposals.find(({ id }) => id === adopted?.data.proposal)?.data;
  const context = contexts.find(({ id }) => id === adopted?.data.context?.event)?.data;
  const someone = { name: adopted?.data.by === 'human' ? humanName : 'unknown' };
  const errored = adopted?.data.by === 'errored' ? errors.at(-1) : undefined;
  const identity = (proposal ?? (refusedIn(over) ?? errored)?.data)?.engineer ?? someone;
  return { identity, form: context?.contextForm ?? null };
}

/** Those that see no context: contexts make no difference to them. */
const isBlind = (word: EngineerWord): boolean => typeof word === 'string' && blindNames.includes(word);

/** The histories' own engineers, if they read contexts. */
function usualEngineers({ histories }: AblationRequest): readonly EngineerWord[] {
  const word = histories[0]?.settings.engineer ?? 'rules';
  return isBlind(word) || word === humanName ? ['rules'] : [word];
}

const usualForms = ['failures', 'stats', 'behaviour', 'combined'];

function rowsOf(asked: AblationRequest, recorded: Form | null): readonly Row[] {
  const { choice, forms, histories } = asked;
  const engineers = unique(asked.engineers ?? usualEngineers(asked));
  const own = recorded ?? formNamed(histories[0]?.settings.context ?? 'combined');
  const named = forms ?? (choice.kind === 'as-named' ? unlike([...usualForms.map(formNamed), own]) : [own]);
  const seeing = (sights: readonly ShownForm[]): readonly Row[] => engineers.map((engineer) => ({ engineer, sights }));
  switch (choice.kind) {
    case 'as-named':
      return seeing(unlike(named).map(sightOf));
    case 'leave-one-out':
      return seeing(unlike(named).flatMap(leaveOneOut));
    case 'factorial':
      return seeing(named.slice(0, 1).flatMap((form) => factorial(form, choice.factors)));
    case 'sensitivity':
      return seeing(
        named
          .slice(0, 1)
          .flatMap((form) => [...leaveOneOut(form), ...choice.items.map((item) => lessItem(form, item))]),
      );
    case 'paper':
      return paperRows(asked, engineers);
  }
}

function lessItem(form: Form, item: string): ShownForm {
  return { form, name: `${sightOf(form).name}-${item}`, without: [item] };
}

/**
 * The two analyses of the paper: the ladder of contexts, and the untrained checkpoint, the current one and the later
 * ones.
 */
function paperRows({ histories, engineers }: AblationRequest, usual: readonly EngineerWord[]): readonly Row[] {
  const ladder = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6'].map((form) => sightOf(formNamed(form)));
  const last = ladder.slice(-1);
  const stages = [...new Set(histories.flatMap((one) => one.stages))].sort((a, b) => a - b);
  const snapshots = stages.map((stage) => `checkpoint@${stage}`);
  const own = engineers === null ? (['checkpoint'] as const) : usual;
  const others = ['base', ...snapshots].filter((word) => !own.includes(word));
  return [
    ...own.map((engineer) => ({ engineer, sights: ladder })),
    ...others.map((engineer) => ({ engineer, sights: last })),
  ];
}

function unique<Word>(words: readonly Word[]): readonly Word[] {
  return words.filter((word, i) => words.findIndex((one) => JSON.stringify(one) === JSON.stringify(word)) === i);
}

/** Forms with the same modules and options are one. */
function unlike(forms: readonly Form[]): readonly Form[] {
  const key = ({ modules, parameters = {} }: Form): string => JSON.stringify([modules, parameters]);
  return forms.filter((form, i) => forms.findIndex((one) => key(one) === key(form)) === i);
}

function unitsOf({ histories, seeds }: AblationRequest): readonly Unit[] {
  const isOne = histories.length === 1;
  return histories.flatMap(({ name, settings, run }, history) => {
    const own = seeds ?? [settings.seed];
    const twins = histories.filter((one) => one.name === name).length > 1;
    const label = twins ? `${name} (${run})` : name;
    return own.map((seed, sample) => {
      const unit = isOne ? `seed ${seed}` : seeds === null ? label : `${label} seed ${seed}`;
      return { unit, history, seed, sample };
    });
  });
}
