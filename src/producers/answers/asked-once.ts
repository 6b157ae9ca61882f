// A model whose answers are recorded in a ledger that others write to as well: where somebody else recorded an answer to
// the same question first, that one is given, so that what is seen is always what is recorded.
import type { Model } from '../../lab/models/model.ts';
import { AnsweredBefore } from './errors.ts';

export function askedOnce(model: Model): Model {
  const ask: Model['ask'] = async (question) => {
    try {
      return await model.ask(question);
    } catch (fault) {
      if (!(fault instanceof AnsweredBefore)) throw fault;
      // It is in the book now, and found there.
      return await model.ask(question);
    }
  };
  return Object.create(model, { ask: { value: ask } }) as Model;
}
