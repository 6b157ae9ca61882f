// Whether the rollouts that a figure cites are those it must be of: all that the seal of the stage vouches for of its part,
// from the first to the last, and nothing else.
import type { EventData } from '../../../schemas/catalogue.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { Seal } from '../../ledger/verify/vouchers.ts';
import type { RolloutSpan } from '../run/history.ts';

type Rollout = EventData['RolloutRecorded'];

export interface SealedPart {
  /** Of sealed attempts, by their streams. */
  readonly seals: ReadonlyMap<string, Seal>;
  /** Whose streams they are: of a run or an ablation. */
  readonly run: string;
  readonly stage: number;
  /** Whether a part is the one that the figure is of. */
  readonly isPart: (part: string) => boolean;
  /** Whether the stage may still be sealed: then a missing seal is no fault. */
  readonly isOpen: boolean;
}

/** What is wrong with the spans that are cited; `open` where they are not sealed yet. */
export function faultOfCited(spans: readonly RolloutSpan[], of: SealedPart): string | 'open' | null {
  const parts = new Set<string>();
  const cited = new Set<string>();
  for (const { stream, from, to } of spans) {
    const name = parseStream(stream);
    const isOwn =
      name?.category === 'evidence' && name.run === of.run && name.stage === of.stage && of.isPart(name.part);
    if (!isOwn) return `cites ${stream}, which is not what it is of`;
    parts.add(stream.slice(0, stream.lastIndexOf('-') + 1));
    if (parts.size > 1) return `cites ${stream} beside another part`;
    if (cited.has(stream)) return `cites ${stream} twice`;
    cited.add(stream);
    const count = of.seals.get(stream)?.count;
    if (count === undefined) return of.isOpen ? 'open' : `cites ${stream}, which no seal covers`;
    if (from !== 0 || to !== count - 1) {
      return `cites ${stream} from ${from} to ${to}; sealed of it is ${count === 0 ? 'nothing' : `0 to ${count - 1}`}`;
    }
  }
  const [part = ''] = parts;
  for (const [stream, { count }] of spans.length === 0 ? [] : of.seals) {
    if (count > 0 && stream.startsWith(part) && !cited.has(stream)) return `does not cite ${stream}, which is sealed`;
  }
  return null;
}

/** What all rollouts of a figure have in common with it. */
export interface InCommon {
  readonly split: string;
  readonly policy: string | undefined;
  /** Its digest, or what else it is known by; undefined where that is not recorded of each rollout. */
  readonly checkpoint?: string | null;
  readonly seed?: unknown;
}

/** What a rollout says otherwise than the figure it is cited by; null where nothing. */
export function differenceInCommon(rollout: Rollout, common: InCommon): string | null {
  const { split, policy, checkpoint, seed } = common;
  const pairs = [
    ['split', rollout.split, split],
    ['policy', rollout.policy, policy ?? rollout.policy],
    ['checkpoint', rollout.checkpoint ?? null, checkpoint === undefined ? (rollout.checkpoint ?? null) : checkpoint],
    ['seed', rollout.seed, rollout.seed === undefined ? undefined : (seed ?? rollout.seed)],
  ] as const;
  const differing = pairs.find(([, found, expected]) => found !== expected);
  if (differing === undefined) return null;
  const [field, found, expected] = differing;
  return `cites a rollout with ${field} ${found}; its own is ${expected}`;
}
