// The models of a project, opened by the names that its configuration gives them: each with its key from the environment,
// and all under one cap on what they may cost.
import type { Book } from '../../lab/models/conversation.ts';
import { type ModelEntry, modelEntryNamed } from '../../lab/models/entries.ts';
import { Model } from '../../lab/models/model.ts';
import { secretOf } from '../../lab/models/secret.ts';
import type { Spending } from '../../lab/models/spending.ts';

export interface ModelsSettings {
  /** What the configuration says of them, by name. */
  readonly entries: ReadonlyMap<string, ModelEntry>;
  /** Where the keys are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws where the endpoint may not be asked, or not with this key. It is called before the key is looked up. */
  readonly permit: (entry: ModelEntry) => void;
  /** Where answers are kept, so that none is paid for twice; without it none are. */
  readonly book?: Book;
  readonly spending?: Spending;
}

export class Models {
  readonly #settings: ModelsSettings;
  readonly #opened = new Map<string, Model>();

  constructor(settings: ModelsSettings) {
    this.#settings = settings;
  }

  get names(): readonly string[] {
    return [...this.#settings.entries.keys()];
  }

  /**
   * The same model for everybody who asks for it, so that its limits hold for all of them together. Throws UnknownModel,
   * BadKey where the environment has no key for it, and CostUnknown where there is a cap that it cannot be held to.
   */
  open(name: string): Model {
    const opened = this.#opened.get(name);
    if (opened !== undefined) return opened;
    const { entries, environment, permit, book, spending } = this.#settings;
    const entry = modelEntryNamed(name, entries);
    permit(entry);
    const model = new Model({
      entry,
      secret: secretOf(entry, environment),
      ...(book === undefined ? {} : { book }),
      ...(spending === undefined ? {} : { spending }),
    });
    this.#opened.set(name, model);
    return model;
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#opened.values(), (model) => model.close()));
  }
}
