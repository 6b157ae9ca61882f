// What a split ledger can do: what both of its parts can, and of what concerns decisions alone, what their store can. Of
// evidence that could not be asked yet, it is taken to be as much as that of the decisions; what it cannot do it refuses.
import type { Capabilities } from '../ledger.ts';

export function capabilitiesOf(decisions: Capabilities, evidence: Capabilities = decisions): Capabilities {
  return {
    totalOrder: false,
    attempts: 'open',
    // Evidence has one writer, who knows the end of its stream and expects nothing; whoever decides may not be alone.
    expectations: decisions.expectations,
    atomicAppend: decisions.atomicAppend && evidence.atomicAppend,
    atomicReplicate: false,
    backwards: decisions.backwards && evidence.backwards,
    indexedStreams: decisions.indexedStreams && evidence.indexedStreams,
    // Neither store knows the ids of the other.
    ids: 'stream',
    fairWriters: decisions.fairWriters && evidence.fairWriters,
    findById: decisions.findById && evidence.findById,
    shares: evidence.shares,
    maxEventBytes: Math.min(decisions.maxEventBytes, evidence.maxEventBytes),
  };
}
