// Opening both parts of a split ledger. They are one ledger only where both bear the same identity; what is made is made
// in an order in which whoever is killed over it can make it again.
import { isAway } from '../away.ts';
import { LedgerMissing, NotALedger } from '../errors.ts';
import type { Ledger, OpenOptions, Waiting } from '../ledger.ts';
import { placeOf } from '../places.ts';
import { placeNamed, type SplitUrl, type StoreUrl, textOf } from '../url.ts';
import { EvidenceElsewhere, NotOneLedger, PartMissing, SamePlace, WholeLedger } from './errors.ts';
import { failureOf, type Part, Store } from './parts.ts';
import { SplitLedger } from './store.ts';

type OpenStore = (url: StoreUrl, options: OpenOptions) => Promise<Ledger>;

/**
 * Evidence that does not answer is waited for by whoever asks for some: decisions can be read without it. Throws
 * LedgerMissing, PartMissing, NotOneLedger, WholeLedger, SamePlace, PartUnavailable.
 */
export async function openSplit(url: SplitUrl, options: OpenOptions, openStore: OpenStore): Promise<Ledger> {
  if (placeNamed(url.decisions) === placeNamed(url.evidence)) throw new SamePlace(url);
  const opening = new Opening(url, options, openStore);
  const opened: Ledger[] = [];
  try {
    // Looked for first: where there is evidence, decisions that are missing were lost.
    const found = await opening.evidenceNow();
    if (found !== null && found !== 'away') opened.push(found);
    const decisions = await opening.decisions(found !== null);
    opened.push(decisions);
    await requireOnly('decisions', decisions, 'evidence-');
    if (found === 'away') return new SplitLedger(decisions, opening.evidenceLater(decisions));
    const evidence = found ?? (await opening.newEvidence(decisions));
    opened.push(evidence);
    await opening.join(decisions, evidence);
    const ledger = new SplitLedger(decisions, Store.of('evidence', evidence));
    if (options.readOnly !== true) await ledger.publishSeals();
    return ledger;
  } catch (error) {
    for (const ledger of opened) await ledger.close();
    throw error;
  }
}

async function requireOnly(part: Part, ledger: Ledger, others: string): Promise<void> {
  for await (const [end] of Store.of(part, ledger).pages((store) => store.streams(others))) {
    if (end !== undefined) throw new WholeLedger(ledger.url, part, end.stream);
  }
}

class Opening {
  readonly #url: SplitUrl;
  readonly #options: OpenOptions;
  readonly #openStore: OpenStore;
  readonly #mayMake: boolean;

  constructor(url: SplitUrl, options: OpenOptions, openStore: OpenStore) {
    this.#url = url;
    this.#options = options;
    this.#openStore = openStore;
    this.#mayMake = options.create === true && options.readOnly !== true;
  }

  async decisions(hasEvidence: boolean): Promise<Ledger> {
    if (this.#mayMake && !hasEvidence) return await this.#open('decisions', { ...this.#options, part: 'decisions' });
    const found = await this.ifThere('decisions');
    if (found !== null) return found;
    throw hasEvidence ? new PartMissing(this.#url, 'decisions') : new LedgerMissing(textOf(this.#url));
  }

  /** The decisions may have been there for long, or have been made just now, or by somebody who was killed over it. */
  async newEvidence(decisions: Ledger): Promise<Ledger> {
    for await (const [seal] of decisions.readAll({ types: ['EvidenceSealed'], limit: 1 })) {
      if (seal !== undefined) throw new EvidenceElsewhere(this.#url, placeOf(seal));
    }
    if (!this.#mayMake) throw new PartMissing(this.#url, 'evidence');
    return await this.#open('evidence', { create: true, createAs: decisions.id, part: 'evidence' });
  }

  /** Null where it is missing. Only whoever may make it waits until it is known whether it is. */
  async evidenceNow(): Promise<Ledger | null | 'away'> {
    if (this.#mayMake) return await this.ifThere('evidence');
    const waiting = new AbortController();
    let isOpening = true;
    const onWait = (told: Waiting): void => {
      if (isOpening) waiting.abort();
      else this.#options.onWait?.(told);
    };
    try {
      return await this.ifThere('evidence', { onWait, signal: waiting.signal });
    } catch (error) {
      if (waiting.signal.aborted || isAway(error)) return 'away';
      throw error;
    } finally {
      isOpening = false;
    }
  }

  /** Throws where the two are not one ledger. */
  async join(decisions: Ledger, evidence: Ledger): Promise<void> {
    if (evidence.id !== decisions.id) throw new NotOneLedger(decisions, evidence);
    // A store whose attempts have to be reported holds nothing else.
    if (evidence.capabilities.attempts === 'open') await requireOnly('evidence', evidence, 'run-');
  }

  evidenceLater(decisions: Ledger): Store {
    return Store.unopened('evidence', textOf(this.#url.evidence), async (signal) => {
      const evidence = await this.ifThere('evidence', { ...this.#options, signal });
      if (evidence === null) throw new PartMissing(this.#url, 'evidence');
      try {
        await this.join(decisions, evidence);
        return evidence;
      } catch (error) {
        await evidence.close();
        throw error;
      }
    });
  }

  /** What its maker left unfinished is as good as not there, for whoever may make it. */
  async ifThere(part: Part, waiting: Pick<OpenOptions, 'onWait' | 'signal'> = this.#options): Promise<Ledger | null> {
    const { readOnly = false } = this.#options;
    try {
      return await this.#open(part, { readOnly }, waiting);
    } catch (error) {
      if (error instanceof LedgerMissing || (this.#mayMake && error instanceof NotALedger)) return null;
      throw error;
    }
  }

  async #open(
    part: Part,
    options: OpenOptions,
    { onWait, signal }: Pick<OpenOptions, 'onWait' | 'signal'> = this.#options,
  ): Promise<Ledger> {
    try {
      const told = onWait === undefined ? {} : { onWait: ({ away }: Waiting) => onWait({ store: part, away }) };
      const until = signal === undefined ? {} : { signal };
      return await this.#openStore(this.#url[part], { ...options, ...told, ...until });
    } catch (error) {
      throw failureOf(part, textOf(this.#url[part]), error);
    }
  }
}
