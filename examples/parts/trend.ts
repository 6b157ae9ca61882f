import { defineContextModule, definePlugin } from 'icecore/plugins';

export const trend = defineContextModule({
  name: 'acme.trend',
  meaning: 'what the last stage changed, family by family',
  build({ descriptor, stages }) {
    const [last, before] = [stages.at(-1)?.validation, stages.at(-2)?.validation];
    const rateOf = (validation: typeof last, family: string): number => {
      const rate = validation?.data.results.find((one) => one.family === family && one.measure === 'valid')?.value;
      return typeof rate === 'number' ? rate : 0;
    };
    const events = [last, before].flatMap((validation) => validation?.id ?? []);
    if (events.length === 0) return { items: [] };
    const items = descriptor.families.map(({ family }) => {
      const gain = rateOf(last, family) - rateOf(before, family);
      return { id: family, family, events, text: `gained ${gain.toFixed(2)}`, measure: 'gain', value: gain };
    });
    return { opening: 'Changes of the valid rate on validation tasks since the stage before.', items };
  },
});

export const trends = definePlugin({ name: 'acme-trends', contextModules: [trend] });
