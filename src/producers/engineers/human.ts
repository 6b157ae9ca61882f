// A person as engineer: nothing is asked of them from here. The run waits, and goes on once they have decided.
import { IcecoreError } from '../../../schemas/errors.ts';
import { contextModules, type Engineer } from '../../lab/engineers/engineer.ts';

export const humanName = 'human';

export const human: Engineer = {
  identity: { name: humanName, version: '1', reads: [...contextModules] },
  reads: contextModules,
  propose: async () => {
    throw new IcecoreError('usage', 'a person is not asked by a program', {
      remedy: 'Decide with icecore adopt, then go on with icecore run --resume.',
    });
  },
  close: async () => {},
};
