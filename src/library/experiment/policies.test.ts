import { expect, it } from 'vitest';
import type { Notice } from '../session.ts';
import { noticingSilence } from './policies.ts';

/** What is noticed next. */
function listening() {
  const noticed = Promise.withResolvers<Notice>();
  return { session: { notify: async (notice: Notice) => noticed.resolve(notice) }, noticed: noticed.promise };
}

it('who waits for a model is told that it may be away', async () => {
  const { session, noticed } = listening();
  noticingSilence(session, 'gpt', 0);
  expect(await noticed).toMatchObject({ kind: 'hint', text: expect.stringContaining('no answer from gpt yet') });
});

it('unless it was called off', async () => {
  const { session, noticed } = listening();
  noticingSilence(session, 'qwen', 0)();
  // Timers of one length are due in the order in which they were set.
  noticingSilence(session, 'gpt', 0);
  expect(await noticed).toMatchObject({ text: expect.stringContaining('no answer from gpt yet') });
});
