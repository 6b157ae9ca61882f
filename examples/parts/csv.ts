import { defineImporter, definePlugin, IcecoreError } from 'icecore/plugins';
import { z } from 'zod';

const csv = defineImporter({
  name: 'csv',
  summary: 'rollouts as lines: run, stage, task, true or false',
  settings: z.strictObject({ delimiter: z.string().length(1).default(',') }),
  async *records({ lines, settings }) {
    for await (const line of lines()) {
      const [run = '', stage, task = '', success] = line.split(settings.delimiter);
      if (success === undefined) throw new IcecoreError('bad-input', `found "${line}", allowed: four values`);
      yield { run, stage: Number(stage), task, success: success === 'true', split: 'validation' };
    }
  },
});

export const tables = definePlugin({ name: 'acme-csv', importers: [csv] });
