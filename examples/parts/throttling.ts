import { defineEvent, definePlugin, defineProjection } from 'icecore/plugins';
import { z } from 'zod';

export const throttled = defineEvent({
  type: 'acme.GpuThrottled',
  summary: 'A GPU became too hot.',
  data: z.object({
    gpu: z.int().describe('which GPU, from 0'),
    celsius: z.number().describe('how hot it was'),
    fan: z.object({ rpm: z.int() }).optional(),
  }),
});

export const throttling = defineProjection({
  table: 'acme_throttling',
  summary: 'GPUs that became too hot',
  from: throttled,
  columns: { gpu: {}, celsius: {}, rpm: { from: 'fan.rpm', meaning: 'the speed of its fan' } },
});

export const gpus = definePlugin({ name: 'acme-gpus', events: [throttled], projections: [throttling] });
