/** npm run admin -- secrets … */
import { resealSecrets } from '../domain/access/reseal-secrets.js';
import type { Command } from './command.js';

export const secretsCommands: readonly Command[] = [
  {
    name: 'secrets reseal',
    summary: 'Seal all secrets with the first key of SECRETS_KEY, so that the others can be taken off the list',
    options: {},
    run: async (db, _options, _argument, secretsKeys) => ({ resealed: await resealSecrets(db, secretsKeys()) }),
  },
];
