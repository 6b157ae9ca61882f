import { expect, it } from 'vitest';
import type { Notice } from '../session.ts';
import { noticingSilence } from './policies.ts';

/** Resolves to the next notice. */
function listening() {
  const noticed = Promise.withResolvers<Notice>();
  return { session: { notify: async (notice: Notice) => noticed.resolve(notice) }, noticed: noticed.promise };
}

it('a notice says that a model has not answered yet', async () => {
  const { session, noticed } = listening();
  noticingSilence(session, 'gpt', 0);
  expect(await noticed).toMatchObject({ kind: 'hint', text: expect.stringContaining('no answer from gpt yet') });
});

it('a cancelled notice is not sent', async () => {
  const { session, noticed } = listening();
  noticingSilence(session, 'qwen', 0)();
  // Timers of equal duration fire in the order in which they were set.
  noticingSilence(session, 'gpt', 0);
  expect(await noticed).toMatchObject({ text: expect.stringContaining('no answer from gpt yet') });
});
