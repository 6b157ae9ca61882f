// A session in its own temporary folder, without a command line.
import { join } from 'node:path';
import { testbed } from '../../../testbed/plugin.ts';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { LazyPlugins } from '../plugins/lazy-plugins.ts';
import type { Notice, Session } from '../session.ts';

export interface TestSession extends Session {
  readonly notices: Notice[];
}

/** Independent of the user's environment: the user's settings are in the folder, too. */
export function sessionIn(cwd: string, signal: AbortSignal = new AbortController().signal): TestSession {
  const notices: Notice[] = [];
  const plugins = new LazyPlugins(async () => [testbed], null);
  return {
    ...{ cwd, signal, plugins, notices, env: { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'settings') } },
    notify: async (notice) => void notices.push(notice),
  };
}

export function newSession(): TestSession {
  return sessionIn(temporaryFolder());
}
