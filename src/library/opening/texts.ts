// Where recorded texts are stored: set by a flag, by ICECORE_TEXTS, or by the settings, in this order.

import { isTextPlace, type TextPlace, textPlaces } from '../../../schemas/config.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { findConfig } from '../place/config.ts';
import type { Surroundings } from '../session.ts';

/** Null if it is not set: texts are then recorded in their events, unless they are too long. */
export function textPlaceOf(surroundings: Surroundings, flag?: TextPlace): TextPlace | null {
  if (flag !== undefined) return flag;
  const named = surroundings.env['ICECORE_TEXTS'];
  return named ? read('ICECORE_TEXTS', named) : (findConfig(surroundings)?.texts ?? null);
}

function read(field: string, found: string): TextPlace {
  if (isTextPlace(found)) return found;
  throw new IcecoreError('usage', `${field}: found "${found}", allowed: blobs, inline`, {
    facts: { field, found, allowed: [...textPlaces].reverse() },
    remedy: 'Leave it out to store texts over 32 KiB as blobs and shorter ones in their events.',
  });
}
