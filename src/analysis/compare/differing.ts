// In what runs were set otherwise: each setting with its values, and the runs that have each.
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { ComparedSetting } from '../../../schemas/compare-output.ts';
import type { Entrant } from './entrants.ts';

export function settingsBeside(entrants: readonly Entrant[], all: boolean): ComparedSetting[] {
  const names = [...new Set(entrants.flatMap(({ settings }) => [...settings.keys()]))];
  return names.flatMap((setting) => {
    const values = [...Map.groupBy(entrants, (one) => canonicalJson(one.settings.get(setting) ?? null)).values()];
    const isChanged = values.length > 1;
    if (!isChanged && !all) return [];
    return [{ setting, isChanged, values: values.map((having) => shared(setting, having)) }];
  });
}

function shared(setting: string, having: readonly Entrant[]): ComparedSetting['values'][number] {
  return { value: having[0]?.settings.get(setting) ?? null, runs: having.map(({ label }) => label) };
}
