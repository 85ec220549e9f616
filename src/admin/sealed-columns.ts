/** All columns of the database that hold sealed secrets. */
import { SECRETS_OF_ACCOUNTS, type SealedColumn } from '../domain/access/reseal-secrets.js';
import { SECRETS_OF_THE_DELETED } from '../domain/changes/surrounding-changes.js';
import { KEYS_OF_ADDRESSES } from '../domain/exports/published-files.js';
import { SECRETS_OF_FEEDS } from '../domain/feeds/feed-secrets.js';
import { KEYS_OF_TRIGGERS } from '../domain/feeds/triggers.js';
import { SECRETS_OF_DEFINITIONS } from '../domain/webhooks/definition-secrets.js';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...[...SECRETS_OF_DEFINITIONS, ...SECRETS_OF_THE_DELETED, ...SECRETS_OF_ACCOUNTS],
  ...[...KEYS_OF_ADDRESSES, ...SECRETS_OF_FEEDS, ...KEYS_OF_TRIGGERS],
];
