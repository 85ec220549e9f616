/** `npm run admin -- secrets …`. */
import { resealColumns } from '../../domain/access/reseal-secrets.js';
import { SEALED_COLUMNS } from '../sealed-columns.js';
import type { Command } from './command.js';

const UNOPENED =
  'no key of SECRETS_KEY opens these: add the key that encrypted them and run this again, or set them again if it is lost ("npm run admin -- doctor" says where they are)';

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
      const { resealed, unopened } = await resealColumns(db, secretsKeys(), SEALED_COLUMNS);
      return unopened === 0 ? { resealed } : { resealed, unopened, note: UNOPENED };
    },
  },
];
