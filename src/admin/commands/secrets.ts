/** `npm run admin -- secrets …`. */
import { resealAccountSecrets } from '../../domain/access/reseal-secrets.js';
import { resealDeletedSecrets } from '../../domain/changes/surrounding-changes.js';
import { resealAddresses } from '../../domain/exports/published-files.js';
import { resealFeedSecrets } from '../../domain/feeds/feed-secrets.js';
import { resealTriggers } from '../../domain/feeds/triggers.js';
import { resealDefinitionSecrets } from '../../domain/webhooks/definition-secrets.js';
import type { Command } from './command.js';

export const secretsCommands: readonly Command[] = [
  {
    name: 'secrets reseal',
    summary: 'Encrypt all secrets again with the first key of SECRETS_KEY, so that the other keys can be removed',
    options: {},
    audit: {
      action: 'SECRETS_RESEALED',
      about: ({ resealed }) => ({ accountId: null, target: `secrets/${resealed}` }),
      commitsItself: true,
    },
    run: async (db, _options, _argument, secretsKeys) => {
      const keys = secretsKeys();
      const kinds = [
        ...[resealDefinitionSecrets, resealDeletedSecrets, resealAccountSecrets],
        ...[resealAddresses, resealFeedSecrets, resealTriggers],
      ];
      let resealed = 0;
      for (const reseal of kinds) resealed += await reseal(db, keys);
      return { resealed };
    },
  },
];
