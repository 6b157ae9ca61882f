// What the verbs of an experiment work with: the ledger and its blobs, the models of the project, and a folder for temporary
// files of a run.
import { dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { runIdPattern } from '../../../schemas/streams.ts';
import { requireNoLink, requireNoLinksIn } from '../../base/folders.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { Spending } from '../../lab/models/spending.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { LedgerBook } from '../../producers/answers/answers.ts';
import { Adapters } from '../../producers/models/adapters.ts';
import { Models } from '../../producers/models/models.ts';
import { noticingUnknown } from '../opening/ledger.ts';
import { projectModels } from '../opening/models.ts';
import { openWriter } from '../opening/writer.ts';
import { checkedNumber } from '../option-error.ts';
import { findPlace, localTo, type Place } from '../place/place.ts';
import type { Session } from '../session.ts';

export interface OpenExperiment {
  readonly session: Session;
  readonly ledger: Ledger;
  readonly blobs: () => Promise<Blobs>;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly models: Models;
  /** The models of other entries than the project's; closed with the experiment. */
  readonly modelsOf: (entries: ReadonlyMap<string, ModelEntry>) => Models;
  /** The folder of a run, by its identity. Its files are temporary. */
  readonly folderOf: (run: string) => string;
}

interface OpenOptions {
  /** Create a missing ledger. */
  readonly create?: boolean;
  /** Limit of the total cost of all models (default: none). */
  readonly spendingCap?: number | undefined;
}

export async function withExperiment<Result>(
  session: Session,
  { create = false, spendingCap }: OpenOptions,
  body: (experiment: OpenExperiment) => Promise<Result>,
): Promise<Result> {
  if (spendingCap !== undefined)
    checkedNumber('spendingCap', spendingCap, { from: 0, to: Number.MAX_SAFE_INTEGER, isWhole: false });
  const place = findPlace(session);
  // Before anything is created or recorded.
  requireNoLink(runsFolder(place));
  const { ledger, blobs, close } = await openWriter(session, { create });
  const book = new LedgerBook(ledger, blobs);
  const { entries, permit } = projectModels(session, place.ledger.url);
  const adapters = new Adapters(join(runsFolder(place), 'adapters'), () => blobs.toWrite());
  const opened: Models[] = [];
  const modelsOf = (entries: ReadonlyMap<string, ModelEntry>): Models => {
    const models = new Models({
      entries,
      environment: session.env,
      permit,
      book,
      adapters,
      ...spendingOn([...entries.values()], spendingCap),
    });
    opened.push(models);
    return models;
  };
  try {
    const experiment: OpenExperiment = {
      session,
      ledger,
      blobs: () => blobs.toWrite(),
      entries,
      models: modelsOf(entries),
      modelsOf,
      folderOf: (run) => runFolder(place, run),
    };
    return await noticingUnknown(session, ledger, () => body(experiment));
  } finally {
    await Promise.all(opened.map((models) => models.close()));
    await book.settled();
    await close();
  }
}

/** In the currency of the first model with a price; with several currencies, models report an error. */
export function spendingOn(entries: readonly ModelEntry[], most: number | undefined): { readonly spending?: Spending } {
  if (most === undefined) return {};
  const currency = entries.find(({ prices }) => prices !== null)?.prices?.currency ?? 'USD';
  return { spending: new Spending({ currency, most }) };
}

/** Throws LinkFound if it, or something in it, is a link. A forged identity could lead elsewhere. */
function runFolder(place: Place, run: string): string {
  if (!runIdPattern.test(run)) {
    throw new IcecoreError(
      'damaged',
      `the ledger has a run ${JSON.stringify(run)}, which is not the identity of a run`,
      {
        facts: { run, allowed: runIdPattern.source },
        remedy: 'icecore verify checks the whole ledger.',
      },
    );
  }
  const runs = runsFolder(place);
  requireNoLink(runs);
  const folder = join(runs, run);
  requireNoLinksIn(folder);
  return folder;
}

/** In the workspace, or next to a ledger that is elsewhere. */
function runsFolder(place: Place): string {
  const { runs } = localTo(place);
  return dirname(runs) === place.workspace.path ? join(place.workspace.path, 'runs') : runs;
}
