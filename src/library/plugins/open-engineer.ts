// The port of an engineer that a plugin defined.
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
import { callWithLimits, deepFreeze, partName } from './faults.ts';

const defaultSeconds = 600;

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
        // It may be anything: `readAnswer` completes or rejects it.
        return { proposal: given as Proposal };
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
