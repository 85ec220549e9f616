/** `npm run admin -- secrets …`. */
import { resealColumns } from '../../domain/access/reseal-secrets.js';
import { SEALED_COLUMNS } from '../sealed-columns.js';
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
    run: async (db, _options, _argument, secretsKeys) => ({
      resealed: await resealColumns(db, secretsKeys(), SEALED_COLUMNS),
    }),
  },
];
