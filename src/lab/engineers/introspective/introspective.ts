// An engineer that asks a snapshot of the policy how sure it is of tasks that nobody judged, and reads the context for all
// that it can be told. The same code is asked with the untrained base and with the current checkpoint.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Environment } from '../../environments/environment.ts';
import type { Checkpoint, Policy } from '../../policies/policy.ts';
import type { Answer, Asked, Engineer } from '../engineer.ts';
import { EngineerFailed } from '../errors.ts';
import { settingsFor } from '../redesign/easing.ts';
import { type Evidence, evidenceIn } from '../redesign/evidence.ts';
import { reckoned, solvedIn, withSpread } from '../redesign/reckoned.ts';
import { redesigned, unchanged } from '../redesign/redesign.ts';
import { situationOf } from '../redesign/situation.ts';
import { Snapshot } from './asking.ts';
import { outlooks, together } from './believing.ts';
import { preferred } from './preferring.ts';
import { scaleFrom } from './scale.ts';

const reads = ['training', 'stats', 'behaviour', 'failures', 'history'];

export interface IntrospectiveOptions {
  /** As which it is known: base, checkpoint, checkpoint@2. */
  readonly identity: string;
  readonly environment: Pick<Environment, 'descriptor' | 'generate'>;
  readonly policyOf: (checkpoint: Checkpoint) => Promise<Policy>;
}

export function openIntrospective({ identity, environment, policyOf }: IntrospectiveOptions): Engineer {
  return {
    identity: { name: identity, version: '3', reads },
    reads,
    propose: async (asked) => {
      asked.signal?.throwIfAborted();
      if (asked.checkpoint === null) return await answerTo(asked, null);
      const policy = await policyOf(asked.checkpoint).catch((fault: unknown) => {
        asked.signal?.throwIfAborted();
        throw unreadable(fault);
      });
      try {
        return await answerTo(asked, new Snapshot(environment, policy, asked.signal));
      } finally {
        await policy.close();
      }
    },
    close: async () => {},
  };
}

async function answerTo(asked: Asked, snapshot: Snapshot | null): Promise<Answer> {
  const { descriptor, context } = asked;
  const evidence = evidenceIn(context, reads);
  const scale = scaleFrom(descriptor, evidence);
  const own = snapshot === null ? new Map() : await outlooks(asked, snapshot, scale);
  const believed = reckoned(descriptor, evidence).map((shown) => together(shown, own.get(shown.family), scale));
  const situation = situationOf(withSpread(believed, evidence), evidence);
  if (situation === null) return { proposal: unchanged(asked) };
  const settings =
    snapshot === null || own.size === 0
      ? settingsFor(asked, situation)
      : await preferred(asked, snapshot, { situation, outlooks: own, scale });
  return { proposal: redesigned(asked, situation, settings, saysOf(asked, evidence, own.size > 0)) };
}

/** Only of what was shown: a reason from a module that was left out would be invented. */
function saysOf({ descriptor, context }: Asked, evidence: Evidence, wasAsked: boolean): string {
  const shown = (context?.modules ?? []).some(({ module, facts }) => reads.includes(module) && facts.length > 0);
  if (!wasAsked) return 'data where there is most to learn, by what is shown alone: no checkpoint says how sure it is';
  const of = descriptor.families.map(({ family }) => evidence.of(family));
  const reasons = [
    'more data where the checkpoint is uncertain',
    ...(of.some((one) => solvedIn(one) !== null) ? ['tasks are solved about half of the time'] : []),
    ...(of.some(({ signal }) => signal !== null) ? ['training had something to teach'] : []),
  ];
  return shown ? reasons.join(', and where ') : `${reasons.join()}; nothing else was shown`;
}

/** Nothing follows about the engineer from a snapshot that cannot be read. */
function unreadable(fault: unknown): unknown {
  if (!(fault instanceof IcecoreError)) return fault;
  return new EngineerFailed('unavailable', fault.message, { remedy: fault.remedy });
}
