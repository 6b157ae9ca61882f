// Opening both parts of a split ledger. They are one ledger only where both bear the same identity; what is made is made
// in an order in which whoever is killed over it can make it again.
import { LedgerMissing, NotALedger } from '../errors.ts';
import type { Ledger, OpenOptions, Waiting } from '../ledger.ts';
import { placeNamed, type SplitUrl, type StoreUrl, textOf } from '../url.ts';
import { NotOneLedger, PartMissing, SamePlace, WholeLedger } from './errors.ts';
import { type Part, Store, toldOf } from './parts.ts';
import { SplitLedger } from './store.ts';

type OpenStore = (url: StoreUrl, options: OpenOptions) => Promise<Ledger>;

/** Throws LedgerMissing, PartMissing, NotOneLedger, WholeLedger, SamePlace, PartUnavailable. */
export async function openSplit(url: SplitUrl, options: OpenOptions, openStore: OpenStore): Promise<Ledger> {
  if (placeNamed(url.decisions) === placeNamed(url.evidence)) throw new SamePlace(url);
  const opening = new Opening(url, options, openStore);
  const opened: Ledger[] = [];
  try {
    // Looked for first: where there is evidence, decisions that are missing were lost.
    const found = await opening.ifThere('evidence');
    if (found !== null) opened.push(found);
    const decisions = await opening.decisions(found !== null);
    opened.push(decisions);
    await requireOnly('decisions', decisions, 'evidence-');
    const evidence = found ?? (await opening.newEvidence(decisions));
    opened.push(evidence);
    if (evidence.id !== decisions.id) throw new NotOneLedger(decisions, evidence);
    await requireOnly('evidence', evidence, 'run-');
    return new SplitLedger({ decisions, evidence });
  } catch (error) {
    for (const ledger of opened) await ledger.close();
    throw error;
  }
}

async function requireOnly(part: Part, ledger: Ledger, others: string): Promise<void> {
  for await (const [end] of new Store(part, ledger).pages((store) => store.streams(others))) {
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
    if (this.#mayMake && !hasEvidence) return await this.#open('decisions', this.#options);
    const found = await this.ifThere('decisions');
    if (found !== null) return found;
    throw hasEvidence ? new PartMissing(this.#url, 'decisions') : new LedgerMissing(textOf(this.#url));
  }

  /** The decisions may have been there for long, or have been made just now, or by somebody who was killed over it. */
  async newEvidence(decisions: Ledger): Promise<Ledger> {
    if (!this.#mayMake) throw new PartMissing(this.#url, 'evidence');
    return await this.#open('evidence', { create: true, createAs: decisions.id });
  }

  /** What its maker left unfinished is as good as not there, for whoever may make it. */
  async ifThere(part: Part): Promise<Ledger | null> {
    try {
      return await this.#open(part, { readOnly: this.#options.readOnly ?? false });
    } catch (error) {
      if (error instanceof LedgerMissing || (this.#mayMake && error instanceof NotALedger)) return null;
      throw error;
    }
  }

  async #open(part: Part, options: OpenOptions): Promise<Ledger> {
    try {
      const { onWait } = this.#options;
      const waiting = onWait === undefined ? {} : { onWait: ({ away }: Waiting) => onWait({ store: part, away }) };
      return await this.#openStore(this.#url[part], { ...options, ...waiting });
    } catch (error) {
      throw toldOf(part, textOf(this.#url[part]), error);
    }
  }
}
