// A person as engineer: nothing is asked of them from here. The run waits, and goes on once they have decided.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Engineer } from '../../lab/engineers/engineer.ts';
import { contextModules } from '../../lab/engineers/modules.ts';

export const humanName = 'human';

export const human: Engineer = {
  identity: { name: humanName, version: '1', reads: [...contextModules] },
  reads: contextModules,
  propose: async () => {
    throw new IcecoreError('usage', 'a person is not asked by a program', {
      remedy: 'Decide with icecore adopt, then continue with icecore resume.',
    });
  },
  close: async () => {},
};
