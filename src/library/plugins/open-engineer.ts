// The port of an engineer that a plugin defined.
import { z } from 'zod';
import {
  type Answer,
  type Engineer,
  EngineerClosed,
  EngineerFailed,
  type Proposal,
} from '../../lab/engineers/engineer.ts';
import { PluginFault } from '../../lab/plugin-fault.ts';
import type { EngineerOptions } from '../../lab/registry.ts';
import type { AnyEngineerDefinition } from './engineer.ts';
import { callWithLimits, deepFreeze, issuesOf, partName } from './faults.ts';

const defaultSeconds = 600;

const reasonSchema = z.strictObject({
  knob: z.string(),
  cites: z.array(z.string()).nullish(),
  reason: z.string().nullish(),
});

const proposalSchema = z.strictObject({
  configuration: z.record(z.string(), z.unknown()),
  reasons: z.array(reasonSchema).optional(),
  kept: z.array(reasonSchema).optional(),
  predictions: z.unknown().optional(),
  rationale: z.string().optional(),
});

type Given = z.infer<typeof proposalSchema>;

export function openDefinedEngineer(
  { name, on, seconds = defaultSeconds, propose }: AnyEngineerDefinition,
  { plugin }: EngineerOptions,
): Pick<Engineer, 'propose' | 'close'> {
  const who = partName('engineer', name, plugin);
  const closing = new AbortController();
  return {
    propose: async (request): Promise<Answer> => {
      const { signal: asked, current, first, descriptor } = request;
      if (on !== undefined && on.name !== descriptor.environment) {
        const why = `${who} is for the environment ${on.name}, not ${descriptor.environment}`;
        throw new EngineerFailed('crashed', why, { remedy: 'Choose another engineer.' });
      }
      const signal = AbortSignal.any([closing.signal, ...(asked === undefined ? [] : [asked])]);
      const copies = { current: deepFreeze(structuredClone(current)), first: deepFreeze(structuredClone(first)) };
      try {
        const given = await callWithLimits(who, 'propose', () => propose({ ...request, ...copies, signal }), {
          signal,
          seconds,
        });
        const parsed = proposalSchema.safeParse(given);
        if (!parsed.success) throw PluginFault.invalid(who, 'propose', issuesOf(parsed.error, given, ''));
        return { proposal: proposed(parsed.data) };
      } catch (fault) {
        if (!(fault instanceof PluginFault)) throw fault;
        throw new EngineerFailed(
          'facts' in fault && fault.facts['seconds'] !== undefined ? 'timeout' : 'crashed',
          fault.message,
        );
      }
    },
    close: async () => closing.abort(new EngineerClosed(name)),
  };
}

function proposed({ configuration, reasons = [], kept, predictions, rationale }: Given): Proposal {
  const whole = (given: z.infer<typeof reasonSchema>) => ({
    knob: given.knob,
    cites: given.cites ?? null,
    reason: given.reason ?? null,
  });
  return {
    configuration,
    reasons: reasons.map(whole),
    kept: kept?.map(whole) ?? null,
    predictions: (predictions ?? null) as Proposal['predictions'],
    rationale: rationale ?? null,
  };
}
