// The runs whose history an ablation replays, the rollouts of a context that can be left out one by one, and the ablations
// that are already recorded.
import { IcecoreError } from '../../../schemas/errors.ts';
import { nearestNames } from '../../../schemas/nearest.ts';
import { snapshotStage } from '../../analysis/ablation/conclude.ts';
import type { ContextModules } from '../../lab/context-modules.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { findRuns } from '../../ledger/runs.ts';
import { historyUntil } from '../../producers/ablation/arm-history.ts';
import { type Depth, type EngineerWord, type Replayed, replayedOf } from '../../producers/ablation/design.ts';
import { AblationRecord } from '../../producers/ablation/record.ts';
import { buildContext } from '../../producers/contexts/build.ts';
import { type Form, formNamed } from '../../producers/contexts/forms.ts';
import { readHistory } from '../../producers/history/reading.ts';
import { textReader } from '../../producers/run/question.ts';
import { settingsOf } from '../experiment/settings.ts';
import type { AblationQuery } from './query.ts';

/** Each run once: the named ones in their order, then those with the tag. Throws NothingToDecide. */
export async function historiesOf(ledger: Ledger, { runs, tag, stages }: AblationQuery): Promise<readonly Replayed[]> {
  const found = await findRuns(
    ledger,
    runs.map(({ run }) => run),
  );
  const tagged = tag === null ? [] : await taggedWith(ledger, tag);
  const all = [...new Set([...found.map(({ run }) => run), ...tagged])];
  const histories: Replayed[] = [];
  for (const run of all) {
    const history = await readHistory(ledger, run);
    histories.push(replayedOf(history, settingsOf(history), stages));
  }
  return histories;
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
    super('usage', `--engineer: found ${engineer}, allowed: checkpoints up to the one after stage ${last}`, {
      facts: { field: '--engineer', found: engineer, last },
      remedy: `No decision here is later than that. To use the latest checkpoint at each decision, write checkpoint.`,
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

interface AblationName {
  readonly ablation: string;
  readonly name: string;
}

/** The ablation with that name or identity, a prefix of either, or `latest`. */
export async function recordNamed(ledger: Ledger, named: string): Promise<AblationRecord> {
  const all = await allAblations(ledger);
  const exact = all.filter(({ ablation, name }) => ablation === named || name === named);
  const begun = all.filter(({ ablation, name }) => ablation.startsWith(named) || name.startsWith(named));
  const found = exact.length > 0 ? exact : named === 'latest' ? all.slice(-1) : begun;
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new NoSuchAblation(named, found.length > 1 ? found : all, found.length > 1);
  return await AblationRecord.read(ledger, only.ablation);
}

async function allAblations(ledger: Ledger): Promise<AblationName[]> {
  const all: AblationName[] = [];
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream, reading } of events) {
      const ablation = stream.slice('ablation-'.length);
      const name = reading.known && reading.type === 'AblationStarted' ? reading.data.name : undefined;
      all.push({ ablation, name: name ?? ablation });
    }
  }
  return all;
}

class NoSuchAblation extends IcecoreError {
  override readonly name = 'NoSuchAblation';

  constructor(named: string, all: readonly AblationName[], isAmbiguous: boolean) {
    const names = all.map(({ name, ablation }) => (name === ablation ? name : `${name} (${ablation})`));
    const near = nearestNames(
      named,
      all.map(({ name }) => name),
    );
    super('not-found', isAmbiguous ? `"${named}" matches ${names.join(' or ')}` : `there is no ablation "${named}"`, {
      facts: { asked: named, ablations: names, nearest: near },
      remedy: isAmbiguous
        ? 'Give its identity.'
        : near.length > 0
          ? `Did you mean ${near.join(' or ')}?`
          : names.length === 0
            ? 'None is recorded yet. icecore ablate --plan shows what one would do.'
            : `Recorded ablations: ${names.slice(-8).join(', ')}.`,
    });
  }
}
