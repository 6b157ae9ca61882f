// The runs whose history an ablation replays, and the rollouts of a context that can be left out one by one.
import { IcecoreError } from '../../../schemas/errors.ts';
import { isExternal } from '../../../schemas/run-file.ts';
import { snapshotStage } from '../../analysis/ablation/conclude.ts';
import type { ContextModules } from '../../lab/context-modules.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns } from '../../ledger/runs.ts';
import { historyUntil } from '../../producers/ablation/arm-history.ts';
import { type Depth, type EngineerWord, type Replayed, replayedOf } from '../../producers/ablation/design.ts';
import { buildContext } from '../../producers/contexts/build.ts';
import { type Form, formNamed } from '../../producers/contexts/forms.ts';
import { nameOf } from '../../producers/history/name.ts';
import { readHistory } from '../../producers/history/reading.ts';
import type { RunHistory } from '../../producers/history/run-history.ts';
import { textReader } from '../../producers/run/question.ts';
import { settingsOf } from '../experiment/settings.ts';
import { decisionNamed, nextStage, type RunReference } from '../reference.ts';
import { notePartOfName } from '../run-named.ts';
import type { Session } from '../session.ts';
import type { AblationQuery } from './query.ts';
import { withAblationHint } from './recorded.ts';

/** Each run once: the named ones in their order, then those with the tag. Throws NothingToDecide. */
export async function historiesOf(
  session: Session,
  ledger: Ledger,
  query: AblationQuery,
): Promise<readonly Replayed[]> {
  const { runs, tag } = query;
  const names = runs.map(({ run }) => run);
  const found = await withAblationHint(ledger, () => findRuns(ledger, names));
  for (const [i, one] of found.entries()) await notePartOfName(session, names[i] ?? one.name, one);
  const tagged = tag === null ? [] : await taggedWith(ledger, tag);
  const all = [...new Set([...found.map(({ run }) => run), ...tagged])];
  const histories: Replayed[] = [];
  for (const run of all) {
    const history = await readHistory(ledger, run);
    const settings = settingsOf(history);
    if (query.depth !== 'propose' && isExternal(settings.trainer)) throw cannotRepeatTraining(history, query.depth);
    const references = runs.filter((_, i) => found[i]?.run === run);
    histories.push(replayedOf(history, settings, stagesBefore(history, references, query)));
  }
  return histories;
}

/** The stages before the decisions to be made again; null: all decisions. */
function stagesBefore(
  history: RunHistory,
  references: readonly RunReference[],
  { decisions, depth }: AblationQuery,
): readonly number[] | null {
  const named = decisions ?? references.flatMap(({ stage }) => stage ?? []);
  const isWhole = decisions === null && references.some(({ stage }) => stage === null);
  if (named.length === 0 || isWhole) return null;
  const configured = [...new Set(named.map((stage) => decisionNamed(history, stage)))];
  if (depth !== 'propose' && configured.includes(nextStage(history))) throw nextIsOnlyProposed(history, depth);
  return configured.map((stage) => stage - 1);
}

function nextIsOnlyProposed(history: RunHistory, depth: Depth): IcecoreError {
  const next = `${nameOf(history)}@${nextStage(history)}`;
  return new IcecoreError('usage', `--depth: found ${depth}, allowed: propose, because ${next} is the next decision`, {
    facts: { field: '--depth', found: depth, allowed: ['propose'] },
    remedy: 'Only decisions whose stage is complete can be trained again.',
  });
}

/** An ablation that trains repeats the recorded trainings with the trainer of the run. */
function cannotRepeatTraining(history: RunHistory, depth: Depth): IcecoreError {
  const what = `${nameOf(history)} is trained elsewhere, so icecore cannot train its arms`;
  return new IcecoreError('usage', `--depth: found ${depth}, allowed: propose, because ${what}`, {
    facts: { field: '--depth', found: depth, allowed: ['propose'] },
    remedy:
      'With --depth propose the arms decide without training. A trainer that icecore can start itself (icecore run --trainer) allows more.',
  });
}

/** Runs created by an ablation inherit tags, but are not histories of it. */
async function taggedWith(ledger: Ledger, tag: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const events of ledger.readAll({ types: ['RunStarted'] })) {
    for (const { reading, envelope } of events) {
      if (!reading.known || reading.type !== 'RunStarted' || reading.data.arm !== undefined) continue;
      if (envelope.run !== null && reading.data.tags?.includes(tag) === true) runs.push(envelope.run);
    }
  }
  if (runs.length > 0) return runs;
  throw new IcecoreError('not-found', `--tag: no run has "${tag}"`, {
    facts: { field: '--tag', found: tag },
    remedy: 'icecore runs shows runs with their tags.',
  });
}

/** The evidence ids of the exemplars in a context, of the first form given or the run's own form. */
export async function itemsOf(
  { history, settings, stages }: Replayed,
  forms: readonly Form[] | null,
  blobs: () => Promise<Blobs>,
  own: ContextModules,
): Promise<readonly string[]> {
  const descriptor = history.started?.data.descriptor;
  const [stage] = stages;
  if (descriptor === undefined || stage === undefined) return [];
  const { shown } = await buildContext({
    descriptor,
    history: historyUntil(history, stage),
    stage,
    form: forms?.[0] ?? formNamed(settings.context),
    budget: settings.contextTokens,
    own,
    textOf: textReader(blobs),
  });
  return shown.modules.flatMap(({ exemplars }) => exemplars.map(({ evidenceId }) => evidenceId));
}

/** A checkpoint was named as engineer that did not exist yet at the time of the decision. */
class SnapshotTooLate extends IcecoreError {
  override readonly name = 'SnapshotTooLate';

  constructor(engineer: string, last: number) {
    super('usage', `--engineer: found ${engineer}, allowed: up to checkpoint@${last}`, {
      facts: { field: '--engineer', found: engineer, last },
      remedy: `Decision RUN@${last + 1} is made from stage ${last}. Write checkpoint for the latest weights at each decision.`,
    });
  }
}

/** Throws SnapshotTooLate. */
export function requireSnapshots(
  engineers: readonly EngineerWord[] | null,
  histories: readonly Pick<Replayed, 'stages' | 'settings'>[],
  depth: Depth,
): void {
  const last = Math.max(
    ...histories.flatMap(({ stages, settings }) => (depth === 'run' ? [...stages, settings.stages - 1] : stages)),
  );
  const late = (engineers ?? []).find((word) => typeof word === 'string' && (snapshotStage(word) ?? 0) > last);
  if (typeof late === 'string') throw new SnapshotTooLate(late, last);
}
