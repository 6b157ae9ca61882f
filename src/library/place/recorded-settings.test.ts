import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { recordedSettings, recordSettings } from './recorded-settings.ts';

it.skipIf(!existsSync('/proc/self'))(
  'settings that cannot be recorded for later processes are known within this one',
  () => {
    const content = { realPath: '/w/icecore.config.ts', digest: 'a'.repeat(64) };
    recordSettings(content, {}, { XDG_CONFIG_HOME: '/proc/none' });
    expect(recordedSettings(content, { XDG_CONFIG_HOME: '/proc/none' })).toEqual({});
  },
);
