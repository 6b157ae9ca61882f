// The ledger and blobs that an append writes to, opened or created when the first event comes. What a new ledger would refuse is
// found before it is created, so that a refused append leaves nothing.
import type { EventTypes } from '../../../schemas/check.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { eventTypesWith } from '../../../schemas/own-events.ts';
import { DuplicateId, WrongRevision } from '../../ledger/errors.ts';
import { bodyAt, type Expectation, maxEventBytes, type PreparedEvent } from '../../ledger/event.ts';
import { differences } from '../../ledger/identity/sameness.ts';
import type { AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import { prepareEvents } from '../../ledger/prepare.ts';
import { blobsUrl, OpenedBlobs } from '../../library/opening/blobs.ts';
import { noticingWaits } from '../../library/opening/ledger.ts';
import { ensureHomeFor, findPlace, type Place } from '../../library/place/place.ts';
import type { Known } from '../../producers/intake/ledger-checks.ts';
import { checkingTarget, IntakeReports, type Target } from '../../producers/intake/target.ts';
import { KeptTexts, type Outgoing } from '../../producers/intake/texts.ts';
import type { Context } from '../context.ts';

/** Throws what a new ledger throws on this first append: InvalidEvents, EventTooLarge, WrongRevision, DuplicateId. */
function refuseAsNewLedger(stream: string, events: readonly NewEvent[], expect: Expectation, types: EventTypes): void {
  const prepared = prepareEvents(stream, events, maxEventBytes, types);
  if (expect === 'exists' || typeof expect === 'number') throw new WrongRevision(stream, expect, -1);
  const seen = new Map<string, { readonly event: PreparedEvent; readonly revision: number }>();
  for (const event of prepared) {
    const first = seen.get(event.id);
    if (first === undefined) {
      seen.set(event.id, { event, revision: seen.size });
      continue;
    }
    const differs = differences(bodyAt(first.event, 0, null), bodyAt(event, 0, null));
    if (differs.length > 0) throw new DuplicateId(event.id, { stream, revision: first.revision }, differs);
  }
}

/**
 * A ledger that is there is opened before the input is read, so that what is wrong with it is known at once. One that is
 * not is made when the first events come that it can store: what is refused leaves nothing behind.
 */
export async function withTarget<Result>(context: Context, body: (target: Target) => Promise<Result>): Promise<Result> {
  const place = findPlace(context.session);
  const blobs = new OpenedBlobs(blobsUrl(context.session));
  const { url } = place.ledger;
  const onWait = noticingWaits(context.session);
  const openOrMake = (): Promise<Ledger> =>
    openLedger(url, { create: true, onWait, types: context.session.registry.eventTypes });
  const ledger = (await isLedgerThere(url, { onWait })) ? await openOrMake() : null;
  const target = new LedgerTarget(place, {
    ledger,
    openOrMake,
    blobs,
    types: eventTypesWith(context.session.registry.eventTypes),
  });
  try {
    return await body(target);
  } finally {
    await target.close();
    await blobs.close();
    // Said last, because the line of a progress may stand open until then.
    if (target.hasMadeHome) await context.say(`made ${place.home.path}`);
  }
}

/** The same that only checks: what is there is looked at, nothing is made. */
export async function withCheckingTarget<Result>(
  context: Context,
  body: (target: Target) => Promise<Result>,
): Promise<Result> {
  const { url } = findPlace(context.session).ledger;
  const blobs = new OpenedBlobs(blobsUrl(context.session));
  const onWait = noticingWaits(context.session);
  const types = context.session.registry.eventTypes;
  let ledger: Ledger | null = null;
  const known: Known = {
    blobsUrl: blobs.url,
    blobs: () => blobs.toRead(),
    ledger: async () => {
      if (ledger === null && (await isLedgerThere(url, { onWait })))
        ledger = await openLedger(url, { readOnly: true, onWait, types });
      return ledger;
    },
  };
  try {
    return await body(checkingTarget(maxEventBytes, known, eventTypesWith(types)));
  } finally {
    await (ledger as Ledger | null)?.close();
    await blobs.close();
  }
}

interface Opening {
  /** Null where it is not there yet. */
  readonly ledger: Ledger | null;
  readonly openOrMake: () => Promise<Ledger>;
  readonly blobs: OpenedBlobs;
  readonly types: EventTypes;
}

class LedgerTarget implements Target {
  readonly maxEventBytes = maxEventBytes;
  readonly types: EventTypes;
  readonly known: Known;
  readonly kept: KeptTexts;
  readonly #place: Place;
  readonly #openOrMake: () => Promise<Ledger>;
  #ledger: Ledger | null;
  #reports: IntakeReports | null = null;
  hasMadeHome = false;

  constructor(place: Place, { ledger, openOrMake, blobs, types }: Opening) {
    this.types = types;
    this.#place = place;
    this.#openOrMake = openOrMake;
    this.#ledger = ledger;
    this.kept = new KeptTexts(() => blobs.toWrite());
    this.known = { blobsUrl: blobs.url, blobs: () => blobs.toRead(), ledger: async () => this.#ledger };
  }

  async append(stream: string, outgoing: readonly Outgoing[], options: AppendOptions): ReturnType<Target['append']> {
    const events = outgoing.map(({ event }) => event);
    if (this.#ledger === null) {
      refuseAsNewLedger(stream, events, options.expect, this.types);
      this.hasMadeHome = ensureHomeFor(this.#place);
      this.#ledger = await this.#openOrMake();
    }
    await this.kept.keep(this.#ledger, stream, outgoing);
    const appended = await this.#ledger.append(stream, events, options);
    this.#reports ??= new IntakeReports(this.#ledger);
    await this.#reports.appended(stream, appended);
    return appended;
  }

  async finish(): Promise<void> {
    await this.#reports?.finish();
  }

  async close(): Promise<void> {
    await this.#ledger?.close();
  }
}
