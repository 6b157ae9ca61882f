// An ablation begins: with everything it was asked for, as it was resolved, and the one contrast it is made for.
import type { About } from '../run/steps/start.ts';
import type { Declared, Design, Started } from './design.ts';
import { vouchedFor } from './identity.ts';
import type { Entry } from './journal.ts';

export function startedOf(design: Design, { code, measured }: About): Entry {
  return {
    type: 'AblationStarted',
    run: null,
    stage: null,
    index: 0,
    actor: 'producer/ablation',
    data: {
      ...asked(design),
      ...(code === undefined ? {} : { code }),
      ...(measured === undefined ? {} : { measured }),
    },
  };
}

function asked(design: Design): Started {
  const { name, depth, histories, arms, units, declared, level, margin, preset, budget, options, tags, says } = design;
  const [first] = histories;
  const primary = declared.find(({ factor }) => factor === null) ?? null;
  const began = first?.history.started?.data;
  return {
    ...(name === null ? {} : { name }),
    histories: histories.map((one) => ({
      run: one.run,
      decisions: one.stages.map((stage) => stage + 1),
      ...vouchedFor(one, depth),
    })),
    depth,
    arms: arms.map(({ arm, identity, form, without, baseline, notApplicable }) => ({
      arm,
      engineer: identity,
      contextForm: form,
      ...(without.length === 0 ? {} : { without: [...without] }),
      baseline,
      ...(notApplicable.length === 0 ? {} : { notApplicable: [...notApplicable] }),
    })),
    seeds: [...new Set(units.map(({ seed }) => seed))],
    primary: primary === null ? null : withoutFactor(primary),
    ...(declared.every((one) => one === primary) ? {} : { contrasts: declared.map(withoutFactor) }),
    level,
    ...(margin === null ? {} : { margin }),
    ...(preset === null ? {} : { preset }),
    ...(began?.suites === undefined ? {} : { suites: [...began.suites] }),
    ...(began?.environment === undefined ? {} : { environment: began.environment }),
    ...(began?.policy === undefined ? {} : { policy: began.policy }),
    ...(depth === 'propose' || began?.trainer === undefined ? {} : { trainer: began.trainer }),
    ...(budget === null ? {} : { budget: { ...budget } }),
    options: { ...options },
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(says === null ? {} : { notes: says }),
  };
}

function withoutFactor({ factor, ...sides }: Declared): NonNullable<Started['contrasts']>[number] {
  return { ...sides, ...(factor === null ? {} : { factor }) };
}
