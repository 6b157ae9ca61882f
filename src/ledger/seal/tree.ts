// The tree over events of a ledger as they stand there now.
import type { DigestsOf, Ledger } from '../ledger.ts';
import { Span } from './span.ts';

/** Its leaves are counted from 0, wherever the events begin: what a cause cites and what a seal is over. */
export async function treeOf(ledger: Ledger, of: DigestsOf): Promise<Span> {
  const tree = new Span();
  for await (const digests of ledger.digests(of)) tree.addAll(digests);
  return tree;
}
