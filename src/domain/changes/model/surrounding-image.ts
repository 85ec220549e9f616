/** What is kept of an import profile, of settings or of a webhook definition before and after a job has changed it. */
import { isDeepStrictEqual } from 'node:util';
import type { Image } from './definition-image.js';

export const SURROUNDING_KINDS = ['profile', 'settings', 'webhook'] as const;
export type SurroundingKind = (typeof SURROUNDING_KINDS)[number];

/** The key of the settings, of which a stage has but one. */
export const SETTINGS_KEY = 'settings';

/** The columns of a webhook definition that hold sealed secrets, and for which place each is sealed. */
export const SEALED_PLACES = {
  secret: 'secret',
  previous_secret: 'secret',
  older_secrets: 'older_secrets',
  headers: 'headers',
  target_api_key: 'target_api_key',
} as const;
export type SealedSecrets = Readonly<Record<keyof typeof SEALED_PLACES, string | null>>;

/** What the archive of a stage says of each: jobs change nothing else. */
const CONTENT: Readonly<Record<SurroundingKind, readonly string[]>> = {
  profile: ['name', 'document'],
  settings: ['aliases', 'defaultProfiles', 'approval'],
  webhook: [
    ...['target', 'protocol', 'source', 'events', 'request_type', 'api_version', 'format', 'callback_url'],
    ...['rate_limit', 'ordering', 'filter', 'collect_hours', 'channel'],
  ],
};

/** What somebody has done with a webhook definition who uses it: enabled it, or given it secrets. */
const USE = ['status', 'disabled_reason', 'previous_secret_until', 'header_hints', 'hasHeaders', 'hasApiKey'];

/** Whether two images are of the same thing. One of them may not have been stored, so that its members come in any order. */
export function isSameSurrounding(
  kind: SurroundingKind,
  one: Image | null | undefined,
  other: Image | null | undefined,
): boolean {
  return isSameIn(CONTENT[kind], one, other);
}

/** Whether nobody has changed what a job has created, or begun to use it. */
export function isUntouched(kind: SurroundingKind, left: Image | null, present: Image | undefined): boolean {
  return isSameIn(kind === 'webhook' ? [...CONTENT[kind], ...USE] : CONTENT[kind], left, present);
}

/** All that an archive says of one, in a form that can be compared. @param image as it is stored */
export function surroundingContent(kind: SurroundingKind, image: Image | null): unknown {
  return image && CONTENT[kind].map((name) => image[name] ?? null);
}

function isSameIn(names: readonly string[], one: Image | null | undefined, other: Image | null | undefined): boolean {
  if (one === null || one === undefined || other === null || other === undefined)
    return (one ?? null) === (other ?? null);
  return names.every((name) => isDeepStrictEqual(one[name] ?? null, other[name] ?? null));
}
