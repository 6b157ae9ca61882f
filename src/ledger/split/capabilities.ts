// What a split ledger can do: what both of its parts can, and of what concerns decisions alone, what their store can.
import type { Capabilities } from '../ledger.ts';

export function capabilitiesOf(decisions: Capabilities, evidence: Capabilities): Capabilities {
  return {
    totalOrder: false,
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
