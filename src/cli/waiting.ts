// What is said while a store does not answer: whoever waits is to know what for, and for how long.
import type { OnWait, Waiting } from '../ledger/ledger.ts';
import type { Context } from './context.ts';
import { duration } from './output/quantity.ts';

const named: Readonly<Record<Waiting['store'], string>> = {
  ledger: 'the ledger',
  decisions: "the ledger's store of decisions",
  evidence: "the ledger's store of evidence",
};

export function sayingWaits({ say }: Pick<Context, 'say'>): OnWait {
  return ({ store, away }) => {
    void say(
      away === null
        ? `${named[store]} is back`
        : `${named[store]} does not answer (${away.what}); waiting for it for ${duration(away.seconds)} at most`,
    );
  };
}
