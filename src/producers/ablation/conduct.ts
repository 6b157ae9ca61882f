// Takes an ablation from where it is to its end: claims it, opens what its arms work with, has them do what
// is asked of them, concludes, and lets go, whatever happens.
import type { EventData } from '../../../schemas/catalogue.ts';
import type { OnError } from '../../../schemas/run-file.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { entry } from '../../base/entry.ts';
import type { Clock } from '../../lab/models/clock.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { Claim } from '../run/claim.ts';
import { reportsOf } from '../run/conduct.ts';
import type { Surroundings } from '../run/opening.ts';
import type { About } from '../run/steps/start.ts';
import { Conductor } from './conductor.ts';
import { Shown } from './contexts.ts';
import { type Design, replayedIn } from './design.ts';
import { erroredIn, type Unfinished } from './errored.ts';
import { AblationJournal } from './journal.ts';
import { AblationRecord } from './record.ts';
import { Snapshots } from './snapshots.ts';
import { startedOf } from './start.ts';
import { Station } from './stations.ts';
import { type AblationProgress, ablationActor, type Working } from './working.ts';

export interface Ablating {
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly design: Design;
  readonly surroundings: Surroundings;
  readonly folder: string;
  readonly about: About;
  /** How many arms work at a time. */
  readonly jobs: number;
  /**
   * What to do when an arm has an error: stop all of them, ask again and again, or end without the arm. Null: the others go on,
   * and the ablation ends once the arm does.
   */
  readonly onError?: OnError | null;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
  readonly tell: (progress: AblationProgress) => Promise<void>;
  /** What all of it comes to. */
  readonly conclude: (record: AblationRecord, unfinished: Unfinished) => EventData['AblationCompleted'];
  /** Told when somebody else's lease has to be waited for. */
  readonly onWait?: (holder: string, seconds: number) => void;
}

const usualLease = 60;

/**
 * Without an end where arms are errored: it can be gone on with, which tries these again and nothing else. Throws RunHeld where somebody else has it in hand, NotReproduced, what broke it off, or the
 * signal's reason.
 */
export async function ablate(ablating: Ablating): Promise<AblationRecord> {
  const { ledger, blobs, design, signal, onWait } = ablating;
  const before = await AblationRecord.read(ledger, design.ablation);
  if (before.completed !== null) return before;
  const claim = await Claim.take({
    ...{ ledger, run: design.ablation, stream: streamOf.ablation(design.ablation), actor: ablationActor },
    ...{ leaseSeconds: usualLease, signal },
    ...(design.name === null ? {} : { name: design.name }),
    ...(onWait === undefined ? {} : { onWait }),
  });
  try {
    const journal = await AblationJournal.open(design.ablation, { ledger, blobs, check: () => claim.check() });
    if (journal.record.completed !== null) return journal.record;
    return await conducted(ablating, journal, claim);
  } finally {
    await claim.release();
  }
}

async function conducted(ablating: Ablating, journal: AblationJournal, claim: Claim): Promise<AblationRecord> {
  const { ledger, design, surroundings, conclude } = ablating;
  const snapshots = new Snapshots();
  const stations = new Map<number, Promise<Station>>();
  const stationOf: Working['stationOf'] = ({ unit }) =>
    entry(stations, unit.history, () => Station.open(replayedIn(design, unit), surroundings, snapshots));
  const contexts = new Shown({ ...ablating, journal, stationOf });
  const { onError = null } = ablating;
  const check = (): Promise<void> => claim.check();
  const reports = reportsOf(claim, ledger, design.ablation);
  const working = { ...ablating, onError, journal, check, reports, stationOf, contexts };
  try {
    // What cannot be opened is known before anything is written.
    for (const unit of design.units) await stationOf({ unit });
    if (journal.record.started === null) await journal.append(startedOf(design, ablating.about));
    const isDone = await new Conductor(working, ablating.jobs).all();
    if (!isDone && onError !== 'keep') return journal.record;
    const data = conclude(journal.record, erroredIn(journal.record));
    await journal.append({ type: 'AblationCompleted', run: null, stage: null, index: 0, actor: ablationActor, data });
    return journal.record;
  } finally {
    await snapshots.close();
    for (const station of await Promise.allSettled(stations.values())) {
      if (station.status === 'fulfilled') await station.value.close();
    }
  }
}
